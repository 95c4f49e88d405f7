import { type Database, DatabaseError, isSqlite, readFromDatabase } from "../../core/database/sqlite-file.ts";
import type { Head } from "../../core/importer.ts";
import { parseCsvHeader, readCsvRows } from "../../core/parsing/csv.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { readFileElements, walkJson } from "../../core/parsing/json-elements.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { cleanText, isObject } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import type { Entry } from "../../tree/tree.ts";
import { type Expression, listRules } from "./expressions.ts";
import type { Source } from "./mapping-file.ts";

type CsvSource = Extract<Source, { kind: "csv" }>;

const code = "not_a_row";

interface TableRow {
  readonly offset: number;
  readonly end: number;
  readonly raw: Uint8Array;
  readonly values?: Record<string, unknown>;
  readonly failure?: { readonly code: string; readonly reason: string };
}

export async function* readRows(entry: Entry, source: Source): AsyncGenerator<TableRow> {
  if (source.kind === "csv") yield* readCsv(entry, source);
  else if (source.kind === "ndjson") yield* readNdjson(entry);
  else if (source.kind === "json") yield* readJson(entry, source.list);
  else yield* readFromDatabase(entry, undefined, (database) => readSqlite(database, source.table));
}

/** The table starts after the row with its columns. */
async function* readCsv(entry: Entry, source: CsvSource): AsyncGenerator<TableRow> {
  let names: readonly string[] | undefined;
  const clean = source.also === undefined ? (cell = ""): string => cell : (cell = ""): string => cleanText(cell).trim();
  for await (const { fields, offset, end, raw, failure } of readCsvRows(entry, source.delimiter)) {
    if (names !== undefined)
      yield failure !== undefined
        ? { offset, end, raw, failure }
        : { offset, end, raw, values: Object.fromEntries(names.map((name, i) => [name, clean(fields[i])])) };
    else if (hasColumns(fields, source)) names = nameColumns(fields.map((name) => name.trim()));
  }
}

/** Column names for a mapping: unnamed and duplicate columns get a number. */
function nameColumns(columns: readonly string[]): string[] {
  const names = new Set<string>();
  for (const [i, column] of columns.entries()) {
    let name = column === "" ? `column ${i + 1}` : column;
    for (let n = 2; names.has(name); n += 1) name = `${column} ${n}`;
    names.add(name);
  }
  return [...names];
}

/** The same columns; or these in any order, and no others than allowed. */
function hasColumns(found: readonly string[], { columns, also }: CsvSource): boolean {
  const names = found.map((name) => name.trim());
  if (also === undefined) return names.length === columns.length && names.every((name, i) => name === columns[i]);
  const isAllowed = (name: string): boolean =>
    also === "any" || name === "" || columns.includes(name) || also.includes(name);
  return columns.every((name) => names.includes(name)) && names.every(isAllowed);
}

/** Whether the beginning of a file looks like this source. */
export function isLike(source: Source, fields: Readonly<Record<string, Expression>>, { text, bytes }: Head): boolean {
  if (source.kind === "sqlite") return isSqlite(bytes) && Buffer.from(bytes).includes(source.table);
  if (source.kind === "csv")
    return listOpeningLines(bytes, source.also === undefined ? 60 : 10).some((line) =>
      hasColumns(parseCsvHeader(line, source.delimiter), source),
    );
  const isObjects = source.kind === "json" ? /^\s*[[{]/.test(text) : /^\s*\{/.test(text);
  const columns = listRules(Object.values(fields)).flatMap(({ column }) => column ?? []);
  return isObjects && columns.filter((column) => text.includes(`"${column}"`)).length * 2 > columns.length;
}

/** Decodes each line alone, as when the table is read: not every table is UTF-8. */
const listOpeningLines = (bytes: Uint8Array, count: number): string[] =>
  Buffer.from(bytes)
    .toString("latin1")
    .split(/\r?\n/, count)
    .map((line) => decodeText(Buffer.from(line, "latin1")));

async function* readNdjson(entry: Entry): AsyncGenerator<TableRow> {
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const text = decodeText(bytes)
      .replace(/^\ufeff/, "")
      .trim();
    if (text === "") continue;
    const end = offset + bytes.length;
    const { value, failure } = parseJson(text);
    const reason = failure === undefined ? "it is not an object" : "it is not JSON";
    yield { offset, end, raw: bytes, ...(isObject(value) ? { values: value } : { failure: { code, reason } }) };
  }
}

async function* readJson(entry: Entry, list: string | undefined): AsyncGenerator<TableRow> {
  const isOpening = (path: string): boolean => path === "" || path === list;
  const found =
    list === undefined
      ? readFileElements(entry, 0)
      : (async function* () {
          for await (const step of walkJson((from) => entry.bytes(from), { shouldOpen: isOpening }))
            if (step.kind === "value" && step.path === `${list}/*`) yield step.element;
        })();
  for await (const { offset, end, raw, value, failure } of found)
    yield isObject(value)
      ? { offset, end, raw, values: value }
      : { offset, end, raw, failure: { code, reason: failure?.reason ?? "it is not an object" } };
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** In the table's own order: not every table has row ids. Bytes are left out, so that they are not even loaded. */
async function* readSqlite({ tables, query }: Database, table: string): AsyncGenerator<TableRow> {
  const columns = [...(tables.get(table) ?? [])].map(quoteName);
  if (columns.length === 0) throw new DatabaseError("malformed", `cannot read the database: no table ${table}`);
  const values = columns.map((name) => `CASE typeof(${name}) WHEN 'blob' THEN NULL ELSE ${name} END AS ${name}`);
  let n = 0;
  for await (const row of query(`SELECT ${values.join(", ")} FROM ${quoteName(table)}`)) {
    n += 1;
    const plain = Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value,
      ]),
    );
    yield { offset: n, end: n, raw: Buffer.from(String(n)), values: plain };
  }
}
