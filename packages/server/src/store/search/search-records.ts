import { type StreamScope, table } from "../access/scope.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { join, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import { computeVisibleChanges, type StoredState } from "../records/record-changes.ts";
import { shortData } from "../records/record-data.ts";

export interface FoundRecord {
  readonly doc: number;
  readonly version: number;
  readonly connectionNo: number;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  /** Null if the record is long. */
  readonly data: string | null;
}

interface FoundRow extends StoredState {
  readonly doc: number | null;
  readonly connection_no: number;
  readonly key: string;
  readonly long_key: string | null;
  readonly data: string | null;
}

const paddedSizes = [1, 2, 5, 10, 25, 50, 100];

/** Repeats the first document up to one of a few sizes, so that few different statements are prepared. */
function padDocs(docs: readonly number[]): Sql {
  const size = paddedSizes.find((n) => n >= docs.length) ?? docs.length;
  return join(
    Array.from({ length: size }, (_, n) => sql`${docs[n] ?? docs[0]!}`),
    ", ",
  );
}

export async function loadFoundRecords(
  on: ReadTransaction,
  scope: StreamScope,
  docs: readonly number[],
): Promise<Map<number, FoundRecord>> {
  if (docs.length === 0) return new Map();
  const selectBy = (column: "version" | "doc", isUsed: string) =>
    sql`SELECT connection_no, key, long_key, version, revision, emitted_at, changes, doc, ${shortData} FROM ${table(scope)}
      WHERE owner_no = ${scope.ownerNo} AND connection_no IN (${raw(scope.connections.map(({ no }) => no).join(", "))})
      AND ${raw(column)} IN (${padDocs(docs)}) AND doc ${raw(isUsed)}`;
  const rows = await on.all<FoundRow>(unionAll([selectBy("version", "IS NULL"), selectBy("doc", "IS NOT NULL")]));
  return new Map(
    rows.map((row) => {
      const { revision, emittedAt } = computeVisibleChanges(scope, row);
      const { connection_no: connectionNo, long_key, key, version, data } = row;
      const doc = row.doc ?? version;
      return [doc, { doc, version, connectionNo, key: long_key ?? key, revision, emittedAt, data }];
    }),
  );
}
