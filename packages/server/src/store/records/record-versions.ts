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
import { all, raw, sql } from "../engine/sql.ts";

/** A record at one of its versions, without its data: that may be of any size. */
export interface RecordHead {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly version: number;
  readonly revision: number;
  readonly emittedAt: number;
  readonly bytes: number;
  readonly from: "current" | "history";
}

interface HeadRow {
  key: string;
  long_key: string | null;
  version: number;
  revision: number;
  emitted_at: number;
  bytes: number;
}

// The engines know the size of a stored text without reading it; its length in characters they do not.
const columns = raw("key, long_key, version, revision, emitted_at, octet_length(data) AS bytes");

const headOf = (connection: ScopedConnection, row: HeadRow, from: RecordHead["from"]): RecordHead => ({
  connection,
  key: row.long_key ?? row.key,
  version: row.version,
  revision: row.revision,
  emittedAt: row.emitted_at,
  bytes: row.bytes,
  from,
});

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
  return row && headOf(connection, row, "current");
}

/** The record as it was at one of its revisions. Whether the scope lets that through is for the caller to ask of its data. */
export async function earlierHead(
  on: Reading,
  scope: StreamScope,
  key: string,
  revision: number,
): Promise<RecordHead | undefined> {
  const connection = connectionAt(scope);
  const row = await on.one<HeadRow>(sql`SELECT ${columns} FROM record_history WHERE ${ofConnection(scope, connection)}
    AND stream_no = ${scope.stream.streamNo} AND key = ${indexText(key)} AND revision = ${revision} AND data IS NOT NULL`);
  return row && headOf(connection, row, "history");
}

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
