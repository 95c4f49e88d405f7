import type { Reading } from "./engine.ts";
import { type StreamScope, table } from "./scope.ts";
import { raw, sql } from "./sql.ts";

export interface FoundRecord {
  readonly doc: number;
  readonly connectionNo: number;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: string;
}

/** The records behind the hits of one stream. */
export async function foundRecords(
  on: Reading,
  scope: StreamScope,
  docs: readonly number[],
): Promise<Map<number, FoundRecord>> {
  if (docs.length === 0) return new Map();
  const rows = await on.all<{
    connection_no: number;
    key: string;
    long_key: string | null;
    version: number;
    revision: number;
    emitted_at: number;
    data: string;
  }>(
    sql`SELECT connection_no, key, long_key, version, revision, emitted_at, data FROM ${table(scope)} WHERE owner_no = ${scope.ownerNo}
      AND connection_no IN (${raw(scope.connections.map(({ no }) => no).join(", "))}) AND version IN (${raw(docs.join(", "))})`,
  );
  return new Map(
    rows.map((row) => [
      row.version,
      {
        doc: row.version,
        connectionNo: row.connection_no,
        key: row.long_key ?? row.key,
        revision: row.revision,
        emittedAt: row.emitted_at,
        data: row.data,
      },
    ]),
  );
}
