import type { JsonObject } from "@pdpp/contract/declaration";
import { cleanText, isObject, listIn } from "../../core/clean.ts";
import { csvRows, type Delimiter } from "../../core/csv.ts";
import { OrderFinder } from "../../core/date-order.ts";
import { amountOf, type DecimalSign } from "../../core/money-shape.ts";
import { nameOf } from "../../core/paths.ts";
import { manifest } from "../../core/shapes.ts";
import { DatabaseFault, fromDatabase, isSqlite, tablesOf } from "../../core/sqlite-file.ts";
import { type Entry, headOf } from "../../tree/tree.ts";
import type { FieldMapping, Mapping, StreamMapping } from "./mapping.ts";
import { decimalSign, isNumber } from "./numbers.ts";
import { type Source, tableRows } from "./rows.ts";
import { isTime } from "./times.ts";

/** A proposal for a table that no importer knows, for its owner to look at and change. Undefined where it is no table. */
export async function inferMapping(entry: Entry): Promise<Mapping | undefined> {
  const name = nameOf(entry.path).replace(/\.\w+$/, "");
  const streams: { mapping: StreamMapping; declared: JsonObject }[] = [];
  for (const { stream, source } of await sourcesOf(entry, named(name, "records"))) {
    const found = await streamOf(entry, stream, source);
    if (found !== undefined) streams.push(found);
  }
  if (streams.length === 0) return undefined;
  const key = `table-${named(name, "own").replaceAll("_", "-")}`;
  return {
    pdpp_mapping: 1,
    manifest: manifest(
      key,
      cleanText(name),
      "1.0.0",
      streams.map(({ declared }) => declared),
    ),
    streams: streams.map(({ mapping }) => mapping),
  };
}

/** A name as streams and fields can have it. */
const named = (text: string, other: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase()
    .replace(/^(?=\d)/, "n") || other;

async function sourcesOf(entry: Entry, stream: string): Promise<{ stream: string; source: Source }[]> {
  const head = Buffer.from(await headOf(entry, 65_536));
  if (isSqlite(head)) {
    try {
      const tables = await Array.fromAsync(fromDatabase(entry, undefined, (database) => tablesOf(database)));
      return tables.flatMap(([table]) =>
        /^sqlite_/.test(table) ? [] : [{ stream: named(table, "records"), source: { kind: "sqlite", table } as const }],
      );
    } catch (error) {
      if (error instanceof DatabaseFault) return [];
      throw error;
    }
  }
  if (head.includes(0)) return [];
  const text = head.toString("utf8").replace(/^\ufeff/, "");
  const [first = "", second = ""] = text.trimStart().split(/\r?\n/, 2);
  if (first.startsWith("{") && isJson(first) && (second === "" || isJson(second))) {
    const value: unknown = JSON.parse(first);
    const lists = isObject(value) ? Object.entries(value).filter(([, list]) => isObject(listIn(list)[0])) : [];
    return second === "" && lists.length > 0
      ? listed(lists.map(([key]) => key))
      : [{ stream, source: { kind: "ndjson" } }];
  }
  if (/^\s*\[\s*\{/.test(text)) return [{ stream, source: { kind: "json" } }];
  if (/^\s*\{/.test(text))
    return listed([...text.matchAll(/"([\w -]{1,60})"\s*:\s*\[\s*\{/g)].map(([, key = ""]) => key).slice(0, 1));
  const table = await csvSource(entry);
  return table === undefined ? [] : [{ stream, source: table }];
}

const listed = (keys: readonly string[]): { stream: string; source: Source }[] =>
  keys.map((list) => ({ stream: named(list, "records"), source: { kind: "json", list } as const }));

function isJson(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

const delimiters: readonly Delimiter[] = [",", ";", "\t", "|"];

/** So many rows are looked at; banks write up to twenty lines before a table. */
const looked = 60;

/**
 * The separator that gives the widest table: a decimal comma divides rows, too, only into fewer parts. Lines about the file may stand
 * before the table and behind it.
 */
async function csvSource(entry: Entry): Promise<Source | undefined> {
  if (!/\.(csv|tsv|txt)$/i.test(entry.path)) return undefined;
  const found: { delimiter: Delimiter; columns: string[]; start: number }[] = [];
  for (const delimiter of delimiters) {
    const rows: (readonly string[])[] = [];
    for await (const { fields } of csvRows(entry, delimiter)) {
      rows.push(fields);
      if (rows.length >= looked) break;
    }
    const header = headerIn(rows);
    if (header !== undefined) found.push({ delimiter, ...header });
  }
  const [widest] = found.toSorted((a, b) => b.columns.length - a.columns.length || a.start - b.start);
  return widest === undefined ? undefined : { kind: "csv", delimiter: widest.delimiter, columns: widest.columns };
}

/** The first row that is as wide as most behind it, if it names columns; one or two of them may have no name. */
function headerIn(rows: readonly (readonly string[])[]): { columns: string[]; start: number } | undefined {
  const widths = [...new Set(rows.map(({ length }) => length))].filter((width) => width >= 2).sort((a, b) => b - a);
  for (const width of widths) {
    const start = rows.findIndex(({ length }) => length === width);
    const table = rows.slice(start);
    const even = table.filter(({ length }) => length === width).length;
    const columns = (table[0] ?? []).map((name) => cleanText(name.trim()));
    const named = columns.filter((name) => name !== "");
    const isHeader = named.every((name) => name.length < 100 && amountOf(name) === null && !isTime(name));
    if (even >= 2 && even * 2 > table.length && isHeader && named.length >= Math.max(2, width - 2))
      return { columns, start };
  }
  return undefined;
}

const sampled = 1000;

interface Column {
  readonly name: string;
  readonly values: unknown[];
}

async function streamOf(
  entry: Entry,
  stream: string,
  source: Source,
): Promise<{ mapping: StreamMapping; declared: JsonObject } | undefined> {
  const columns = new Map<string, Column>();
  let rows = 0;
  for await (const { values } of tableRows(entry, source)) {
    if (values === undefined) continue;
    for (const [name, value] of Object.entries(values)) {
      const column = columns.get(name) ?? { name, values: [] };
      columns.set(name, column);
      column.values.push(value);
    }
    rows += 1;
    if (rows >= sampled) break;
  }
  if (rows === 0 || columns.size === 0) return undefined;
  // A separator behind the last column makes one more, with neither a name nor values.
  for (const [name, { values }] of columns) if (/^column \d+$/.test(name) && !values.some(isFull)) columns.delete(name);
  // Where a column does not tell how it writes fractions, the others do, or the separator: who writes 1,5 divides by semicolons.
  const usual =
    decimalSign([...columns.values()].flatMap(({ values }) => values)) ??
    (source.kind === "csv" && source.delimiter === ";" ? "," : ".");
  const fields = withOneOrder([...columns.values()].map((column) => fieldOf(column, usual)));
  const unique = [...columns.values()].filter(
    ({ values }) => values.length === rows && new Set(values.map(String)).size === rows && values.every(isFull),
  );
  const key =
    unique.find(({ name }) => /^(id|uuid|guid|key|number|nr|no|code|isbn)$|[_ ]?id$/i.test(name))?.name ?? null;
  const times = fields.filter(({ type }) => type === "time");
  const time = times.find(({ column }) => /date|time|when|created|_at$/i.test(column)) ?? times[0];
  return {
    mapping: { stream, source, key: key === null ? [] : [key], fields },
    declared: declaration(stream, fields, columns, time),
  };
}

/** A table writes all of its days in one order: a column that tells it tells it for the others. */
function withOneOrder(fields: readonly FieldMapping[]): FieldMapping[] {
  const [order, ...others] = new Set(
    fields.flatMap(({ date_order }) => (date_order === "ymd" ? [] : (date_order ?? []))),
  );
  return fields.map((field) =>
    field.type === "time" && field.date_order === undefined && order !== undefined && others.length === 0
      ? { ...field, date_order: order }
      : field,
  );
}

const isFull = (value: unknown): boolean => value !== null && value !== undefined && value !== "";

function fieldOf({ name, values }: Column, usual: DecimalSign): FieldMapping {
  const field = named(name, "field");
  const full = values.filter(isFull);
  const all = (is: (value: unknown) => boolean): boolean => full.length > 0 && full.every(is);
  if (all((value) => typeof value === "boolean")) return { column: name, field, type: "boolean" };
  if (all((value) => typeof value === "object")) return { column: name, field, type: "json" };
  if (full.length > 0 && full.filter((value) => isTime(value, name)).length >= full.length * 0.8)
    return { column: name, field, type: "time", ...orderOf(full) };
  if (all((value) => typeof value === "number" || (typeof value === "string" && isNumber(value)))) {
    const isDivided = full.some((value) => typeof value === "string" && /[.,]/.test(value));
    return { column: name, field, type: "number", ...(isDivided ? { decimal: decimalSign(full) ?? usual } : {}) };
  }
  return { column: name, field, type: "text" };
}

/** Left open where the rows that were looked at can be read in two ways: then it is asked. */
function orderOf(values: readonly unknown[]): { date_order?: string } {
  const finder = new OrderFinder();
  let isDivided = false;
  for (const value of values) {
    const [, a, b, c] = /^\s*(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})/.exec(String(value)) ?? [];
    if (c === undefined) continue;
    isDivided = true;
    finder.see([Number(a), Number(b), Number(c)]);
  }
  // Where none is written in parts there is nothing to ask.
  const order = isDivided ? finder.order() : "ymd";
  return order === undefined ? {} : { date_order: order };
}

/** A stream as a manifest has it: what is longest is read, what is short and distinct is its title. */
function declaration(
  stream: string,
  fields: readonly FieldMapping[],
  columns: ReadonlyMap<string, Column>,
  time: FieldMapping | undefined,
): JsonObject {
  const lengths = (field: FieldMapping): number => {
    const texts =
      columns
        .get(field.column)
        ?.values.filter(isFull)
        .map((value) => String(value).length) ?? [];
    return texts.length === 0 ? 0 : texts.reduce((a, b) => a + b, 0) / texts.length;
  };
  // What most rows leave empty says nothing of the others.
  const isUsual = ({ column }: FieldMapping): boolean => {
    const values = columns.get(column)?.values ?? [];
    return values.filter(isFull).length * 2 > values.length;
  };
  const texts = fields.filter(({ type }) => type === "text").toSorted((a, b) => lengths(b) - lengths(a));
  const body = texts.find((field) => lengths(field) > 60);
  const short = texts.filter((field) => field !== body && lengths(field) <= 60);
  const title = short.find(isUsual) ?? short[0];
  const amount = fields.find(
    ({ type, column }) => type === "number" && /amount|total|price|sum|betrag|importe|montant/i.test(column),
  );
  const types: Readonly<Record<FieldMapping["type"], JsonObject>> = {
    text: { type: ["string", "null"] },
    number: { type: ["number", "null"] },
    boolean: { type: ["boolean", "null"] },
    time: { type: ["string", "null"], format: "date-time", x_pdpp_type: "timestamp" },
    json: {},
  };
  const properties: JsonObject = { id: { type: "string" } };
  for (const each of fields) {
    const role =
      each === title
        ? "primary-title"
        : each === body
          ? "body"
          : each === amount
            ? "amount"
            : each === time
              ? "event-time"
              : undefined;
    if (each.field !== "id")
      properties[each.field] = { ...types[each.type], ...(role === undefined ? {} : { x_pdpp_role: role }) };
  }
  const searched = texts.filter(({ field }) => field !== "id").map(({ field }) => field);
  return {
    name: stream,
    semantics: "mutable_state",
    primary_key: ["id"],
    ...(time === undefined ? {} : { cursor_field: time.field, consent_time_field: time.field }),
    selection: { fields: true, resources: true },
    schema: { type: "object", properties, required: ["id"] },
    query: {
      ...(searched.length === 0 ? {} : { search: { lexical_fields: searched } }),
      range_filters: Object.fromEntries(
        fields
          .filter(({ type, field }) => field !== "id" && (type === "time" || type === "number"))
          .map(({ field }) => [field, ["gte", "gt", "lte", "lt"]]),
      ),
      aggregations: { count: true, ...(time === undefined ? {} : { group_by_time: [time.field] }) },
    },
  };
}
