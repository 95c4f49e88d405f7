import type { Relationship, StreamDeclaration } from "./declaration.ts";
import { scalarKinds } from "./manifest-fields.ts";
import { quote } from "./manifest-issues.ts";
import type { ObjectReader } from "./manifest-reader.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

/** A stream without its relationships, which can only be resolved once all streams are known. */
export type StreamDraft = Omit<StreamDeclaration, "relationships">;

type Holder = "this" | "related";

/**
 * Decides which stream holds a relationship's foreign key. For has_many it is always the related stream. Published
 * has_one relationships go both ways: a message points to its channel, but a mail's body points to the mail. If both
 * streams have a field of that name, the related stream holds the key if it points back by the same field, or if the
 * relationship can be expanded (public servers always look there) by a field that is not its own primary key.
 */
export function findForeignKeyHolder(
  stream: StreamDeclaration,
  related: StreamDeclaration,
  relationship: Relationship,
): Holder {
  const pointsBack = related.relationships.some(
    (back) =>
      back.stream === stream.name && back.foreignKey === relationship.foreignKey && back.cardinality === "has_one",
  );
  return chooseHolder(stream, related, relationship, pointsBack);
}

function chooseHolder(
  stream: StreamDraft,
  related: StreamDraft,
  relationship: Relationship,
  pointsBack: boolean,
): Holder {
  if (relationship.cardinality === "has_many") return "related";
  // In a self-reference both have the field; this record's value names the other.
  if (stream.name === related.name) return "this";
  if (!hasField(related, relationship.foreignKey)) return "this";
  if (!hasField(stream, relationship.foreignKey)) return "related";
  const isRelatedKey = related.primaryKey.length === 1 && related.primaryKey[0] === relationship.foreignKey;
  return pointsBack || (relationship.expand !== undefined && !isRelatedKey) ? "related" : "this";
}

function hasField(stream: StreamDraft, name: string): boolean {
  return stream.fields.some((field) => field.name === name);
}

/** `streams` maps a stream that could not be read to null. */
export function readRelationships(
  reader: ObjectReader,
  stream: StreamDraft,
  streams: ReadonlyMap<string, StreamDraft | null>,
): Relationship[] {
  const expands = readExpands(reader);
  const seen = new Set<string>();
  const relationships: Relationship[] = [];
  for (const entry of reader.readObjects("relationships")) {
    const name = entry.requireString("name");
    const relationship = readRelationship(entry, expands);
    if (name === undefined) continue;
    if (seen.has(name)) {
      reader.faults.add(entry.pathTo("name"), "duplicate_relationship_name", `${quote(name)} is declared twice`);
    } else if (relationship !== undefined && canFollow(entry, stream, relationship, streams)) {
      relationships.push(relationship);
    }
    seen.add(name);
  }
  for (const [name, expand] of expands) {
    if (seen.has(name)) continue;
    reader.faults.add(
      expand.pathTo("name"),
      "unknown_relationship",
      `${quote(name)} is not a relationship of the stream`,
    );
  }
  return relationships;
}

function readExpands(stream: ObjectReader): Map<string, ObjectReader> {
  const expands = new Map<string, ObjectReader>();
  for (const entry of stream.readObject("query")?.readObjects("expand") ?? []) {
    const name = entry.requireString("name");
    if (name === undefined) continue;
    if (expands.has(name)) {
      stream.faults.add(entry.pathTo("name"), "duplicate_expand_name", `${quote(name)} is listed twice`);
    } else expands.set(name, entry);
  }
  return expands;
}

function readRelationship(entry: ObjectReader, expands: ReadonlyMap<string, ObjectReader>): Relationship | undefined {
  const name = entry.readString("name");
  const stream = entry.requireString("stream");
  const foreignKey = entry.requireString("foreign_key");
  const cardinality = entry.requireString("cardinality");
  if (cardinality !== undefined && cardinality !== "has_many" && cardinality !== "has_one") {
    return entry.refuse("cardinality", "must be has_many or has_one");
  }
  if (!name || stream === undefined || foreignKey === undefined || cardinality === undefined) return undefined;
  const expand = expands.get(name);
  const limits = expand === undefined ? {} : { expand: readLimits(expand, cardinality) };
  return { name, stream, foreignKey, cardinality, ...limits };
}

function readLimits(
  expand: ObjectReader,
  cardinality: Relationship["cardinality"],
): NonNullable<Relationship["expand"]> {
  const defaultLimit = readLimit(expand, "default_limit");
  const maxLimit = readLimit(expand, "max_limit");
  if (cardinality === "has_one") {
    if (defaultLimit !== undefined || maxLimit !== undefined) {
      expand.faults.add(expand.path, "invalid_expand_limits", "a has_one relationship has no limits");
    }
    return { defaultLimit: 1, maxLimit: 1 };
  }
  if (defaultLimit !== undefined && maxLimit !== undefined && defaultLimit > maxLimit) {
    expand.faults.add(expand.path, "invalid_expand_limits", "default_limit must not be above max_limit");
  }
  const most = maxLimit ?? Math.max(MAX_LIMIT, defaultLimit ?? 0);
  return { defaultLimit: defaultLimit ?? Math.min(DEFAULT_LIMIT, most), maxLimit: most };
}

function readLimit(expand: ObjectReader, key: string): number | undefined {
  const limit = expand.get(key);
  if (limit === undefined || (typeof limit === "number" && Number.isSafeInteger(limit) && limit > 0)) return limit;
  expand.faults.add(expand.pathTo(key), "invalid_expand_limits", "must be a whole number above 0");
  return undefined;
}

function canFollow(
  entry: ObjectReader,
  stream: StreamDraft,
  relationship: Relationship,
  streams: ReadonlyMap<string, StreamDraft | null>,
): boolean {
  const related = streams.get(relationship.stream);
  if (related === null) return false;
  if (related === undefined) {
    const message = `${quote(relationship.stream)} is not a stream of this manifest`;
    entry.faults.add(entry.pathTo("stream"), "unknown_stream", message);
    return false;
  }
  const holder = chooseHolder(stream, related, relationship, false) === "this" ? stream : related;
  const field = holder.fields.find((candidate) => candidate.name === relationship.foreignKey);
  if (field !== undefined && (scalarKinds.includes(field.kind) || relationship.expand === undefined)) return true;
  const name = quote(relationship.foreignKey);
  const where = `stream ${quote(holder.name)}`;
  if (field === undefined) {
    entry.faults.add(entry.pathTo("foreign_key"), "unknown_schema_field", `${name} is not a field of ${where}`);
  } else {
    entry.faults.add(entry.pathTo("foreign_key"), "invalid_query_field_type", `${name} of ${where} must be a scalar`);
  }
  return false;
}
