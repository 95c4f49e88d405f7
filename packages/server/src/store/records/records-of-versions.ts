import { getConnection, matchConnection, matchConnections, type StreamScope, table } from "../access/scope.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { joinAnd, limitRows, type Sql, sql } from "../engine/sql.ts";

/** Finds records by version. A version is used once, so it identifies a record as long as its history is kept. */

export interface RecordPlace {
  readonly connectionId: string;
  readonly stream: string;
  readonly key: string;
}

const matchStream = (scope: StreamScope): Sql => sql`stream_no = ${scope.stream.streamNo}`;

/** The records of a stream that have or had one of these versions. Only for unlimited scopes: it checks no limits. */
export async function findRecordsByVersion(
  on: ReadTransaction,
  scope: StreamScope,
  versions: readonly number[],
): Promise<Map<number, RecordPlace>> {
  const found = new Map<number, RecordPlace>();
  // A stream without records has no indexes.
  if (!scope.stream.isBuilt || versions.length === 0) return found;
  const here = [matchConnections(scope), on.dialect.amongNumbers("version", versions)];
  const rows = await on.all<{ connection_no: number; version: number; key: string; long_key: string | null }>(
    sql`SELECT connection_no, version, key, long_key FROM ${table(scope)} WHERE ${joinAnd(here)} UNION ALL
      SELECT connection_no, version, key, long_key FROM record_history WHERE ${joinAnd([...here, matchStream(scope)])}`,
  );
  const ids = new Map(scope.connections.map(({ no, id }) => [no, id]));
  for (const { connection_no, version, key, long_key } of rows) {
    const connectionId = ids.get(connection_no);
    if (connectionId !== undefined)
      found.set(version, { connectionId, stream: scope.stream.declaration.name, key: long_key ?? key });
  }
  return found;
}

/** Only the newest versions. */
const maxVersions = 10_000;

export async function listRecordVersions(on: ReadTransaction, scope: StreamScope, key: string): Promise<number[]> {
  const here = sql`${matchConnection(scope, getConnection(scope))} AND key = ${toIndexText(key)}`;
  const rows = await on.all<{ version: number }>(
    sql`SELECT version FROM ${table(scope)} WHERE ${here}
      UNION ALL SELECT version FROM record_history WHERE ${here} AND ${matchStream(scope)}
      ORDER BY version DESC ${limitRows(maxVersions)}`,
  );
  return rows.map(({ version }) => version);
}
