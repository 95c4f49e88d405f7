import type { FieldDeclaration, FieldKind, Json, JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { type Column, type Dialect, defineColumns } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import type { SqlValue } from "../engine/sql.ts";

/**
 * The layout of a stream: one table, a column per scalar field, an index per column. Filters, sorts, groups and expansions use the
 * columns; `data` holds the record as received.
 */

export interface FieldColumn {
  readonly column: string;
  readonly kind: Exclude<FieldKind, "json">;
}
export type FieldColumns = ReadonlyMap<string, FieldColumn>;

const maxFieldColumns = 200;

export const tableName = (streamNo: number): string => `r_${streamNo}`;

export const getStorageType = (kind: FieldColumn["kind"]): "text" | "number" => (kind === "text" ? "text" : "number");

/** A field's value in its column. Dates are stored as instants, so they sort chronologically in any notation. */
export function encodeColumnValue(kind: FieldColumn["kind"], value: Json | undefined): string | number | null {
  switch (kind) {
    case "text":
      return typeof value === "string" ? toIndexText(value) : null;
    case "boolean":
      return typeof value === "boolean" ? Number(value) : null;
    case "date":
    case "date-time":
      return typeof value === "string" ? parseInstant(value) : null;
    default:
      return typeof value === "number" ? value : null;
  }
}

/** A field's column, written with each record; the key is not among them. */
export interface WrittenColumn extends FieldColumn {
  readonly field: string;
}

export function listWrittenColumns(...plans: readonly FieldColumns[]): WrittenColumn[] {
  const written = new Map<string, WrittenColumn>();
  for (const plan of plans) {
    for (const [field, place] of plan) if (place.column !== "key") written.set(place.column, { field, ...place });
  }
  return [...written.values()];
}

export const encodeColumnValues = (written: readonly WrittenColumn[], data: JsonObject): SqlValue[] =>
  written.map(({ field, kind }) => encodeColumnValue(kind, Object.hasOwn(data, field) ? data[field] : undefined));

export const listColumns = (written: readonly WrittenColumn[]): Column[] =>
  written.map(({ column, kind }) => ({ name: column, type: getStorageType(kind) }));

export const fixedColumns = defineColumns(
  "owner_no integer, connection_no integer, key text, long_key text, version integer, revision integer",
  "emitted_at number, changes text, doc integer, data text",
);

/** The columns of fields, and the number of the next new column: column names are never reused. */
export interface ColumnPlan {
  readonly fields: FieldColumns;
  readonly next: number;
}

/** Plans the columns of a declaration. A field of the same kind keeps its column. */
export function planColumns(stream: StreamDeclaration, held: ColumnPlan): ColumnPlan {
  let next = held.next;
  const fields = new Map<string, FieldColumn>();
  for (const field of stream.fields) {
    if (field.kind === "json" || fields.size >= maxFieldColumns) continue;
    const before = held.fields.get(field.name);
    if (isPrimaryKeyField(stream, field.name, field.kind)) fields.set(field.name, { column: "key", kind: "text" });
    else if (before?.kind === field.kind && before.column !== "key") fields.set(field.name, before);
    else fields.set(field.name, { column: `f${next++}`, kind: field.kind });
  }
  return { fields, next };
}

/** A text field that is the whole primary key needs no column: its value is the key. */
const isPrimaryKeyField = (stream: StreamDeclaration, field: string, kind: FieldKind): boolean =>
  stream.primaryKey.length === 1 && stream.primaryKey[0] === field && kind === "text";

export interface IndexPlan {
  readonly name: string;
  readonly create: string;
  readonly width: number;
  /** An estimate of how many records of a connection share a value of the first column. */
  readonly sharing: number;
}

export const getSortColumn = (stream: StreamDeclaration, columns: FieldColumns): FieldColumn | undefined =>
  stream.cursorField === undefined ? undefined : columns.get(stream.cursorField);

/**
 * An index per column that filters use, extended by the sort order of lists, so that filtered lists are read in order without visiting records that
 * do not match. Columns that are only compared with values are indexed without the records that have none.
 */
export function planIndexes(streamNo: number, stream: StreamDeclaration, columns: FieldColumns): IndexPlan[] {
  const table = tableName(streamNo);
  const sort = getSortColumn(stream, columns)?.column;
  const plans = [
    planIndex(table, "version", ["version"], 1),
    planIndex(table, "doc", ["doc"], 1, " WHERE doc IS NOT NULL"),
  ];
  if (sort !== undefined && sort !== "key") plans.push(planIndex(table, `sort_${sort}`, [sort, "key"], 2));
  const conversation = findConversationColumns(stream, columns);
  if (conversation !== undefined) {
    const list = [...(conversation.within === undefined ? [] : [conversation.within]), conversation.by, "key"];
    plans.push(planIndex(table, `turns_${list.join("_")}`, list, 10));
  }
  for (const field of stream.fields) {
    const column = columns.get(field.name)?.column;
    if (column === undefined || column === "key" || column === sort || !isIndexed(stream, field)) continue;
    const scanned = isScanned(stream, field);
    const tail = sort === undefined || sort === "key" ? ["key"] : [sort, "key"];
    const name = `${column}_${tail.join("_")}${scanned ? "" : "_p"}`;
    plans.push(
      planIndex(table, name, [column, ...tail], estimateSharing(field), scanned ? "" : ` WHERE ${column} IS NOT NULL`),
    );
  }
  return plans;
}

/**
 * Bodies and titles are searched, not compared: their indexes would take a quarter of the JSON's size. Without one, a filter or an order
 * reads the records of a connection, in another thread. A text that is also grouped or counted has an index, and so has who wrote it.
 */
export const isIndexed = (stream: StreamDeclaration, field: FieldDeclaration): boolean =>
  !field.lexical || field.role === "actor" || isScanned(stream, field) || isForeignKey(stream, field.name);

const isForeignKey = ({ relationships }: StreamDeclaration, name: string): boolean =>
  relationships.some(({ foreignKey }) => foreignKey === name);

/** Whether the index of a field has the records without a value. */
export const isScanned = (stream: StreamDeclaration, { name, aggregations }: FieldDeclaration): boolean =>
  aggregations.length > 0 || name === stream.consentTimeField;

export function findConversationColumns(
  { conversation }: StreamDeclaration,
  columns: FieldColumns,
): { within: string | undefined; by: string } | undefined {
  if (conversation === undefined) return undefined;
  const by = columns.get(conversation.by)?.column;
  const within = conversation.within === undefined ? undefined : columns.get(conversation.within)?.column;
  return by === undefined || (conversation.within !== undefined && within === undefined) ? undefined : { within, by };
}

/** Only the order matters: of two filters, the one with the lower number uses its index. */
function estimateSharing({ kind, schema, aggregations }: FieldDeclaration): number {
  if (kind === "boolean") return 2000;
  if (Array.isArray(schema.enum)) return 1000;
  return aggregations.includes("group_by") ? 200 : 10;
}

function planIndex(table: string, suffix: string, columns: string[], sharing: number, where = ""): IndexPlan {
  const name = `${table}_${suffix}`;
  const list = ["owner_no", "connection_no", ...columns].join(", ");
  return {
    name,
    create: `CREATE INDEX IF NOT EXISTS ${name} ON ${table} (${list})${where}`,
    width: columns.length,
    sharing,
  };
}

export function buildCreateTable(dialect: Dialect, streamNo: number, written: readonly WrittenColumn[]): string {
  const { text, number, integer } = dialect.types;
  const fields = listColumns(written).map(({ name, type }) => `${name} ${dialect.types[type]},`);
  return `CREATE TABLE IF NOT EXISTS ${tableName(streamNo)} (
    owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, key ${text} NOT NULL, long_key ${text},
    version ${integer} NOT NULL, revision ${integer} NOT NULL, emitted_at ${number} NOT NULL,
    changes ${text}, doc ${integer}, ${fields.join(" ")} data ${text} NOT NULL,
    PRIMARY KEY (owner_no, connection_no, key))`;
}
