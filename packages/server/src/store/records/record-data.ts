import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { matchConnection, type ScopedConnection, type StreamScope, table } from "../access/scope.ts";
import { type ReadTransaction, requireRow } from "../engine/engine.ts";
import { parseJsonObject } from "../engine/json.ts";
import { raw, type Sql, sql } from "../engine/sql.ts";
import { chunkChars, type LongText, loadChunks, loadOutline, maxWholeRecordUnits } from "./long-text.ts";

/**
 * The data of records. Short data is read with its row. Long data is read separately, so that a page holds one long record at a
 * time, and only the long texts that are shown.
 */

/** Selects `data` if it is short. The engines know the size of a text without reading it. */
export const shortData: Sql = raw(`CASE WHEN octet_length(data) <= ${maxWholeRecordUnits} THEN data END AS data`);

export interface StoredData {
  readonly connection: ScopedConnection;
  readonly version: number;
  /** As stored; null if it is long. */
  readonly data: string | null;
}

export interface ReadData {
  readonly data: JsonObject;
  readonly longChars: number;
}

/** The size of long data, which the engines know without reading it. */
export async function loadDataBytes(
  on: ReadTransaction,
  scope: StreamScope,
  { connection, version }: StoredData,
): Promise<number> {
  const { bytes } = await requireRow<{ bytes: number }>(
    on,
    sql`SELECT octet_length(data) AS bytes FROM ${table(scope)}
      WHERE ${matchConnection(scope, connection)} AND version = ${version}`,
  );
  return bytes;
}

/** A page ends at this many characters of long texts, and its cursor continues. */
export const maxLongCharsPerPage = 4_000_000;

export async function readData(
  on: ReadTransaction,
  scope: StreamScope,
  { connection, version, data: short }: StoredData,
  isShown: (field: string) => boolean,
): Promise<ReadData> {
  if (short !== null) return { data: parseJsonObject(short), longChars: 0 };
  const place = { ownerNo: scope.ownerNo, connectionNo: connection.no };
  const outline = await loadOutline(on, place, version);
  if (outline === undefined) return readWholeRecord(on, scope, connection, version, isShown);
  let longChars = 0;
  for (const [textNo, { path, chars }] of outline.long.entries()) {
    const [field] = path;
    if (typeof field !== "string" || !isShown(field)) continue;
    const last = Math.ceil(chars / chunkChars) - 1;
    putText(outline.data, path, await loadChunks(on, place, version, textNo, 0, last));
    longChars += chars;
  }
  return { data: outline.data, longChars };
}

async function readWholeRecord(
  on: ReadTransaction,
  scope: StreamScope,
  connection: ScopedConnection,
  version: number,
  isShown: (field: string) => boolean,
): Promise<ReadData> {
  const row = await requireRow<{ data: string }>(
    on,
    sql`SELECT data FROM ${table(scope)} WHERE ${matchConnection(scope, connection)} AND version = ${version}`,
  );
  const data = parseJsonObject(row.data);
  const shown = Object.entries(data).filter(([name]) => isShown(name));
  return { data, longChars: shown.reduce((sum, [, value]) => sum + (JSON.stringify(value)?.length ?? 0), 0) };
}

function putText(data: JsonObject, path: LongText["path"], text: string): void {
  let held: Json | undefined = data;
  for (const step of path.slice(0, -1)) held = getStep(held, step);
  const last = path.at(-1);
  if (Array.isArray(held) && typeof last === "number") held[last] = text;
  else if (typeof held === "object" && held !== null && !Array.isArray(held) && typeof last === "string")
    Object.defineProperty(held, last, { value: text, enumerable: true, configurable: true, writable: true });
}

function getStep(held: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(held)) return typeof step === "number" ? held[step] : undefined;
  return typeof held === "object" && held !== null && Object.hasOwn(held, step) ? held[step] : undefined;
}
