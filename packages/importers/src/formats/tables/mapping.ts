import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Head, Importer, Item, Question } from "../../core/importer.ts";
import { getLatestModification, mark, reject } from "../../core/items.ts";
import { parseCsvHeader } from "../../core/parsing/csv.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { DatabaseError, isSqlite } from "../../core/parsing/sqlite-file.ts";
import { readFiles } from "../../core/reading.ts";
import { type DecimalSeparator, parseAmount } from "../../core/records/money.ts";
import { cleanText, cleanValue, isObject, toList, toText } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { dateOrders, parseDateOrder } from "../../core/time/date-order.ts";
import type { Entry } from "../../tree/tree.ts";
import { hasSameColumns, readRows, type Source } from "./rows.ts";
import { formatTime } from "./times.ts";

/** How the rows of a table become records: proposed by pdpp, edited by the owner, and used from then on. */
export interface Mapping {
  readonly pdpp_mapping: 1;
  readonly manifest: JsonObject;
  readonly streams: readonly StreamMapping[];
}

export interface StreamMapping {
  readonly stream: string;
  readonly source: Source;
  /** Columns that identify a row; if empty, all of them together do. */
  readonly key: readonly string[];
  readonly fields: readonly FieldMapping[];
}

export interface FieldMapping {
  readonly column: string;
  readonly field: string;
  readonly type: "text" | "number" | "boolean" | "time" | "json";
  /** For ambiguous dates; if omitted, the owner is asked. */
  readonly date_order?: string;
  /** Decimal separator of numbers written as text; if omitted, each value is examined alone. */
  readonly decimal?: DecimalSeparator;
}

export class MappingFault extends Error {}

/** Parses an edited mapping. Throws a `MappingFault` with a message if it is invalid. */
export function parseMapping(text: string): Mapping {
  const { value, failure } = parseJson(text);
  if (failure !== undefined) throw new MappingFault(`it is not JSON: ${failure}`);
  if (!isObject(value) || value.pdpp_mapping !== 1) throw new MappingFault('it has no "pdpp_mapping": 1');
  const manifest = cleanValue(value.manifest);
  if (!isJsonObject(manifest)) throw new MappingFault("it has no manifest");
  const streams = toList(value.streams).map(parseStream);
  if (streams.length === 0) throw new MappingFault("it has no streams");
  return { pdpp_mapping: 1, manifest, streams };
}

const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value);

function parseStream(value: unknown): StreamMapping {
  if (!isObject(value) || !isObject(value.source)) throw new MappingFault("a stream in it has no source");
  const stream = toText(value.stream);
  if (stream === null) throw new MappingFault("a stream in it has no name");
  const fields = toList(value.fields).map((each): FieldMapping => {
    const [column, field] = isObject(each) ? [toText(each.column), toText(each.field)] : [null, null];
    const type = (["text", "number", "boolean", "time", "json"] as const).find(
      (name) => isObject(each) && each.type === name,
    );
    if (column === null || field === null || type === undefined)
      throw new MappingFault(
        `a field of ${stream} needs a column, a field and a type: text, number, boolean, time or json`,
      );
    const order = isObject(each) ? toText(each.date_order) : null;
    const decimal = ([".", ","] as const).find((sign) => isObject(each) && each.decimal === sign);
    return {
      column,
      field,
      type,
      ...(order === null ? {} : { date_order: order }),
      ...(decimal === undefined ? {} : { decimal }),
    };
  });
  return { stream, source: parseSource(value.source, stream), key: toList(value.key).map(String), fields };
}

function parseSource(source: Record<string, unknown>, stream: string): Source {
  const delimiter = ([",", ";", "\t", "|"] as const).find((each) => each === source.delimiter);
  if (source.kind === "csv" && delimiter !== undefined)
    return { kind: "csv", delimiter, columns: toList(source.columns).map(String) };
  if (source.kind === "ndjson") return { kind: "ndjson" };
  const [list, table] = [toText(source.list), toText(source.table)];
  if (source.kind === "json") return list === null ? { kind: "json" } : { kind: "json", list };
  if (source.kind === "sqlite" && table !== null) return { kind: "sqlite", table };
  throw new MappingFault(`the source of ${stream} must be csv with a delimiter, ndjson, json, or sqlite with a table`);
}

/** Creates an importer for files like the one the mapping was made from. */
export function createMappingImporter(mapping: Mapping): Importer {
  const key = toText(mapping.manifest.connector_key) ?? "table";
  const title = toText(mapping.manifest.display_name) ?? key;
  const isOpen = mapping.streams.some(({ fields }) =>
    fields.some(({ type, date_order }) => type === "time" && date_order === undefined),
  );
  const hasTimes = mapping.streams.some(({ fields }) => fields.some(({ type }) => type === "time"));
  const questions: Question[] = [
    ...(isOpen
      ? [{ key: "date_order" as const, text: `How does ${title} write its dates?`, choices: dateOrders }]
      : []),
    ...(hasTimes
      ? [
          {
            key: "time_zone" as const,
            text: `In which time zone are times of ${title} that name none?`,
            defaultAnswer: "UTC",
          },
        ]
      : []),
  ];
  return {
    key,
    title,
    version: "1",
    testedWith: "unproven",
    manifest: mapping.manifest,
    mainStream: mapping.streams[0]?.stream ?? "records",
    sniff: (path, head) =>
      !/\.pdpp\.json$/i.test(path) && mapping.streams.some(({ source, fields }) => isLike(source, fields, head)),
    createClaims: async (found, tree): Promise<Claim[]> => {
      const companions = tree.entries.filter(({ path }) => /\.pdpp\.json$/i.test(path));
      return [
        { format: key, label: title, entries: found, companions, exportedAt: getLatestModification(found), questions },
      ];
    },
    read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readTable(mapping, entry, index, answers)),
  };
}

/** The same columns, or the same names at the start of the file. */
function isLike(source: Source, fields: readonly FieldMapping[], { text, bytes }: Head): boolean {
  if (source.kind === "sqlite") return isSqlite(bytes) && Buffer.from(bytes).includes(source.table);
  if (source.kind === "csv")
    return readOpeningLines(bytes).some((line) =>
      hasSameColumns(parseCsvHeader(line, source.delimiter), source.columns),
    );
  const isObjects = source.kind === "json" ? /^\s*[[{]/.test(text) : /^\s*\{/.test(text);
  return isObjects && fields.filter(({ column }) => text.includes(`"${column}"`)).length * 2 > fields.length;
}

/** Decodes each line alone, as when the table is read: not every table is UTF-8. */
const readOpeningLines = (bytes: Uint8Array): string[] =>
  Buffer.from(bytes)
    .toString("latin1")
    .split(/\r?\n/, 60)
    .map((line) => decodeText(Buffer.from(line, "latin1")));

async function* readTable(mapping: Mapping, entry: Entry, index: number, answers: Answers): AsyncGenerator<Item> {
  let n = 0;
  for (const stream of mapping.streams) {
    const occurrences = new Occurrences();
    try {
      for await (const { offset, raw, values, reason } of readRows(entry, stream.source)) {
        n += 1;
        if (values === undefined) yield reject(entry.path, offset, "not_a_row", reason ?? "it cannot be read", raw);
        else {
          try {
            yield buildRecord(stream, values, occurrences, answers);
          } catch (error) {
            yield reject(entry.path, offset, "not_a_row", describeError(error), raw);
          }
        }
        yield mark(index, n);
      }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      yield reject(entry.path, 0, "malformed", error.message);
    }
  }
}

function buildRecord(
  { stream, key, fields }: StreamMapping,
  values: Record<string, unknown>,
  occurrences: Occurrences,
  answers: Answers,
): Item {
  const data: JsonObject = { id: "" };
  for (const mapping of fields)
    if (mapping.field !== "id") data[mapping.field] = parseFieldValue(values[mapping.column], mapping, answers);
  const own = key.map((column) => values[column]);
  if (key.length > 0 && own.some((value) => value === null || value === undefined || value === ""))
    throw new Error(`it has no ${key.join(", ")}`);
  data.id =
    key.length === 0
      ? occurrences.number(deriveId(stream, JSON.stringify(cleanValue(values))))
      : own.map((value) => cleanText(String(value))).join("/");
  return { kind: "record", stream, data };
}

function parseFieldValue(value: unknown, { column, type, date_order, decimal }: FieldMapping, answers: Answers): Json {
  if (value === null || value === undefined || value === "") return null;
  if (type === "json") return cleanValue(value);
  if (type === "boolean")
    return typeof value === "boolean" ? value : /^(true|yes|1|ja|oui|si)$/i.test(String(value).trim());
  if (type === "number") {
    const number = typeof value === "number" ? value : parseAmount(String(value), decimal);
    if (number === null || !Number.isFinite(number))
      throw new Error(`${column} is no number: ${String(value).slice(0, 60)}`);
    return number;
  }
  if (type === "time") {
    const order = parseDateOrder(date_order ?? answers.date_order) ?? "mdy";
    return formatTime(String(value).trim(), order, answers.time_zone ?? "UTC") ?? refuse(column, value);
  }
  return typeof value === "object" ? JSON.stringify(cleanValue(value)) : cleanText(String(value));
}

function refuse(column: string, value: unknown): never {
  throw new Error(`${column} is no time: ${String(value).slice(0, 60)}`);
}
