import {
  connectionAt,
  ofConnection,
  type ScopedConnection,
  type StreamScope,
  table,
  visible,
} from "../access/scope.ts";
import { type Dialect, type Reading, theRow } from "../engine/engine.ts";
import { indexText } from "../engine/index-text.ts";
import { all, atMost, raw, sql } from "../engine/sql.ts";
import { type Stored, seenChanges } from "./record-changes.ts";

/** A record at one of its versions, without its data: that may be of any size. */
export interface RecordHead {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly version: number;
  /** As the scope counts it. */
  readonly revision: number;
  readonly emittedAt: number;
  readonly bytes: number;
  readonly from: "current" | "history";
}

interface HeadRow extends Stored {
  key: string;
  long_key: string | null;
  bytes: number;
}

// The engines know the size of a stored text without reading it; its length in characters they do not.
const columns = raw("key, long_key, version, revision, emitted_at, changes, octet_length(data) AS bytes");

function headOf(scope: StreamScope, row: HeadRow, from: RecordHead["from"]): RecordHead {
  const { key, long_key, version, bytes } = row;
  const { revision, emittedAt } = seenChanges(scope, row);
  return { connection: connectionAt(scope), key: long_key ?? key, version, revision, emittedAt, bytes, from };
}

/** The record as it is, if the scope lets it through. */
export async function currentHead(
  on: Reading,
  dialect: Dialect,
  scope: StreamScope,
  key: string,
): Promise<RecordHead | undefined> {
  const connection = connectionAt(scope);
  const here = [ofConnection(scope, connection), sql`key = ${indexText(key)}`, ...visible(scope, [], dialect)];
  const row = await on.one<HeadRow>(sql`SELECT ${columns} FROM ${table(scope)} WHERE ${all(here)}`);
  return row && headOf(scope, row, "current");
}

/** So many earlier versions of a record are looked at for one that a window is bound to. */
const mostEarlier = 10_000;

/** The record as it was at one of its revisions. Whether the scope lets that through is for the caller to ask of its data. */
export async function earlierHead(
  on: Reading,
  scope: StreamScope,
  key: string,
  revision: number,
): Promise<RecordHead | undefined> {
  // A scope counts no more changes than there were.
  const rows =
    await on.all<HeadRow>(sql`SELECT ${columns} FROM record_history WHERE ${ofConnection(scope, connectionAt(scope))}
    AND stream_no = ${scope.stream.streamNo} AND key = ${indexText(key)} AND revision >= ${revision} AND data IS NOT NULL
    ORDER BY version ${atMost(mostEarlier)}`);
  // A first state says nothing of its time: where it is outside the scope, a later one counts the same, and is the one.
  const row = rows.findLast((each) => {
    const seen = seenChanges(scope, each);
    return seen.isThere && seen.revision === revision;
  });
  return row && headOf(scope, row, "history");
}

/** The newest earlier states that the scope tells apart from the current one and from each other, newest first. */
export async function earlierHeads(
  on: Reading,
  scope: StreamScope,
  current: RecordHead,
  most: number,
): Promise<RecordHead[]> {
  const rows =
    await on.all<HeadRow>(sql`SELECT ${columns} FROM record_history WHERE ${ofConnection(scope, current.connection)}
    AND stream_no = ${scope.stream.streamNo} AND key = ${indexText(current.key)} AND data IS NOT NULL
    ORDER BY version DESC ${atMost(mostListed)}`);
  const byRevision = new Map<number, RecordHead>();
  for (const row of rows) {
    const { isThere, revision } = seenChanges(scope, row);
    const isOther = isThere && revision < current.revision && !byRevision.has(revision);
    if (isOther) byRevision.set(revision, headOf(scope, row, "history"));
  }
  return [...byRevision.values()].sort((a, b) => b.revision - a.revision).slice(0, most);
}

/** Of a record that changed more often, the newest of its states are looked at. */
const mostListed = 500;

export async function dataOf(on: Reading, scope: StreamScope, head: RecordHead): Promise<string> {
  const here = sql`${ofConnection(scope, head.connection)} AND key = ${indexText(head.key)} AND version = ${head.version}`;
  const { data } = await theRow<{ data: string }>(
    on,
    head.from === "current"
      ? sql`SELECT data FROM ${table(scope)} WHERE ${here}`
      : sql`SELECT data FROM record_history WHERE ${here} AND stream_no = ${scope.stream.streamNo}`,
  );
  return data;
}
