import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { FieldNote } from "@pdpp/contract/manifest";
import { buildRecordKey, maxKeyChars, normalizeKey } from "@pdpp/contract/record-key";
import type { CatalogStream } from "../store/catalog/catalog.ts";
import { isJsonObject, parseJson } from "../store/engine/json.ts";
import type { IncomingRecord } from "../store/records/classify-writes.ts";

export interface Rejection {
  readonly code:
    | "malformed_ndjson"
    | "invalid_utf8"
    | "line_too_long"
    | "invalid_record"
    | "invalid_record_identity"
    | "schema_violation"
    | "invalid_text"
    | "number_not_exact";
  readonly reason: string;
}

export interface ParsedRecord extends IncomingRecord {
  /** Values that do not match the declaration, but are stored. */
  readonly notes?: readonly FieldNote[];
}

/** Checks one line: a JSON object `{key?, data, emitted_at?, op?}` whose data is a record of the stream. */
export function parseRecord(
  stream: CatalogStream,
  line: string,
  now: number,
  connectionId?: string,
): ParsedRecord | Rejection {
  let json: unknown;
  try {
    json = parseJson(line);
  } catch (error) {
    return { code: "malformed_ndjson", reason: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isJsonObject(json))
    return {
      code: "invalid_record",
      reason: 'a line must be one JSON object such as {"data": {...}}; JSON arrays are not supported',
    };
  const { op = "upsert", data = {}, emitted_at: emitted } = json;
  if (op !== "upsert" && op !== "delete") return { code: "invalid_record", reason: 'op must be "upsert" or "delete"' };
  if (!isJsonObject(data) || (op === "upsert" && json.data === undefined))
    return { code: "invalid_record", reason: 'the data object is missing: put the record into {"data": {...}}' };
  const emittedAt =
    emitted === undefined || emitted === null ? now : typeof emitted === "string" ? parseInstant(emitted) : null;
  if (emittedAt === null) return { code: "invalid_record", reason: "emitted_at must be a date or date-time" };
  const elsewhere = findMisplacement(json, stream.declaration.name, connectionId);
  if (elsewhere !== null) return elsewhere;
  const unfit = findUnstorable(json, line);
  if (unfit !== null) return unfit;
  const key = identifyRecord(stream.declaration.primaryKey, json.key, data, op);
  if (typeof key !== "string") return key;
  if (op === "delete") return { key, op, data: {}, text: "{}", emittedAt };
  return checkAgainstSchema(stream, { key, op, data, text: JSON.stringify(data), emittedAt });
}

export function parseData(stream: CatalogStream, text: string, emittedAt: number): ParsedRecord | Rejection {
  const data: unknown = parseJson(text);
  if (!isJsonObject(data)) return { code: "invalid_record", reason: "the record is not an object" };
  const unfit = findUnstorable(data, text);
  if (unfit !== null) return unfit;
  const key = identifyRecord(stream.declaration.primaryKey, undefined, data, "upsert");
  return typeof key === "string" ? checkAgainstSchema(stream, { key, op: "upsert", data, text, emittedAt }) : key;
}

function checkAgainstSchema(stream: CatalogStream, record: IncomingRecord): ParsedRecord | Rejection {
  const fault = stream.check(record.data);
  if (fault === null) return record;
  return "refused" in fault ? { code: "schema_violation", reason: fault.refused } : { ...record, notes: fault.notes };
}

/** A line that names its stream or connection, such as one from an export, must have been sent there. */
function findMisplacement(json: JsonObject, stream: string, connectionId: string | undefined): Rejection | null {
  const wrong = (name: string, said: Json | undefined, here: string | undefined): Rejection | null =>
    said === undefined || said === null || said === here || here === undefined
      ? null
      : {
          code: "invalid_record",
          reason: `the line belongs to ${name} ${quoteShort(String(said))} but was sent to ${quoteShort(here)}; send it to the right one, or omit ${name}`,
        };
  return (
    wrong("stream", json.stream, stream) ??
    wrong("connection_id", json.connection_id, connectionId) ??
    wrong("connector_instance_id", json.connector_instance_id, connectionId)
  );
}

function identifyRecord(
  primaryKey: readonly string[],
  said: Json | undefined,
  data: JsonObject,
  op: "upsert" | "delete",
): string | Rejection {
  const wrong = (reason: string): Rejection => ({ code: "invalid_record_identity", reason });
  const held = buildRecordKey(primaryKey, data);
  const written = said === undefined || said === null ? null : normalizeKey(said, primaryKey);
  if (said !== undefined && said !== null && written === null) {
    return wrong(
      primaryKey.length === 1 ? "key must be a string or a number" : `key must be an array of ${primaryKey.join(", ")}`,
    );
  }
  const key = written ?? held;
  if (key === null)
    return wrong(`data has no value for the primary key (${primaryKey.join(", ")}), and the line has no key`);
  if (op === "upsert" && held === null)
    return wrong(`data has no value for the primary key (${primaryKey.join(", ")})`);
  if (held !== null && key !== held)
    return wrong(`key ${quoteShort(key)} does not match the primary key in data, ${quoteShort(held)}`);
  if (key.length > maxKeyChars && Array.from(key).length > maxKeyChars)
    return wrong(`the key is longer than ${maxKeyChars} characters`);
  return key;
}

const quoteShort = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);

/** Deeper nesting can be parsed, but would overflow the stack when serialized. */
const maxDepth = 500;

/**
 * Finds values that could not be returned unchanged: NUL and lone surrogates, integers beyond 2^53, and numbers that overflow.
 * Searches only lines that may contain them.
 */
export function findUnstorable(json: JsonObject, line: string): Rejection | null {
  if (line.length >= 2 * maxDepth && isTooDeep(json)) {
    return { code: "invalid_record", reason: `the record is nested more than ${maxDepth} levels deep` };
  }
  if (line.includes("\\u")) {
    const fault = findTextProblem(json);
    if (fault !== null) return fault;
  }
  return suspectNumber.test(line) ? findNumberProblem(line) : null;
}

/** Very long, or with a three-digit exponent. A number right after a quote, as in most ids, does not count. */
const suspectNumber = /[[:,\s]-?[\d.]*(?:\d{16}|\d[eE]\+?\d{3})/;

function isTooDeep(json: JsonObject): boolean {
  const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
  let level: object[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((value) => Object.values(value).filter(isContainer));
  }
  return false;
}

function findTextProblem(json: JsonObject): Rejection | null {
  const pending: Json[] = [json];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const inner = typeof value === "object" && value !== null ? value : null;
    const text =
      typeof value === "string" ? value : inner === null || Array.isArray(inner) ? "" : Object.keys(inner).join("\n");
    if (text.includes("\u0000")) {
      return { code: "invalid_text", reason: "a string contains the NUL character, which cannot be stored" };
    }
    if (!text.isWellFormed()) {
      return { code: "invalid_text", reason: "a string contains an unpaired surrogate, which is not a character" };
    }
    if (inner !== null) for (const part of Object.values(inner)) pending.push(part);
  }
  return null;
}

function findNumberProblem(line: string): Rejection | null {
  for (const written of findNumbers(line)) {
    if (losesPrecision(written)) {
      return {
        code: "number_not_exact",
        reason: `the number ${quoteShort(written)} is too large to store exactly; send it as a string`,
      };
    }
  }
  return null;
}

function losesPrecision(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return true;
  return /^-?\d+$/.test(written) && !Number.isSafeInteger(value) && BigInt(written) !== BigInt(value);
}

function* findNumbers(line: string): Generator<string> {
  for (let at = 0; at < line.length; ) {
    const quote = line.indexOf('"', at);
    const end = quote < 0 ? line.length : quote;
    for (const [number] of line.slice(at, end).matchAll(/-?\d[\d.eE+-]*/g)) yield number;
    at = quote < 0 ? end : findTextEnd(line, quote + 1);
  }
}

function findTextEnd(line: string, from: number): number {
  for (let end = line.indexOf('"', from); ; end = line.indexOf('"', end + 1)) {
    let slashes = 0;
    while (line[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
}
