import { encodeColumnValues, fixedColumns, listColumns } from "../catalog/layout.ts";
import { type Column, defineColumns } from "../engine/engine.ts";
import type { SqlValue } from "../engine/sql.ts";
import type { Created, RecordWrite, Updated, WriteTarget } from "./classify-writes.ts";
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
  const place = [target.ownerNo, target.stream.streamNo, target.connectionNo];
  const rows = writes.flatMap((write): SqlValue[][] => {
    if (write.outcome !== "updated" && write.outcome !== "deleted") return [];
    const { key, version, before } = write;
    const { long_key, revision, emitted_at, changes, data } = before;
    // In the order of the columns, from `version` on.
    const replaced = [before.version, revision, version, emitted_at, now, null, changes, data];
    const tombstone = [version, write.revision, null, write.record.emittedAt, null, now, write.changes, null];
    const states = write.outcome === "deleted" ? [replaced, tombstone] : [replaced];
    return states.map((state) => [...place, key, long_key, ...state]);
  });
  return { columns: historyColumns, rows };
}

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
  { ownerNo, connectionNo }: WriteTarget,
  { record, key, version, before, revision, changes }: Created | Updated,
): RowOf<typeof fixedColumns> => ({
  owner_no: ownerNo,
  connection_no: connectionNo,
  key,
  long_key: key === record.key ? null : record.key,
  version,
  revision,
  emitted_at: record.emittedAt,
  changes,
  doc: before === undefined ? null : getDocId(before),
  data: record.text,
});
