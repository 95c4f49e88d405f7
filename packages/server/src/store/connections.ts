import type { Reading, Writing } from "./engine.ts";
import { tableName } from "./layout.ts";
import { raw, sql } from "./sql.ts";

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
  const rows = await on.all<ConnectionRow>(sql`SELECT * FROM connection WHERE owner_no = ${ownerNo} ORDER BY connection_id`);
  return rows.map(connectionFrom);
}

export async function insertConnection(on: Writing, ownerNo: number, connection: Omit<Connection, "no">): Promise<void> {
  await on.run(sql`INSERT INTO connection (owner_no, connection_id, connector_key, label, created_at)
    VALUES (${ownerNo}, ${connection.id}, ${connection.connectorKey}, ${connection.label ?? null}, ${connection.createdAt})`);
}

/** Deletes a connection with all that came through it. */
export async function deleteConnection(on: Writing, ownerNo: number, connectionNo: number, streamNos: readonly number[]): Promise<void> {
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${connectionNo}`;
  const holders = [...streamNos.map(tableName), "record_history", "blob_use", "stream_stats", "connection"];
  for (const table of holders) await on.run(sql`DELETE FROM ${raw(table)} WHERE ${here}`);
}
