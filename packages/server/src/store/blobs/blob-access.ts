import {
  matchConnection,
  matchConnections,
  matchVisible,
  type ScopedConnection,
  type StreamScope,
  table,
} from "../access/scope.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { joinAnd, limitRows, raw, type Sql, sql } from "../engine/sql.ts";
import { loadBlobMetadata, type StoredBlob } from "./blobs.ts";

/** Which blobs a scope may read: those that a visible record refers to in a readable field. */

export async function findConnectionsUsing(
  on: ReadTransaction,
  scope: StreamScope,
  blobId: string,
): Promise<ScopedConnection[]> {
  const users = selectUsers(on, scope, blobId);
  if (users === undefined) return [];
  const rows = await on.all<{ connection_no: number }>(sql`SELECT DISTINCT connection_no FROM ${users}`);
  return scope.connections.filter(({ no }) => rows.some((row) => row.connection_no === no));
}

export async function findVersionsUsing(
  on: ReadTransaction,
  scope: StreamScope,
  blobId: string,
  most: number,
): Promise<number[]> {
  const users = selectUsers(on, scope, blobId);
  if (users === undefined) return [];
  const rows = await on.all<{ version: number }>(
    sql`SELECT DISTINCT version FROM ${users} ORDER BY version DESC ${limitRows(most)}`,
  );
  return rows.map(({ version }) => version);
}

/** The visible records that refer to the blob in a readable field; undefined if the scope may read no blob field. */
function selectUsers(on: ReadTransaction, scope: StreamScope, blobId: string): Sql | undefined {
  const fields = scope.stream.declaration.fields.filter(
    ({ blob, name }) => blob && (scope.fields === null || scope.fields.has(name)),
  );
  if (fields.length === 0) return undefined;
  const names = fields.map(({ name }) => name);
  return sql`(SELECT connection_no AS used_connection, key AS used_key FROM blob_use WHERE owner_no = ${scope.ownerNo}
      AND blob_id = ${toIndexText(blobId)} AND stream_no = ${scope.stream.streamNo} AND ${on.dialect.among(raw("field"), names)}) AS used
    JOIN ${table(scope)} ON connection_no = used_connection AND key = used_key
    WHERE ${joinAnd([matchConnections(scope), ...matchVisible(scope, [], on.dialect)])}`;
}

/** A blob that the record currently refers to in that field. The caller must have checked that the scope sees the record. */
export async function findBlobUsedBy(
  on: ReadTransaction,
  scope: StreamScope,
  { connection, key }: { readonly connection: ScopedConnection; readonly key: string },
  field: string,
  blobId: string,
): Promise<StoredBlob | undefined> {
  const used = await on.one(sql`SELECT 1 AS used FROM blob_use WHERE ${matchConnection(scope, connection)}
    AND blob_id = ${toIndexText(blobId)} AND stream_no = ${scope.stream.streamNo} AND key = ${toIndexText(key)} AND field = ${field}`);
  return used && loadBlobMetadata(on, scope.ownerNo, blobId);
}
