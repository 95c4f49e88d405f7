import { type StreamScope, table } from "../access/scope.ts";
import type { Reading } from "../engine/engine.ts";
import { join, raw, type Sql, sql } from "../engine/sql.ts";

export interface FoundRecord {
  readonly doc: number;
  readonly connectionNo: number;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: string;
}

const paddedSizes = [1, 2, 5, 10, 25, 50, 100];

/** As many parameters as one of a few sizes has, so that there are few different statements to prepare. */
function padded(docs: readonly number[]): Sql {
  const size = paddedSizes.find((n) => n >= docs.length) ?? docs.length;
  return join(
    Array.from({ length: size }, (_, n) => sql`${docs[n] ?? docs[0]!}`),
    ", ",
  );
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
      AND connection_no IN (${raw(scope.connections.map(({ no }) => no).join(", "))}) AND version IN (${padded(docs)})`,
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
