import { type ContinuationTo, continueWith } from "@pdpp/contract/continuation";
import type { Relationship } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { findForeignKeyHolder } from "@pdpp/contract/manifest";
import type { Expanded } from "@pdpp/contract/wire";
import type { ListAll } from "@pdpp/evidence/cards/expanded";
import type { Scope } from "../../store/access/scope.ts";
import { type Condition, canRead, type ScopedConnection, type StreamScope } from "../../store/access/scope.ts";
import { encodeColumnValue, type FieldColumn } from "../../store/catalog/layout.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { requireValue } from "../../store/engine/require-value.ts";
import { listRelatedRecords, type StoredRecord } from "../../store/records/records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { narrow } from "../scope.ts";
import { buildCard } from "./cards.ts";
import { hasTooLongRecord, type LoadedRecord, loadAll } from "./load-record.ts";
import { toWireRecord } from "./projection.ts";
import { getSortColumn } from "./sort-order.ts";

export interface Link {
  readonly relationship: Relationship;
  /** One for each grant of the related stream. No connection is in two of them. */
  readonly related: readonly StreamScope[];
  readonly holder: "this" | "related";
}

export interface Expansion extends Link {
  readonly limit: number;
}

interface ExpandInput {
  readonly expand?: string[] | undefined;
  readonly expand_limit?: Record<string, number> | undefined;
}

const invalidExpand = (message: string, param: string): PdppError =>
  new PdppError("invalid_expand", message, { param });

export function parseExpansions(scope: Scope, stream: StreamScope, input: ExpandInput): Expansion[] {
  const names = [...new Set(input.expand ?? [])];
  if (input.expand_limit !== undefined && Object.keys(input.expand_limit).length === 0)
    throw invalidExpand("expand_limit is empty; leave it out, or send expand_limit[relationship]=n", "expand_limit");
  const stray = Object.keys(input.expand_limit ?? {}).find((name) => !names.includes(name));
  if (stray !== undefined)
    throw invalidExpand(`expand_limit[${stray}] needs expand=${stray}`, `expand_limit[${stray}]`);
  return names.map((name) => parseExpansion(scope, stream, name, input.expand_limit?.[name]));
}

function parseExpansion(scope: Scope, stream: StreamScope, name: string, limit: number | undefined): Expansion {
  const { declaration } = stream.stream;
  const relationship = declaration.relationships.find((candidate) => candidate.name === name);
  if (relationship?.expand === undefined) {
    const known = listVisibleRelationships(scope, stream).filter(({ expand }) => expand !== undefined);
    const advice = name.includes(".")
      ? "only one level can be expanded"
      : `it can expand: ${known.map((each) => each.name).join(", ") || "nothing"}`;
    throw invalidExpand(`stream ${declaration.name} cannot expand ${JSON.stringify(name)}; ${advice}`, "expand");
  }
  const related = findRelatedScopes(scope, stream, relationship);
  if (related.length === 0) {
    throw new PdppError("insufficient_scope", `expanding ${name} needs a stream that is not in the grant`, {
      param: "expand",
    });
  }
  const { holder, isReadable } = findForeignKey(stream, related, relationship);
  if (!isReadable) {
    throw new PdppError("field_not_granted", `expanding ${name} needs a field that is not in the grant`, {
      param: "expand",
    });
  }
  return { relationship, related, holder, limit: parseLimit(relationship, limit) };
}

/** Finds out which stream has the foreign key, and whether the scope may read it there. */
function findForeignKey(stream: StreamScope, related: readonly StreamScope[], relationship: Relationship) {
  const [first] = related;
  const holder = first && findForeignKeyHolder(stream.stream.declaration, first.stream.declaration, relationship);
  const holders = holder === "this" ? [stream] : related;
  return {
    holder: holder ?? "this",
    isReadable: holders.length > 0 && holders.every((held) => canRead(held, relationship.foreignKey)),
  };
}

/** The relationships that the scope can follow. The others must not be revealed. */
export function listLinks(scope: Scope, stream: StreamScope): Link[] {
  return stream.stream.declaration.relationships.flatMap((relationship) => {
    const related = findRelatedScopes(scope, stream, relationship);
    const { holder, isReadable } = findForeignKey(stream, related, relationship);
    return isReadable ? [{ relationship, related, holder }] : [];
  });
}

export const listVisibleRelationships = (scope: Scope, stream: StreamScope): Relationship[] =>
  listLinks(scope, stream).map(({ relationship }) => relationship);

function findRelatedScopes(scope: Scope, stream: StreamScope, { stream: name }: Relationship): StreamScope[] {
  const ids = stream.connections.map(({ id }) => id);
  return scope.streams.filter(
    (candidate) =>
      candidate.connectorKey === stream.connectorKey &&
      candidate.stream.declaration.name === name &&
      candidate.connections.some(({ id }) => ids.includes(id)),
  );
}

function parseLimit({ name, cardinality, expand }: Relationship, limit: number | undefined): number {
  if (limit === undefined) return expand!.defaultLimit;
  const param = `expand_limit[${name}]`;
  if (cardinality === "has_one") throw invalidExpand(`${name} is one record at most, so it takes no limit`, param);
  if (!Number.isInteger(limit) || limit < 1 || limit > expand!.maxLimit) {
    throw invalidExpand(`${param} must be a whole number from 1 to ${expand!.maxLimit}`, param);
  }
  return limit;
}

export interface Related {
  readonly shown: Expanded;
  readonly versions: Readonly<Record<string, readonly number[]>>;
}

export async function expandRecords(
  context: ReadContext,
  on: ReadTransaction,
  expansions: readonly Expansion[],
  page: readonly LoadedRecord[],
  cards: boolean,
): Promise<Related[] | undefined | TooHeavy> {
  if (expansions.length === 0) return undefined;
  const of = page.map((): { shown: Expanded; versions: Record<string, number[]> } => ({ shown: {}, versions: {} }));
  for (const wanted of expansions) {
    const children = await loadChildren(on, wanted, page);
    for (const [i, { scope, found }] of children.entries()) {
      const first = found.slice(0, wanted.limit);
      if (hasTooLongRecord(context, first)) return tooHeavy;
      const here = await loadAll(context, on, scope, first);
      const shown = here.map((child) =>
        cards ? buildCard(context, scope, scope.fields, child) : toWireRecord(scope, scope.fields, child),
      );
      const more = found.length > wanted.limit;
      of[i]!.versions[wanted.relationship.name] = here.map(({ version }) => version);
      of[i]!.shown[wanted.relationship.name] =
        wanted.relationship.cardinality === "has_one"
          ? (shown[0] ?? null)
          : {
              object: "list",
              data: shown,
              has_more: more,
              ...(cards && more ? { next: continueWithChildren(wanted, page[i]!) } : {}),
            };
    }
  }
  return of;
}

/** Only of the related records that are shown. */
export const listRelatedVersions = (related: Related | undefined): number[] =>
  Object.entries(related?.shown ?? {}).flatMap(([name, value]) =>
    (related?.versions[name] ?? []).slice(0, value === null ? 0 : value.object === "list" ? value.data.length : 1),
  );

export const createListAll =
  (expansions: readonly Expansion[], record: LoadedRecord): ListAll =>
  (name) => {
    const wanted = expansions.find(({ relationship }) => relationship.name === name);
    return wanted === undefined ? undefined : continueWithChildren(wanted, record);
  };

export const continueWithChildren = (
  { relationship }: Link,
  { connection, key }: LoadedRecord,
): ContinuationTo<"queryRecords"> =>
  continueWith("queryRecords", {
    stream: relationship.stream,
    connection_id: connection.id,
    filter: { [relationship.foreignKey]: key },
  });

interface Children {
  readonly scope: StreamScope;
  readonly found: readonly StoredRecord[];
}

export async function loadChildren(
  on: ReadTransaction,
  wanted: Expansion,
  page: readonly LoadedRecord[],
): Promise<Children[]> {
  const children: Children[] = page.map(() => ({ scope: wanted.related[0]!, found: [] }));
  for (const connection of listPageConnections(page)) {
    const [here] = narrow(wanted.related, connection.id);
    if (here === undefined) continue;
    const parents = page.flatMap((record, i) => (record.connection.id === connection.id ? [{ record, i }] : []));
    const keyed = parents.flatMap(({ record, i }) => {
      const value = getJoinValue(wanted, record);
      return value === null ? [] : [{ i, value }];
    });
    const lists = await listRelatedRecords(
      on,
      here,
      { ...getJoinColumn(wanted), values: keyed.map(({ value }) => value) },
      { sort: getSortColumn(here), descending: true, limit: wanted.limit + 1 },
    );
    keyed.forEach(({ i }, n) => {
      children[i] = { scope: here, found: requireValue(lists[n], "a list of related records") };
    });
  }
  return children;
}

const listPageConnections = (page: readonly LoadedRecord[]): ScopedConnection[] => [
  ...new Map(page.map(({ connection }) => [connection.id, connection])).values(),
];

const keyColumn: FieldColumn = { column: "key", kind: "text" };

function getJoinColumn(link: Link): JoinColumn {
  const found = findJoinColumn(link);
  if (found === undefined)
    throw invalidExpand(
      `${link.relationship.foreignKey} holds no single scalar type, so it cannot be followed`,
      "expand",
    );
  return found;
}

type JoinColumn = Pick<Condition, "field" | "column">;

/** Undefined if the field has no single scalar type. */
export function findJoinColumn({ holder, related, relationship }: Link): JoinColumn | undefined {
  const column = holder === "this" ? keyColumn : related[0]?.stream.columns.get(relationship.foreignKey);
  return column === undefined ? undefined : { field: relationship.foreignKey, column };
}

export function getJoinValue(wanted: Link, record: LoadedRecord): string | number | null {
  if (wanted.holder === "related") {
    const { kind } = getJoinColumn(wanted).column;
    if (kind !== "integer" && kind !== "number") return encodeColumnValue(kind, record.key);
    // "007" and "7" are different keys.
    return String(Number(record.key)) === record.key ? encodeColumnValue(kind, Number(record.key)) : null;
  }
  const { data } = record;
  const value = Object.hasOwn(data, wanted.relationship.foreignKey) ? data[wanted.relationship.foreignKey] : null;
  return value === null || typeof value === "object" || value === undefined
    ? null
    : encodeColumnValue("text", String(value));
}
