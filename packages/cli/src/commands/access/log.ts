import { setTimeout as wait } from "node:timers/promises";
import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseRecordId } from "../../input/record-id.ts";
import { formatRequest } from "../../render/log-request.ts";
import { escapeUnprintable, showLabel } from "../../render/terminal/style.ts";
import { formatTable, shortenCell } from "../../render/terminal/table.ts";
import {
  addCommand,
  addTopCommand,
  type Call,
  onRun,
  parseDurationOption,
  parseIntegerBetween,
} from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import { withOwner } from "../../runtime/vault.ts";
import { showReaders } from "./log-readers.ts";

const pollMs = 500;
const followBatch = 1000;

interface LogOptions {
  readonly grant?: string;
  readonly follow?: boolean;
  readonly limit: number;
  readonly record?: RecordHandle;
  readonly before?: number;
}

export function addLog(program: Command): void {
  const log = addTopCommand(program, "log", [
    "pdpp log --limit 20",
    "pdpp log --grant grt_Tz1mPq0aVb3cXy4d --follow",
    "pdpp log --record cin_mail_ada/messages:m1",
    "pdpp log verify",
    "pdpp log prune --older-than 90d",
  ])
    .option("--grant <id>", "only reads under this grant")
    .option("--follow", "follow new entries (with --json: one JSON object per line)")
    .addOption(
      new Option("--record <id>", "who has read this record (connection_id/stream:record_id)")
        .argParser(parseRecordOption)
        .conflicts(["grant", "follow"]),
    )
    .option("--before <entry>", "with --record: only reads before this entry", parseIntegerBetween(1, 1e15))
    .option("--limit <n>", "number of newest entries to show", parseIntegerBetween(1, 100_000), 50);
  onRun(log, ({ options, out, location }: Call<LogOptions>) =>
    withOwner(location, async (owner) => {
      const { grant, limit, record } = options;
      if (record !== undefined) return showReaders(owner, out, record, options);
      if (options.before !== undefined) throw new UsageError("--before needs --record");
      const data = await owner.log.read({ grant, limit });
      if (options.follow) return follow(owner, out, grant, data);
      out.result({ object: "list", data }, (style) =>
        data.length === 0 ? "Nothing has been read yet." : formatTable(style, headings, data.map(toCells)),
      );
    }),
  );
  addVerify(log);
  addPrune(log);
}

function addVerify(log: Command): void {
  const verifying = addCommand(log, "verify", "Verify that no entry was changed, removed or inserted", [
    "pdpp log verify",
    "pdpp log verify --kept 1234:Zk3pL9wQx1YbV5nTc8RfJ2mH7sDg4aKeUoXyIqWvB0E",
  ])
    .option("--kept <entry:hash>", "newest entry and its hash, as printed by an earlier verify", parseEntryHash)
    .addHelpText("after", "\nExit code 1 if an entry was changed.");
  onRun(verifying, async ({ options, out, location }: Call<{ kept?: EntryHash }>) => {
    const found = await withOwner(location, ({ log: entries }) => entries.verify(options.kept));
    const newest = `${found.last_entry}:${found.hash}`;
    out.result(found, () =>
      found.fault === undefined
        ? `${found.entries} entries verified; the newest is ${newest}`
        : `entry ${found.fault.entry}: ${found.fault.reason}`,
    );
    if (found.fault !== undefined) return 1;
    if (found.entries_without_hash > 0)
      out.remark(`${found.entries_without_hash} older entries have no hash and were not checked.`);
    out.remark("Store this line somewhere else and pass it to a later verify with --kept.");
    return 0;
  });
}

interface EntryHash {
  readonly entry: number;
  readonly hash: string;
}

function parseEntryHash(text: string): EntryHash {
  const [, entry, hash = ""] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (entry !== undefined) return { entry: Number(entry), hash };
  throw new InvalidArgumentError("Expected ENTRY:HASH, as printed by pdpp log verify.");
}

function parseRecordOption(text: string): RecordHandle {
  const named = parseRecordId(text);
  if (named !== null) return named;
  throw new InvalidArgumentError("Expected connection_id/stream:record_id, as printed by lists and searches.");
}

function addPrune(log: Command): void {
  const pruning = addCommand(log, "prune", "Delete old entries (the rest can still be verified)", [
    "pdpp log prune --older-than 90d",
  ]).requiredOption(
    "--older-than <time>",
    "delete entries older than this, such as 12h, 90d or 4w",
    parseDurationOption,
  );
  onRun(pruning, async ({ options, out, location }: Call<{ olderThan: number }>) => {
    const pruned = await withOwner(location, ({ log: entries }) => entries.prune(Date.now() - options.olderThan));
    out.result(pruned, () => `removed ${pruned.entries_pruned} entries from before ${pruned.before}`);
  });
}

const headings = [
  "TIME",
  "CLIENT",
  "OPERATION",
  "STREAM",
  "CONNECTIONS",
  "STATUS",
  "RECORDS",
  "BYTES",
  "GRANTS",
  "REQUEST",
];

const toCells = (entry: AccessDocument): string[] => [
  entry.at,
  showLabel(entry.client),
  formatOperation(entry),
  entry.stream ?? "-",
  entry.connection_ids.join(",") || "-",
  formatStatus(entry),
  String(entry.records),
  String(entry.bytes),
  formatGrants(entry.grant_ids),
  process.stdout.isTTY ? shortenCell(formatRequest(entry.request)) : formatRequest(entry.request),
];

function formatStatus({ status, code, outcome, times, kind }: AccessDocument): string {
  const why = kind === "refusal" || outcome === "cut" ? code : undefined;
  const went = outcome === "finished" ? undefined : outcome;
  const often = times === undefined ? undefined : `${times} times`;
  return [outcome === "running" ? undefined : String(status), why, went, often]
    .filter((part) => part !== undefined)
    .join(" ");
}

const formatOperation = ({ operation, subject, kind }: AccessDocument): string =>
  kind === "act" && subject !== undefined ? `${operation} ${showLabel(subject)}` : operation;

/** Runs until a signal arrives or the output is closed. */
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
      process.stdout.write(`${out.json ? JSON.stringify(entry) : toCells(entry).map(escapeUnprintable).join("  ")}\n`);
    }
    if (entries.length < followBatch) await wait(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted || !process.stdout.writable) return;
    entries = await owner.log.read({ grant, after, limit: followBatch });
    after = entries.at(-1)?.entry ?? after;
  }
}

/** Shows the first grant of a package and how many more there are. */
const formatGrants = ([first = "-", ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} +${others.length}`;
