import { setTimeout as wait } from "node:timers/promises";
import { isoOf } from "@pdpp/contract/instant";
import { type LoggedAccess, readAccessLog } from "@pdpp/server/store/access/access-log";
import type { Reading } from "@pdpp/server/store/engine/engine";
import type { Store } from "@pdpp/server/store/store";
import type { Command } from "commander";
import { type Call, command, does, wholeNumber } from "../command.ts";
import { grantsNamed } from "../grants.ts";
import type { Output } from "../output.ts";
import { harmless } from "../render/style.ts";
import { table } from "../render/table.ts";
import { ownerNo, withVault } from "../vault.ts";

const pollMs = 500;
const followBatch = 1000;

interface LogOptions {
  readonly grant?: string;
  readonly follow?: boolean;
  readonly limit: number;
}

export function addLog(program: Command): void {
  const log = command(program, "log", "What was read, by whom, under which grant", [
    "pdpp log --limit 20",
    "pdpp log --grant grt_Tz1mPq0aVb3cXy4d --follow",
  ])
    .option("--grant <id>", "only reads under that grant")
    .option("--follow", "go on with what is read from now on; with --json one JSON object a line")
    .option("--limit <n>", "how many of the newest entries", wholeNumber(1, 100_000), 50);
  does(log, ({ options, out, location }: Call<LogOptions>) =>
    withVault(location, async (store) => {
      const query = await store.engine.read((on) => queryFor(on, options.grant));
      const newest = await store.engine.read((on) => readAccessLog(on, ownerNo, { ...query, limit: options.limit }));
      if (options.follow) return follow(store, out, query, newest);
      const data = newest.map(entryDocument);
      out.result({ object: "list", data }, (style) =>
        data.length === 0 ? "nothing was read yet" : table(style, heads, newest.map(cells)),
      );
    }),
  );
}

/** A name that is not right would look like a grant under which nothing was read. A package reads under all its grants. */
async function queryFor(on: Reading, id: string | undefined): Promise<{ grantId?: string }> {
  return id === undefined ? {} : { grantId: (await grantsNamed(on, id))[0]!.grant_id };
}

const heads = ["TIME", "CLIENT", "OPERATION", "STREAM", "CONNECTIONS", "STATUS", "RECORDS", "BYTES", "GRANTS"];

const cells = (entry: LoggedAccess): string[] => [
  isoOf(entry.at),
  entry.client,
  entry.operation,
  entry.stream ?? "-",
  entry.connectionIds.join(",") || "-",
  String(entry.status),
  String(entry.records),
  String(entry.bytes),
  grantsOf(entry.grantIds),
];

const entryDocument = (entry: LoggedAccess) => ({
  object: "access" as const,
  entry: entry.entryNo,
  at: isoOf(entry.at),
  request_id: entry.requestId,
  client: entry.client,
  grant_ids: entry.grantIds,
  operation: entry.operation,
  connection_ids: entry.connectionIds,
  stream: entry.stream,
  status: entry.status,
  records: entry.records,
  bytes: entry.bytes,
});

/** Until a signal comes or nobody reads our output any more. */
async function follow(
  store: Store,
  out: Output,
  query: { grantId?: string },
  newest: readonly LoggedAccess[],
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  let after = newest.at(-1)?.entryNo ?? 0;
  for (let entries = newest; ; ) {
    for (const entry of entries) {
      process.stdout.write(
        `${out.json ? JSON.stringify(entryDocument(entry)) : cells(entry).map(harmless).join("  ")}\n`,
      );
    }
    if (entries.length < followBatch) await wait(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted || !process.stdout.writable) return;
    entries = await store.engine.read((on) => readAccessLog(on, ownerNo, { ...query, after, limit: followBatch }));
    after = entries.at(-1)?.entryNo ?? after;
  }
}

/** A package stands for several grants; a line has room for one. */
const grantsOf = ([first = "-", ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} +${others.length}`;
