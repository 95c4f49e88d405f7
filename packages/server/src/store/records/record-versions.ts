import { keepStatement, replaceLastValue } from "../access/kept-statements.ts";
import {
  getConnection,
  matchConnection,
  matchVisibleKey,
  type ScopedConnection,
  type StreamScope,
  table,
} from "../access/scope.ts";
import { type ReadTransaction, requireRow } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { limitRows, raw, sql } from "../engine/sql.ts";
import { computeVisibleChanges, type StoredState } from "./record-changes.ts";

/** A record at one of its versions, without its data, which may have any size. */
export interface RecordHead {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly version: number;
  /** As counted for the scope. */
  readonly revision: number;
  readonly emittedAt: number;
  readonly bytes: number;
  readonly from: "current" | "history";
}

interface HeadRow extends StoredState {
  key: string;
  long_key: string | null;
  bytes: number;
}

// The engines know the size of a stored text without reading it, but not its length in characters.
const columns = raw("key, long_key, version, revision, emitted_at, changes, octet_length(data) AS bytes");

function createHead(scope: StreamScope, row: HeadRow, from: RecordHead["from"]): RecordHead {
  const { key, long_key, version, bytes } = row;
  const { revision, emittedAt } = computeVisibleChanges(scope, row);
  return { connection: getConnection(scope), key: long_key ?? key, version, revision, emittedAt, bytes, from };
}

export async function findCurrentHead(
  on: ReadTransaction,
  scope: StreamScope,
  key: string,
): Promise<RecordHead | undefined> {
  const statement = keepStatement(
    scope,
    "head",
    () => sql`SELECT ${columns} FROM ${table(scope)} WHERE ${matchVisibleKey(on.dialect, scope)}`,
  );
  const row = await on.one<HeadRow>(replaceLastValue(statement, toIndexText(key)));
  return row && createHead(scope, row, "current");
}

/** Versions scanned to find the one that a window is bound to. */
const maxEarlierVersions = 10_000;

/** The record at one of its revisions. The caller must check with its data whether the scope sees it. */
export async function findEarlierHead(
  on: ReadTransaction,
  scope: StreamScope,
  key: string,
  revision: number,
): Promise<RecordHead | undefined> {
  // A scope never counts more changes than there were.
  const rows =
    await on.all<HeadRow>(sql`SELECT ${columns} FROM record_history WHERE ${matchConnection(scope, getConnection(scope))}
    AND stream_no = ${scope.stream.streamNo} AND key = ${toIndexText(key)} AND revision >= ${revision} AND data IS NOT NULL
    ORDER BY version ${limitRows(maxEarlierVersions)}`);
  // The first state does not record its consent time. If it is outside the scope, a later state has the same revision, and is the
  // right one.
  const row = rows.findLast((each) => {
    const seen = computeVisibleChanges(scope, each);
    return seen.isThere && seen.revision === revision;
  });
  return row && createHead(scope, row, "history");
}

/** The newest earlier states that differ in revision for the scope, newest first. */
export async function listEarlierHeads(
  on: ReadTransaction,
  scope: StreamScope,
  current: RecordHead,
  most: number,
): Promise<RecordHead[]> {
  const rows =
    await on.all<HeadRow>(sql`SELECT ${columns} FROM record_history WHERE ${matchConnection(scope, current.connection)}
    AND stream_no = ${scope.stream.streamNo} AND key = ${toIndexText(current.key)} AND data IS NOT NULL
    ORDER BY version DESC ${limitRows(maxListedStates)}`);
  const byRevision = new Map<number, RecordHead>();
  for (const row of rows) {
    const { isThere, revision } = computeVisibleChanges(scope, row);
    const isOther = isThere && revision < current.revision && !byRevision.has(revision);
    if (isOther) byRevision.set(revision, createHead(scope, row, "history"));
  }
  return [...byRevision.values()].sort((a, b) => b.revision - a.revision).slice(0, most);
}

/** Only this many of a record's newest states are scanned. */
const maxListedStates = 500;

export async function loadData(on: ReadTransaction, scope: StreamScope, head: RecordHead): Promise<string> {
  const here = sql`${matchConnection(scope, head.connection)} AND key = ${toIndexText(head.key)} AND version = ${head.version}`;
  const { data } = await requireRow<{ data: string }>(
    on,
    head.from === "current"
      ? sql`SELECT data FROM ${table(scope)} WHERE ${here}`
      : sql`SELECT data FROM record_history WHERE ${here} AND stream_no = ${scope.stream.streamNo}`,
  );
  return data;
}
