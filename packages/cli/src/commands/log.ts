import { setTimeout as wait } from "node:timers/promises";
import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import type { Command } from "commander";
import { type Call, command, does, wholeNumber } from "../command.ts";
import type { Output } from "../output.ts";
import { harmless } from "../render/style.ts";
import { table } from "../render/table.ts";
import { withOwner } from "../vault.ts";

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
    withOwner(location, async (owner) => {
      const { grant, limit } = options;
      const data = await owner.log.read({ grant, limit });
      if (options.follow) return follow(owner, out, grant, data);
      out.result({ object: "list", data }, (style) =>
        data.length === 0 ? "nothing was read yet" : table(style, heads, data.map(cells)),
      );
    }),
  );
}

const heads = ["TIME", "CLIENT", "OPERATION", "STREAM", "CONNECTIONS", "STATUS", "RECORDS", "BYTES", "GRANTS"];

const cells = (entry: AccessDocument): string[] => [
  entry.at,
  entry.client,
  entry.operation,
  entry.stream ?? "-",
  entry.connection_ids.join(",") || "-",
  String(entry.status),
  String(entry.records),
  String(entry.bytes),
  grantsOf(entry.grant_ids),
];

/** Until a signal comes or nobody reads our output any more. */
async function follow(
  owner: OwnerApi,
  out: Output,
  grant: string | undefined,
  newest: readonly AccessDocument[],
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  let after = newest.at(-1)?.entry ?? 0;
  for (let entries = newest; ; ) {
    for (const entry of entries) {
      process.stdout.write(`${out.json ? JSON.stringify(entry) : cells(entry).map(harmless).join("  ")}\n`);
    }
    if (entries.length < followBatch) await wait(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted || !process.stdout.writable) return;
    entries = await owner.log.read({ grant, after, limit: followBatch });
    after = entries.at(-1)?.entry ?? after;
  }
}

/** A package stands for several grants; a line has room for one. */
const grantsOf = ([first = "-", ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} +${others.length}`;
