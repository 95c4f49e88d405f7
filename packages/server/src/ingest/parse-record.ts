import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { instantOf } from "@pdpp/contract/instant";
import { maxKeyChars, recordKey, writtenKey } from "@pdpp/contract/record-key";
import type { CatalogStream } from "../store/catalog.ts";
import type { IncomingRecord } from "../store/write-records.ts";

/** Why a line was not taken. */
export interface Refusal {
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

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks one line: a JSON object `{key?, data, emitted_at?, op?}` whose data is a record of the stream. */
export function parseRecord(stream: CatalogStream, line: string, now: number): IncomingRecord | Refusal {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (error) {
    return { code: "malformed_ndjson", reason: `not JSON: ${(error as Error).message}` };
  }
  if (!isObject(json)) return { code: "invalid_record", reason: "a line must be a JSON object with key and data" };
  const { op = "upsert", data = {}, emitted_at: emitted } = json;
  if (op !== "upsert" && op !== "delete") return { code: "invalid_record", reason: 'op must be "upsert" or "delete"' };
  if (!isObject(data) || (op === "upsert" && json.data === undefined))
    return { code: "invalid_record", reason: "data must be a JSON object" };
  const emittedAt =
    emitted === undefined || emitted === null ? now : typeof emitted === "string" ? instantOf(emitted) : null;
  if (emittedAt === null) return { code: "invalid_record", reason: "emitted_at must be a date or date-time" };
  const fault = unstorable(json, line);
  if (fault !== null) return fault;
  const key = identify(stream.declaration.primaryKey, json.key, data, op);
  if (typeof key !== "string") return key;
  if (op === "delete") return { key, op, data: {}, text: "{}", emittedAt };
  const violation = stream.check(data);
  if (violation !== null) return { code: "schema_violation", reason: violation };
  return { key, op, data, text: JSON.stringify(data), emittedAt };
}

function identify(
  primaryKey: readonly string[],
  said: Json | undefined,
  data: JsonObject,
  op: "upsert" | "delete",
): string | Refusal {
  const wrong = (reason: string): Refusal => ({ code: "invalid_record_identity", reason });
  const held = recordKey(primaryKey, data);
  const written = said === undefined || said === null ? null : writtenKey(said, primaryKey);
  if (said !== undefined && said !== null && written === null) {
    return wrong(
      primaryKey.length === 1 ? "key must be a text or a number" : `key must be the list of ${primaryKey.join(", ")}`,
    );
  }
  const key = written ?? held;
  if (key === null)
    return wrong(`data has no value for the primary key (${primaryKey.join(", ")}), and there is no key`);
  if (op === "upsert" && held === null)
    return wrong(`data has no value for the primary key (${primaryKey.join(", ")})`);
  if (held !== null && key !== held) return wrong(`key ${short(key)} is not the primary key of data, ${short(held)}`);
  if (key.length > maxKeyChars && Array.from(key).length > maxKeyChars)
    return wrong(`the key is longer than ${maxKeyChars} characters`);
  return key;
}

const short = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);

/**
 * Texts and numbers that could not be given back as they came: NUL and lone surrogates have no place in a database text, and
 * whole numbers beyond 2^53 would change. Only lines that can hold such a thing are searched.
 */
function unstorable(json: JsonObject, line: string): Refusal | null {
  const suspects = { text: line.includes("\\u"), number: /\d{16}/.test(line) };
  if (!suspects.text && !suspects.number) return null;
  const pending: Json[] = [json];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === "string" && suspects.text) {
      const fault = textFault(value);
      if (fault !== null) return fault;
    } else if (typeof value === "number" && suspects.number && changes(value, line)) {
      return {
        code: "number_not_exact",
        reason: `a whole number near ${value} is too large to be kept exactly; send it as a text`,
      };
    } else if (typeof value === "object" && value !== null) {
      if (!Array.isArray(value) && suspects.text) {
        const fault = textFault(Object.keys(value).join(""));
        if (fault !== null) return fault;
      }
      for (const inner of Object.values(value)) pending.push(inner);
    }
  }
  return null;
}

function textFault(text: string): Refusal | null {
  if (text.includes("\u0000"))
    return { code: "invalid_text", reason: "a text holds the NUL character, which cannot be stored" };
  if (!text.isWellFormed())
    return { code: "invalid_text", reason: "a text holds half of a surrogate pair, which is not a character" };
  return null;
}

const changes = (value: number, line: string): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21 && !line.includes(String(value));
