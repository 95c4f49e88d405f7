import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";

export interface Connection {
  readonly no: number;
  readonly id: string;
  readonly connectorKey: string;
  readonly label?: string;
  readonly createdAt: number;
}

export async function listConnections(on: ReadTransaction, ownerNo: number): Promise<Connection[]> {
  const rows = await on.allCached<Omit<Connection, "label"> & { readonly label: string | null }>(
    sql`SELECT connection_no AS no, connection_id AS id, connector_key AS "connectorKey", label, created_at AS "createdAt"
      FROM connection WHERE owner_no = ${ownerNo} AND removed_at IS NULL ORDER BY connection_id`,
  );
  return rows.map(({ label, ...connection }) => (label === null ? connection : { ...connection, label }));
}

export async function insertConnection(
  on: WriteTransaction,
  ownerNo: number,
  connection: Omit<Connection, "no">,
): Promise<void> {
  await on.run(sql`INSERT INTO connection (owner_no, connection_id, connector_key, label, created_at)
    VALUES (${ownerNo}, ${connection.id}, ${connection.connectorKey}, ${connection.label ?? null}, ${connection.createdAt})`);
}

/** Whether an id is or was in use. Ids are never reused, so that an old grant cannot apply to a new connection. */
export async function isIdTaken(on: ReadTransaction, ownerNo: number, id: string): Promise<boolean> {
  const row = await on.one(
    sql`SELECT connection_no FROM connection WHERE owner_no = ${ownerNo} AND connection_id = ${id}`,
  );
  return row !== undefined;
}

/** For a writer that looked the connection up earlier. */
export async function hasConnection(on: ReadTransaction, ownerNo: number, connectionNo: number): Promise<boolean> {
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${connectionNo}`;
  return (await on.one(sql`SELECT connection_no FROM connection WHERE ${here} AND removed_at IS NULL`)) !== undefined;
}

/**
 * Hides the connection from all readers and writers; its id stays taken. Returns its number of records, which `clearConnectionStep`
 * deletes.
 */
export async function hideConnection(
  on: WriteTransaction,
  ownerNo: number,
  { no }: Connection,
  now: number,
): Promise<number> {
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${no}`;
  await on.run(sql`UPDATE connection SET removed_at = ${now}, label = NULL WHERE ${here}`);
  const held = await on.all<{ record_count: number }>(sql`SELECT record_count FROM stream_stats WHERE ${here}`);
  return held.reduce((sum, { record_count }) => sum + record_count, 0);
}

export async function renameConnection(
  on: WriteTransaction,
  ownerNo: number,
  { no }: Connection,
  label: string,
): Promise<void> {
  await on.run(sql`UPDATE connection SET label = ${label} WHERE owner_no = ${ownerNo} AND connection_no = ${no}`);
}
