import type { Engine, Reading } from "../engine/engine.ts";
import { all, atMost, sql } from "../engine/sql.ts";

/** What was read, by whom, under which grant: never the data itself. */

export interface AccessEntry {
  readonly ownerNo: number;
  readonly at: number;
  readonly requestId: string;
  readonly client: string;
  readonly grantIds: readonly string[];
  readonly operation: string;
  readonly connectionIds: readonly string[];
  readonly stream: string | null;
  readonly status: number;
  readonly records: number;
  readonly bytes: number;
}

export interface AccessLog {
  note(entry: AccessEntry): void;
  flush(): Promise<void>;
}

const flushAfterMs = 200;
const flushAtEntries = 500;

/** Entries are written in batches, a moment after the answer went out. */
export function accessLog(engine: Engine, onFault: (error: unknown) => void): AccessLog {
  let waiting: AccessEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) writing = writing.then(() => write(engine, entries)).catch(onFault);
    return writing;
  };
  return {
    note(entry) {
      waiting.push(entry);
      if (waiting.length >= flushAtEntries) void flush();
      else timer ??= setTimeout(() => void flush(), flushAfterMs).unref();
    },
    flush,
  };
}

const columns = [
  { name: "owner_no", type: "integer" },
  { name: "at", type: "number" },
  { name: "request_id", type: "text" },
  { name: "client", type: "text" },
  { name: "grant_ids", type: "text" },
  { name: "operation", type: "text" },
  { name: "connection_ids", type: "text" },
  { name: "stream", type: "text" },
  { name: "status", type: "integer" },
  { name: "records", type: "integer" },
  { name: "bytes", type: "integer" },
] as const;

async function write(engine: Engine, entries: readonly AccessEntry[]): Promise<void> {
  await engine.write((on) =>
    on.insert(
      "access_log",
      columns,
      entries.map((e) => [
        e.ownerNo,
        e.at,
        e.requestId,
        e.client,
        JSON.stringify(e.grantIds),
        e.operation,
        JSON.stringify(e.connectionIds),
        e.stream,
        e.status,
        e.records,
        e.bytes,
      ]),
    ),
  );
}

export interface LoggedAccess extends AccessEntry {
  readonly entryNo: number;
}

interface LogRow {
  entry_no: number;
  at: number;
  request_id: string;
  client: string;
  grant_ids: string;
  operation: string;
  connection_ids: string;
  stream: string | null;
  status: number;
  records: number;
  bytes: number;
}

/** Entries in order: the newest `limit`, or, with `after`, those that came behind that entry. */
export async function readAccessLog(
  on: Reading,
  ownerNo: number,
  query: { readonly grantId?: string; readonly after?: number; readonly limit: number },
): Promise<LoggedAccess[]> {
  const conditions = [sql`owner_no = ${ownerNo}`];
  if (query.after !== undefined) conditions.push(sql`entry_no > ${query.after}`);
  if (query.grantId !== undefined)
    conditions.push(sql`replace(grant_ids, ${JSON.stringify(query.grantId)}, '') <> grant_ids`);
  const newestFirst = query.after === undefined;
  const rows = await on.all<LogRow>(
    newestFirst
      ? sql`SELECT * FROM access_log WHERE ${all(conditions)} ORDER BY entry_no DESC ${atMost(query.limit)}`
      : sql`SELECT * FROM access_log WHERE ${all(conditions)} ORDER BY entry_no ${atMost(query.limit)}`,
  );
  if (newestFirst) rows.reverse();
  return rows.map((row) => ({
    entryNo: row.entry_no,
    ownerNo,
    at: row.at,
    requestId: row.request_id,
    client: row.client,
    grantIds: JSON.parse(row.grant_ids),
    operation: row.operation,
    connectionIds: JSON.parse(row.connection_ids),
    stream: row.stream,
    status: row.status,
    records: row.records,
    bytes: row.bytes,
  }));
}
