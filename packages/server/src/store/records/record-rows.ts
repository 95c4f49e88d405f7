import { encodeColumnValues, fixedColumns, listColumns } from "../catalog/layout.ts";
import { type Column, defineColumns } from "../engine/engine.ts";
import type { SqlValue } from "../engine/sql.ts";
import type { Created, Deleted, RecordWrite, Updated, WriteTarget } from "./classify-writes.ts";
import { getDocId } from "./update-words.ts";

const historyColumns = defineColumns(
  "owner_no integer, stream_no integer, connection_no integer, key text, long_key text, version integer",
  "revision integer, until_version integer, emitted_at number, ended_at number, deleted_at number, changes text",
  "data text",
);

type RowOf<C extends readonly Column[]> = Readonly<Record<C[number]["name"], SqlValue>>;

export interface RowsToInsert {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** The states that updates and deletions replace, and the tombstones of deletions. */
export function buildHistoryRows(target: WriteTarget, writes: readonly RecordWrite[], now: number): RowsToInsert {
  const rows = writes.flatMap((write): RowOf<typeof historyColumns>[] => {
    if (write.outcome === "updated") return [buildSupersededRow(target, write, now)];
    if (write.outcome === "deleted")
      return [buildSupersededRow(target, write, now), buildTombstoneRow(target, write, now)];
    return [];
  });
  return { columns: historyColumns, rows: rows.map((row) => historyColumns.map(({ name }) => row[name])) };
}

const buildSupersededRow = (target: WriteTarget, { key, version, before }: Updated | Deleted, now: number) => ({
  owner_no: target.ownerNo,
  stream_no: target.stream.streamNo,
  connection_no: target.connectionNo,
  key,
  long_key: before.long_key,
  version: before.version,
  revision: before.revision,
  until_version: version,
  emitted_at: before.emitted_at,
  ended_at: now,
  deleted_at: null,
  changes: before.changes,
  data: before.data,
});

const buildTombstoneRow = (target: WriteTarget, { key, version, before, ...write }: Deleted, now: number) => ({
  owner_no: target.ownerNo,
  stream_no: target.stream.streamNo,
  connection_no: target.connectionNo,
  key,
  long_key: before.long_key,
  version,
  revision: write.revision,
  until_version: null,
  emitted_at: write.record.emittedAt,
  ended_at: null,
  deleted_at: now,
  changes: write.changes,
  data: null,
});

export function buildRecordRows(target: WriteTarget, writes: readonly (Created | Updated)[]): RowsToInsert {
  const { writtenColumns } = target.stream;
  return {
    columns: [...fixedColumns, ...listColumns(writtenColumns)],
    rows: writes.map((write) => {
      const row = buildRecordRow(target, write);
      return [...fixedColumns.map(({ name }) => row[name]), ...encodeColumnValues(writtenColumns, write.record.data)];
    }),
  };
}

const buildRecordRow = (
  target: WriteTarget,
  { record, key, version, before, revision, changes }: Created | Updated,
): RowOf<typeof fixedColumns> => ({
  owner_no: target.ownerNo,
  connection_no: target.connectionNo,
  key,
  long_key: key === record.key ? null : record.key,
  version,
  revision,
  emitted_at: record.emittedAt,
  changes,
  doc: before === undefined ? null : getDocId(before),
  data: record.text,
});
