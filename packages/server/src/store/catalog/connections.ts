import type { Reading, Writing } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import { removeConnectionWords } from "../search/word-index.ts";
import { type StreamRow, searchPlans } from "./catalog-rows.ts";
import { tableName } from "./layout.ts";

export interface Connection {
  readonly no: number;
  readonly id: string;
  readonly connectorKey: string;
  readonly label?: string;
  readonly createdAt: number;
}

interface ConnectionRow {
  connection_no: number;
  connection_id: string;
  connector_key: string;
  label: string | null;
  created_at: number;
}

const connectionFrom = (row: ConnectionRow): Connection => ({
  no: row.connection_no,
  id: row.connection_id,
  connectorKey: row.connector_key,
  ...(row.label === null ? {} : { label: row.label }),
  createdAt: row.created_at,
});

export async function connections(on: Reading, ownerNo: number): Promise<Connection[]> {
  const rows = await on.allCached<ConnectionRow>(
    sql`SELECT * FROM connection WHERE owner_no = ${ownerNo} AND removed_at IS NULL ORDER BY connection_id`,
  );
  return rows.map(connectionFrom);
}

export async function insertConnection(
  on: Writing,
  ownerNo: number,
  connection: Omit<Connection, "no">,
): Promise<void> {
  await on.run(sql`INSERT INTO connection (owner_no, connection_id, connector_key, label, created_at)
    VALUES (${ownerNo}, ${connection.id}, ${connection.connectorKey}, ${connection.label ?? null}, ${connection.createdAt})`);
}

/** Whether an id is in use, or was: an old grant must never come to mean a new connection, so ids are given once. */
export async function isIdTaken(on: Reading, ownerNo: number, id: string): Promise<boolean> {
  const row = await on.one(
    sql`SELECT connection_no FROM connection WHERE owner_no = ${ownerNo} AND connection_id = ${id}`,
  );
  return row !== undefined;
}

/** Whether the connection is still there, for a writer that has known it for a while. */
export async function hasConnection(on: Reading, ownerNo: number, connectionNo: number): Promise<boolean> {
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${connectionNo}`;
  return (await on.one(sql`SELECT connection_no FROM connection WHERE ${here} AND removed_at IS NULL`)) !== undefined;
}

/** Deletes all that came through a connection, streams included that its connector no longer declares; only its id stays taken. */
export async function deleteConnection(
  on: Writing,
  ownerNo: number,
  connection: Connection,
  now: number,
): Promise<void> {
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${connection.no}`;
  const streams = await on.all<StreamRow>(
    sql`SELECT * FROM stream WHERE stream_no IN (SELECT stream_no FROM stream_stats WHERE ${here}) ORDER BY stream_no`,
  );
  const tables = streams.map(({ stream_no }) => tableName(stream_no));
  const kept = ["record_history", "long_record", "long_text", "blob_use", "stream_stats"];
  for (const table of [...tables, ...kept, "import_record", "import_aside", "import_part"]) {
    await on.run(sql`DELETE FROM ${raw(table)} WHERE ${here}`);
  }
  for (const stream of streams) {
    for (const plan of searchPlans(stream)) await removeConnectionWords(on, plan, ownerNo, connection.no);
    await noteWordsRemoved(on, stream.stream_no);
  }
  await on.run(sql`UPDATE connection SET removed_at = ${now}, label = NULL WHERE ${here}`);
}
