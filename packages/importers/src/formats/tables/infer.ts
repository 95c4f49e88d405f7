import type { JsonObject } from "@pdpp/contract/declaration";
import { DatabaseError, isSqlite, readFromDatabase } from "../../core/database/sqlite-file.ts";
import { parseJson } from "../../core/parsing/json.ts";
import type { DecimalSeparator } from "../../core/records/money.ts";
import { defineManifest, listCapability } from "../../core/records/schema.ts";
import { cleanText, isObject, toList } from "../../core/text/clean.ts";
import { getFileName } from "../../core/text/paths.ts";
import { DateOrderDetector } from "../../core/time/date-order.ts";
import { type Entry, readHead } from "../../tree/tree.ts";
import { findCsvSource } from "./csv-source.ts";
import type { FieldDraft, MappingDraft, Source, StreamDraft } from "./mapping-file.ts";
import { findDecimalSeparator, isNumber } from "./numbers.ts";
import { readRows } from "./rows.ts";
import { isTime } from "./times.ts";

/** Proposes a mapping for an unknown table, for its owner to review. Undefined if it is not a table. */
export async function inferMapping(entry: Entry): Promise<MappingDraft | undefined> {
  const name = getFileName(entry.path).replace(/\.\w+$/, "");
  const streams: { mapping: StreamDraft; declared: JsonObject }[] = [];
  for (const { stream, source } of await listSources(entry, toName(name, "records"))) {
    const found = await inferStream(entry, stream, source);
    if (found !== undefined) streams.push(found);
  }
  if (streams.length === 0) return undefined;
  const key = `table-${toName(name, "own").replaceAll("_", "-")}`;
  return {
    pdpp_mapping: 1,
    manifest: defineManifest(
      key,
      cleanText(name),
      "1.0.0",
      streams.map(({ declared }) => declared),
    ),
    streams: streams.map(({ mapping }) => mapping),
  };
}

/** Turns text into a valid stream or field name. */
const toName = (text: string, other: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase()
    .replace(/^(?=\d)/, "n") || other;

async function listSources(entry: Entry, stream: string): Promise<{ stream: string; source: Source }[]> {
  const head = Buffer.from(await readHead(entry, 65_536));
  if (isSqlite(head)) {
    try {
      const tables = await Array.fromAsync(readFromDatabase(entry, undefined, ({ tables }) => tables.keys()));
      return tables.flatMap((table) =>
        /^sqlite_/.test(table)
          ? []
          : [{ stream: toName(table, "records"), source: { kind: "sqlite", table } as const }],
      );
    } catch (error) {
      if (error instanceof DatabaseError) return [];
      throw error;
    }
  }
  if (head.includes(0)) return [];
  const text = head.toString("utf8").replace(/^\ufeff/, "");
  const [first = "", second = ""] = text.trimStart().split(/\r?\n/, 2);
  const { value } = parseJson(first);
  if (isObject(value) && (second === "" || isObject(parseJson(second).value))) {
    const lists = Object.entries(value).filter(([, list]) => isObject(toList(list)[0]));
    return second === "" && lists.length > 0
      ? findLists(lists.map(([key]) => key))
      : [{ stream, source: { kind: "ndjson" } }];
  }
  if (/^\s*\[\s*\{/.test(text)) return [{ stream, source: { kind: "json" } }];
  if (/^\s*\{/.test(text))
    return findLists([...text.matchAll(/"([\w -]{1,60})"\s*:\s*\[\s*\{/g)].map(([, key = ""]) => key).slice(0, 1));
  const table = await findCsvSource(entry);
  return table === undefined ? [] : [{ stream, source: table }];
}

const findLists = (keys: readonly string[]): { stream: string; source: Source }[] =>
  keys.map((list) => ({ stream: toName(list, "records"), source: { kind: "json", list } as const }));

const sampled = 1000;

interface Column {
  readonly name: string;
  readonly values: unknown[];
}

async function inferStream(
  entry: Entry,
  stream: string,
  source: Source,
): Promise<{ mapping: StreamDraft; declared: JsonObject } | undefined> {
  const columns = new Map<string, Column>();
  let rows = 0;
  for await (const { values } of readRows(entry, source)) {
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
  // A trailing delimiter adds a column without name or values.
  for (const [name, { values }] of columns) if (/^column \d+$/.test(name) && !values.some(isFull)) columns.delete(name);
  // If a column's decimal separator is ambiguous, use that of other columns or infer it from the delimiter: 1,5 comes
  // with semicolons.
  const usual =
    findDecimalSeparator([...columns.values()].flatMap(({ values }) => values)) ??
    (source.kind === "csv" && source.delimiter === ";" ? "," : ".");
  const unique = [...columns.values()].filter(
    ({ values }) => values.length === rows && new Set(values.map(String)).size === rows && values.every(isFull),
  );
  // "Paid" ends like an id but is not one.
  const key =
    unique.find(({ name }) => /^(id|uuid|guid)$|[_ .-]id$/i.test(name) || /[a-z]I[dD]$/.test(name))?.name ??
    unique.find(({ name }) => /^(key|number|nr|no|code|isbn)$/i.test(name))?.name ??
    null;
  const fields = withOwnNames(withOneOrder([...columns.values()].map((column) => inferField(column, usual))), key);
  const times = fields.filter(({ type }) => type === "time");
  const time = times.find(({ column }) => /date|time|when|created|_at$/i.test(column)) ?? times[0];
  return {
    mapping: { stream, source, key: key === null ? [] : [key], fields },
    declared: buildDeclaration(stream, fields, columns, time, key),
  };
}

/** Field names are unique, and only the key is called `id`. */
function withOwnNames(fields: readonly FieldDraft[], key: string | null): FieldDraft[] {
  const taken = new Set(["id"]);
  return fields.map((each) => {
    if (each.column === key && each.field === "id") return each;
    let field = each.field;
    for (let n = 2; taken.has(field); n += 1) field = `${each.field}_${n}`;
    taken.add(field);
    return { ...each, field };
  });
}

/** A table uses one date order: a column that reveals it decides for the others. */
function withOneOrder(fields: readonly FieldDraft[]): FieldDraft[] {
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

function inferField({ name, values }: Column, usual: DecimalSeparator): FieldDraft {
  const field = toName(name, "field");
  const full = values.filter(isFull);
  const allMatch = (is: (value: unknown) => boolean): boolean => full.length > 0 && full.every(is);
  if (allMatch((value) => typeof value === "boolean")) return { column: name, field, type: "boolean" };
  if (allMatch((value) => typeof value === "object")) return { column: name, field, type: "json" };
  if (full.length > 0 && full.filter((value) => isTime(value, name)).length >= full.length * 0.8)
    return { column: name, field, type: "time", ...inferDateOrder(full) };
  if (allMatch((value) => typeof value === "number" || (typeof value === "string" && isNumber(value)))) {
    const isDivided = full.some((value) => typeof value === "string" && /[.,]/.test(value));
    return {
      column: name,
      field,
      type: "number",
      ...(isDivided ? { decimal: findDecimalSeparator(full) ?? usual } : {}),
    };
  }
  return { column: name, field, type: "text" };
}

/** Left open if the rows examined are ambiguous; the owner is asked. */
function inferDateOrder(values: readonly unknown[]): { date_order?: string } {
  const finder = new DateOrderDetector("either");
  const isDivided = values.filter((value) => finder.addText(String(value))).length > 0;
  // Nothing to ask if no date is written in parts.
  const order = isDivided ? finder.detect() : "ymd";
  return order === undefined ? {} : { date_order: order };
}

const isTitleName = (column: string): boolean =>
  /^(title|name|subject|titel|betreff|titre|nom|nombre|título)$/i.test(column);

/** Declares a stream: the longest text becomes the body, a short distinct one the title. */
function buildDeclaration(
  stream: string,
  fields: readonly FieldDraft[],
  columns: ReadonlyMap<string, Column>,
  time: FieldDraft | undefined,
  key: string | null,
): JsonObject {
  const measureLengths = (field: FieldDraft): number => {
    const texts =
      columns
        .get(field.column)
        ?.values.filter(isFull)
        .map((value) => String(value).length) ?? [];
    return texts.length === 0 ? 0 : texts.reduce((a, b) => a + b, 0) / texts.length;
  };
  // A mostly empty column describes nothing.
  const isUsual = ({ column }: FieldDraft): boolean => {
    const values = columns.get(column)?.values ?? [];
    return values.filter(isFull).length * 2 > values.length;
  };
  // Ids, account numbers and URLs mean nothing to people.
  const isCode = ({ column }: FieldDraft): boolean => {
    const values = columns.get(column)?.values.filter(isFull).map(String) ?? [];
    return (
      column === key || values.filter((text) => /^https?:|^(?=.*\d)[^\s]{16,}$/.test(text)).length * 2 > values.length
    );
  };
  const isDistinct = ({ column }: FieldDraft): boolean => {
    const values = columns.get(column)?.values.filter(isFull) ?? [];
    return new Set(values).size * 2 > values.length;
  };
  const texts = fields.filter(({ type }) => type === "text").toSorted((a, b) => measureLengths(b) - measureLengths(a));
  const words = texts.filter((field) => !isCode(field));
  const body = words.find((field) => measureLengths(field) > 60);
  const short = words.filter((field) => field !== body && measureLengths(field) <= 60);
  const title =
    short.find((field) => isTitleName(field.column) && isUsual(field)) ??
    short.find((field) => isUsual(field) && isDistinct(field)) ??
    short.find(isUsual) ??
    short[0];
  const amount = fields.find(
    ({ type, column }) =>
      type === "number" && /amount|total|price|sum|betrag|umsatz|importe|importo|montant|bedrag|valor/i.test(column),
  );
  const types: Readonly<Record<FieldDraft["type"], JsonObject>> = {
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
  const listNames = (some: readonly FieldDraft[]): string[] =>
    some.filter(({ field }) => field !== "id").map(({ field }) => field);
  const numbers = listNames(fields.filter(({ type }) => type === "number"));
  const groups = listNames([...short, ...fields.filter(({ type }) => type === "boolean")]);
  const when = time === undefined ? [] : [time.field];
  const searched = listNames(texts);
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
      aggregations: {
        count: true,
        ...listCapability("sum", numbers),
        ...listCapability("min", [...numbers, ...when]),
        ...listCapability("max", [...numbers, ...when]),
        ...listCapability("group_by", groups),
        ...listCapability("group_by_time", when),
      },
    },
  };
}
