import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import type { OwnerCatalog } from "@pdpp/contract/owner";

/** What can be read, in the owner's words: fields that belong together for a person, under the names that manifests give. */

const partKinds = ["headings", "text", "amounts", "files", "details"] as const;
export type PartKind = (typeof partKinds)[number];

export const partLabels: Record<PartKind, string> = {
  headings: "Names, dates and titles",
  text: "Text",
  amounts: "Amounts",
  files: "Files and images",
  details: "Other details",
};

function partOf({ role, blob }: FieldDeclaration, isUnit: boolean): PartKind {
  if (blob || role === "media" || role === "blob-reference") return "files";
  if (role === "body") return "text";
  if (role === "amount" || isUnit) return "amounts";
  return role === undefined ? "details" : "headings";
}

/** The parts of a stream, each with its fields. */
export function partsOf(
  stream: StreamDeclaration,
): { readonly kind: PartKind; readonly fields: readonly FieldDeclaration[] }[] {
  const units = new Set(stream.fields.flatMap(({ unitField }) => (unitField === undefined ? [] : [unitField])));
  return partKinds.flatMap((kind) => {
    const fields = stream.fields.filter((field) => partOf(field, units.has(field.name)) === kind);
    return fields.length === 0 ? [] : [{ kind, fields }];
  });
}

export const inWords = (name: string): string => {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Error messages are lower-case fragments; on a page they are sentences. */
export const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** A field's name as a person would write it: its title in the schema, else its name in words. */
export function fieldLabel({ name, schema }: FieldDeclaration): string {
  return typeof schema.title === "string" && schema.title.trim() !== "" ? schema.title.slice(0, 80) : inWords(name);
}

export const streamLabel = (stream: StreamDeclaration): string => stream.display?.label ?? inWords(stream.name);

export interface ReadableSource {
  readonly label: string;
  /** All that its accounts have, whenever it is from. */
  readonly isWhole: boolean;
  readonly accounts: readonly string[];
  readonly streams: readonly ReadableStream[];
}

interface ReadableStream {
  readonly label: string;
  readonly parts: readonly ReadablePart[];
  readonly since?: string;
  readonly until?: string;
  /** How many records it is limited to. */
  readonly records?: number;
}

interface ReadablePart {
  readonly label: string;
  readonly fields: readonly string[];
  readonly isWhole: boolean;
}

/** What grants let somebody read. What the vault no longer knows keeps the name that the grant has for it. */
export function readableOf(grants: readonly Grant[], { connectors, connections }: OwnerCatalog): ReadableSource[] {
  return grants.map(({ connector_key, streams }) => {
    const connector = connectors.get(connector_key);
    const ids = [...new Set(streams.flatMap(({ connection_ids }) => connection_ids))];
    const declared = connector?.streams ?? [];
    const isWhole = (stream: StreamDeclaration): boolean =>
      streams.some(
        ({ name, fields, connection_ids, time_constraint, resources }) =>
          name === stream.name &&
          time_constraint === undefined &&
          resources === undefined &&
          connection_ids.length === ids.length &&
          stream.fields.every((field) => fields.includes(field.name)),
      );
    return {
      label: connector?.displayName ?? connector_key,
      isWhole: declared.length > 0 && declared.every(isWhole),
      accounts: ids.map((id) => connections.find((held) => held.id === id)?.label ?? id),
      streams: streams.map((granted) =>
        readableStream(
          granted,
          connector?.streams.find(({ name }) => name === granted.name),
        ),
      ),
    };
  });
}

function readableStream(granted: GrantedStream, declared: StreamDeclaration | undefined): ReadableStream {
  const { since, until } = granted.time_constraint ?? {};
  const held = new Set(granted.fields);
  const parts = declared === undefined ? [] : partsOf(declared);
  return {
    label: declared === undefined ? inWords(granted.name) : streamLabel(declared),
    parts: parts.flatMap(({ kind, fields }) => {
      const shared = fields.filter(({ name }) => held.has(name));
      if (shared.length === 0) return [];
      return [{ label: partLabels[kind], fields: shared.map(fieldLabel), isWhole: shared.length === fields.length }];
    }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(granted.resources === undefined ? {} : { records: granted.resources.length }),
  };
}

/** One stream's parts in a line: whole parts by their names, others by their fields. */
const streamWords = ({ parts }: ReadableStream): string =>
  parts
    .map(({ label, fields, isWhole }, i) => {
      if (!isWhole) return fields.join(", ");
      return i === 0 ? label : label.charAt(0).toLowerCase() + label.slice(1);
    })
    .join(", ");

/** A source in a line. */
export function sourceWords({ isWhole, streams }: ReadableSource): string {
  if (isWhole) return "everything";
  return streams
    .map((stream) => (streams.length === 1 ? streamWords(stream) : `${stream.label} (${streamWords(stream)})`))
    .join("; ");
}
