import type { JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { restrictDeclaration } from "@pdpp/contract/granted-declaration";
import type { OwnerRight } from "@pdpp/contract/owner";
import type { CatalogStream } from "../catalog/catalog.ts";
import type { FieldColumn } from "../catalog/layout.ts";
import { encodeColumnValue, tableName } from "../catalog/layout.ts";
import type { Dialect } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import type { Viewpoint } from "../engine/postgres/replica.ts";
import { joinAnd, raw, type Sql, sql } from "../engine/sql.ts";
import type { TokenKind } from "./grants.ts";

/** The authority that every store read needs: what one grant allows of one stream. */
export interface StreamScope {
  readonly ownerNo: number;
  readonly grantId?: string;
  readonly connectorKey: string;
  readonly stream: CatalogStream;
  /** Sorted by id. */
  readonly connections: readonly ScopedConnection[];
  /** Null for the owner: every field. */
  readonly fields: ReadonlySet<string> | null;
  readonly time?: { readonly field: string; readonly since?: number; readonly until?: number };
  readonly resources?: readonly string[];
}

export interface Bearer {
  readonly ownerNo: number;
  readonly tokenKind: TokenKind;
  readonly client: string;
  readonly packageId?: string;
  /** The server that the token was issued for, if it was issued by consent. */
  readonly audience?: string;
  readonly grantIds: readonly string[];
  /** For an owner's token: what it may do, and with which connections; everything if undefined. */
  readonly may?: readonly OwnerRight[];
  readonly connectionIds?: readonly string[];
  /** Granted streams that their connector no longer declares. */
  readonly undeclared: readonly string[];
}

export interface Scope extends Bearer {
  readonly timeZone: string;
  /** What reads must at least see; undefined if they read the primary database. */
  readonly viewpoint?: Viewpoint;
  readonly streams: readonly StreamScope[];
}

export interface ScopedConnection {
  readonly no: number;
  readonly id: string;
  readonly label?: string;
}

export const canRead = (scope: StreamScope, field: string): boolean => scope.fields === null || scope.fields.has(field);

const visibleDeclarations = new WeakMap<ReadonlySet<string>, Map<StreamDeclaration, StreamDeclaration>>();

/** The declaration with granted fields only. Everything a client learns about the stream comes from it. */
export function getVisibleDeclaration({ fields, stream: { declaration } }: StreamScope): StreamDeclaration {
  if (fields === null) return declaration;
  const held = visibleDeclarations.get(fields) ?? new Map<StreamDeclaration, StreamDeclaration>();
  visibleDeclarations.set(fields, held);
  const cut = held.get(declaration) ?? restrictDeclaration(declaration, fields);
  held.set(declaration, cut);
  return cut;
}

/** A condition on a field that the scope may read; created by `read/records/conditions.ts`. */
export interface Condition {
  readonly field: string;
  readonly column: FieldColumn;
  readonly operator: "eq" | "gte" | "gt" | "lte" | "lt";
  readonly value: string | number;
}

const operators: Record<Condition["operator"], string> = { eq: "=", gte: ">=", gt: ">", lte: "<=", lt: "<" };

export const table = (scope: StreamScope): Sql => raw(tableName(scope.stream.streamNo));

/** The conditions for a record to be visible, apart from its connection. */
export function matchVisible(scope: StreamScope, conditions: readonly Condition[], dialect: Dialect): Sql[] {
  const found: Sql[] = [];
  if (scope.time) {
    const place = scope.stream.columns.get(scope.time.field);
    if (place === undefined) throw new PdppError("grant_invalid", describeMissingTimeField(scope));
    const column = raw(place.column);
    found.push(sql`${column} IS NOT NULL`);
    if (scope.time.since !== undefined) found.push(sql`${column} >= ${scope.time.since}`);
    if (scope.time.until !== undefined) found.push(sql`${column} < ${scope.time.until}`);
  }
  if (scope.resources) found.push(dialect.among(raw("key"), scope.resources.map(toIndexText)));
  for (const { column, operator, value } of conditions) {
    found.push(sql`${raw(column.column)} ${raw(operators[operator])} ${value}`);
  }
  return found;
}

/** The conditions for a record of the scope's only connection to be visible. The key is the last value. */
export const matchVisibleKey = (dialect: Dialect, scope: StreamScope): Sql =>
  joinAnd([matchConnection(scope, getConnection(scope)), ...matchVisible(scope, [], dialect), sql`key = ${""}`]);

const describeMissingTimeField = (scope: StreamScope): string =>
  `the grant limits stream ${scope.stream.declaration.name} by a date field that its connector no longer declares; ask the owner for a new grant`;

export const matchConnection = (scope: StreamScope, connection: ScopedConnection): Sql =>
  sql`owner_no = ${scope.ownerNo} AND connection_no = ${connection.no}`;

/** Defaults to the first, for reads of one connection. */
export function getConnection({ connections }: StreamScope, n = 0): ScopedConnection {
  const connection = connections[n];
  if (connection === undefined) throw new RangeError(`the scope has no connection ${n}`);
  return connection;
}

export const matchConnections = (scope: StreamScope): Sql =>
  scope.connections.length === 1
    ? matchConnection(scope, getConnection(scope))
    : sql`owner_no = ${scope.ownerNo} AND connection_no IN (${raw(scope.connections.map(({ no }) => no).join(", "))})`;

const compare: Record<Condition["operator"], (a: string | number, b: string | number) => boolean> = {
  eq: (a, b) => a === b,
  gte: (a, b) => a >= b,
  gt: (a, b) => a > b,
  lte: (a, b) => a <= b,
  lt: (a, b) => a < b,
};

/** Applies the conditions of `matchVisible` to an earlier state of a record. The caller checks the key. */
export function wasVisible(scope: StreamScope, conditions: readonly Condition[], data: JsonObject): boolean {
  const getValue = (field: string, kind: FieldColumn["kind"]) =>
    encodeColumnValue(kind, Object.hasOwn(data, field) ? data[field] : undefined);
  if (scope.time) {
    const { field, since, until } = scope.time;
    const kind = scope.stream.columns.get(field)?.kind;
    const at = kind === undefined ? null : getValue(field, kind);
    if (typeof at !== "number") return false;
    if ((since !== undefined && at < since) || (until !== undefined && at >= until)) return false;
  }
  return conditions.every(({ field, column, operator, value }) => {
    const held = getValue(field, column.kind);
    return held !== null && compare[operator](held, value);
  });
}
