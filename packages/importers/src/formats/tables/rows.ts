import type { DatabaseSync } from "node:sqlite";
import { type Delimiter, readCsvRows } from "../../core/parsing/csv.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { readFileElements, walkJson } from "../../core/parsing/json-elements.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { readFromDatabase } from "../../core/parsing/sqlite-file.ts";
import { isObject } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import type { Entry } from "../../tree/tree.ts";

/** Where the rows of a stream are in an unknown file. */
export type Source =
  | { readonly kind: "csv"; readonly delimiter: Delimiter; readonly columns: readonly string[] }
  | { readonly kind: "ndjson" }
  /** `list` is the name of the array in the file's object; without it the file is an array. */
  | { readonly kind: "json"; readonly list?: string }
  | { readonly kind: "sqlite"; readonly table: string };

export interface TableRow {
  readonly offset: number;
  readonly end: number;
  readonly raw: Uint8Array;
  readonly values?: Record<string, unknown>;
  readonly reason?: string;
}

export async function* readRows(entry: Entry, source: Source): AsyncGenerator<TableRow> {
  if (source.kind === "csv") yield* readCsv(entry, source.delimiter, source.columns);
  else if (source.kind === "ndjson") yield* readNdjson(entry);
  else if (source.kind === "json") yield* readJson(entry, source.list);
  else yield* readFromDatabase(entry, undefined, (database) => readSqlite(database, source.table));
}

/** The table starts after the row with its columns. */
async function* readCsv(entry: Entry, delimiter: Delimiter, columns: readonly string[]): AsyncGenerator<TableRow> {
  const names = nameColumns(columns);
  let isInside = false;
  for await (const { fields, offset, end, raw, failure } of readCsvRows(entry, delimiter)) {
    if (!isInside) isInside = hasSameColumns(fields, columns);
    else if (failure !== undefined) yield { offset, end, raw, reason: failure.reason };
    else yield { offset, end, raw, values: Object.fromEntries(names.map((name, i) => [name, fields[i] ?? ""])) };
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

export const hasSameColumns = (fields: readonly string[], columns: readonly string[]): boolean =>
  fields.length === columns.length && fields.every((field, i) => field.trim() === columns[i]);

async function* readNdjson(entry: Entry): AsyncGenerator<TableRow> {
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const text = decodeText(bytes)
      .replace(/^\ufeff/, "")
      .trim();
    if (text === "") continue;
    const end = offset + bytes.length;
    const { value, failure } = parseJson(text);
    const reason = failure === undefined ? "it is not an object" : "it is not JSON";
    yield { offset, end, raw: bytes, ...(isObject(value) ? { values: value } : { reason }) };
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
      : { offset, end, raw, reason: failure?.reason ?? "it is not an object" };
}

/** In the table's own order: not every table has row ids. */
function* readSqlite(database: DatabaseSync, table: string): Generator<TableRow> {
  const query = database.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}"`);
  query.setReadBigInts(true);
  let n = 0;
  for (const values of query.iterate()) {
    n += 1;
    const plain = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === "bigint" && Number.isSafeInteger(Number(value))
          ? Number(value)
          : value instanceof Uint8Array
            ? null
            : value,
      ]),
    );
    yield { offset: n, end: n, raw: Buffer.from(String(n)), values: plain };
  }
}
