import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { countChars, toUnitIndex } from "@pdpp/evidence/text/text";
import { defineColumns, type ReadTransaction, type WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { type SqlValue, sql } from "../engine/sql.ts";

/**
 * Long texts are also stored in chunks, so that a part can be read without the whole record. A long record has an outline (the
 * record without its long texts) and a row per chunk, under the version they arrived with.
 */

/** Longer records are read in parts. In UTF-16 units, which never outnumber the bytes of a text. */
export const maxWholeRecordUnits = 65_536;
const minLongTextUnits = 8192;
export const chunkChars = 8192;
const batchRows = 256;

export interface LongText {
  readonly path: readonly (string | number)[];
  readonly chars: number;
}

export interface Outline {
  readonly data: JsonObject;
  readonly long: readonly LongText[];
}

export interface NewVersion {
  readonly version: number;
  readonly data: JsonObject;
  /** `data` as stored. */
  readonly text: string;
}

interface Place {
  readonly ownerNo: number;
  readonly connectionNo: number;
}

const recordColumns = defineColumns(
  "owner_no integer, connection_no integer, version integer, stream_no integer, outline text",
);

const textColumns = defineColumns(
  "owner_no integer, connection_no integer, version integer, text_no integer, n integer, chars text",
);

export async function insertLongTexts(
  on: WriteTransaction,
  { ownerNo, connectionNo, stream }: Place & { readonly stream: { readonly streamNo: number } },
  versions: readonly NewVersion[],
): Promise<void> {
  for (const { version, data, text } of versions) {
    if (text.length <= maxWholeRecordUnits) continue;
    const { outline, texts } = createOutline(data);
    if (texts.length === 0) continue;
    const place = [ownerNo, connectionNo, version];
    await on.insert("long_record", recordColumns, [[...place, stream.streamNo, JSON.stringify(outline)]]);
    const rows: SqlValue[][] = [];
    for (const [textNo, long] of texts.entries()) {
      let n = 0;
      for (const chunk of splitIntoChunks(long)) {
        rows.push([...place, textNo, n++, chunk]);
        if (rows.length === batchRows) await on.insert("long_text", textColumns, rows.splice(0));
      }
    }
    await on.insert("long_text", textColumns, rows);
  }
}

export function createOutline(data: JsonObject): { outline: Outline; texts: string[] } {
  const long: LongText[] = [];
  const texts: string[] = [];
  const stripLongTexts = (value: Json, path: readonly (string | number)[]): Json => {
    if (typeof value === "string") {
      if (value.length <= minLongTextUnits) return value;
      long.push({ path, chars: countChars(value) });
      texts.push(value);
      return "";
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item, i) => stripLongTexts(item, [...path, i]));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stripLongTexts(item, [...path, key])]));
  };
  return { outline: { data: stripLongTexts(data, []) as JsonObject, long }, texts };
}

export function* splitIntoChunks(text: string, chars = chunkChars): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const ahead = text.slice(from, from + 2 * chars);
    const end = toUnitIndex(ahead, chars);
    yield ahead.slice(0, end);
    from += end;
  }
}

/** Call it before deleting the history that ended before a time. */
export async function deleteLongTexts(on: WriteTransaction, ownerNo: number, before: number): Promise<void> {
  const gone = await on.all<{ connection_no: number; version: number }>(sql`SELECT l.connection_no, l.version
    FROM long_record AS l JOIN record_history AS h ON h.owner_no = l.owner_no AND h.stream_no = l.stream_no
      AND h.connection_no = l.connection_no AND h.version = l.version
    WHERE l.owner_no = ${ownerNo} AND h.ended_at < ${before}`);
  for (const { connection_no, version } of gone) {
    const here = sql`owner_no = ${ownerNo} AND connection_no = ${connection_no} AND version = ${version}`;
    await on.run(sql`DELETE FROM long_text WHERE ${here}`);
    await on.run(sql`DELETE FROM long_record WHERE ${here}`);
  }
}

export async function loadOutline(
  on: ReadTransaction,
  { ownerNo, connectionNo }: Place,
  version: number,
): Promise<Outline | undefined> {
  const row = await on.one<{ outline: string }>(sql`SELECT outline FROM long_record
    WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo} AND version = ${version}`);
  return row && parseStoredJson<Outline>(row.outline);
}

export async function loadChunks(
  on: ReadTransaction,
  { ownerNo, connectionNo }: Place,
  version: number,
  textNo: number,
  first: number,
  last: number,
): Promise<string> {
  const rows = await on.all<{ chars: string }>(sql`SELECT chars FROM long_text WHERE owner_no = ${ownerNo}
    AND connection_no = ${connectionNo} AND version = ${version} AND text_no = ${textNo} AND n >= ${first} AND n <= ${last}
    ORDER BY n`);
  return rows.map(({ chars }) => chars).join("");
}
