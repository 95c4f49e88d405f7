import { commandName } from "@pdpp/agent-setup/command-name";
import type { Interact, InteractionAnswer } from "@pdpp/collecting/run/interaction";
import { syncSource } from "@pdpp/collecting/sync-source";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import type { Command } from "commander";
import { askHidden, hasTerminal } from "../../input/secret-input.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { getAdvice, withOwner } from "../../runtime/vault.ts";
import { openSourceCredentials } from "./open-credentials.ts";
import { formatRun } from "./source-text.ts";

export function addSync(group: Command): void {
  const sync = addCommand(group, "sync [id]", "Collect from a source now, or from all that are not paused", [
    "pdpp source sync",
    "GITHUB_TOKEN=... pdpp source sync github",
    "pdpp source sync github --full",
  ]).option("--full", "ignore the saved cursors and collect everything again");
  onRun(sync, ({ options, out, location }: Call<{ full?: boolean }>, id?: string) =>
    withOwner(location, async (owner) => {
      const stop = new AbortController();
      const cancel = (): void => stop.abort();
      process.once("SIGINT", cancel);
      const all = id === undefined ? await owner.sources.list() : [await owner.sources.get(id)];
      const wanted = all.filter(({ status, kind }) => id !== undefined || (status === "active" && kind !== "push"));
      const runs: (RunDocument | FailedStart)[] = [];
      const credentials = openSourceCredentials(owner, location);
      try {
        for (const source of wanted) {
          if (stop.signal.aborted) break;
          const run = await syncSource(owner, source, {
            dataDir: location.dataDir,
            databaseUrl: location.databaseUrl,
            mode: options.full ? "full_refresh" : "incremental",
            env: process.env,
            credentials,
            interact: askOnTerminal,
            onProgress: ({ message }) => out.remark(`${source.source_id}: ${escapeUnprintable(message)}`),
            signal: stop.signal,
          }).catch((error: unknown) => describeFailedStart(source, error, id));
          runs.push(run);
        }
      } finally {
        process.off("SIGINT", cancel);
      }
      out.result({ object: "list", data: runs }, () =>
        runs.length === 0
          ? `No sources to collect. Add one with: ${commandName} source add folder PATH`
          : runs.flatMap((run) => [`${run.source_id}: ${formatResult(run)}`]).join("\n"),
      );
      return runs.every(({ status }) => status === "succeeded") ? 0 : 1;
    }),
  );
}

/** A source that could not be started. The others are still collected. */
interface FailedStart {
  readonly object: "run";
  readonly source_id: string;
  readonly status: "not_started";
  readonly error: { readonly message: string };
}

function describeFailedStart({ source_id }: SourceDocument, error: unknown, id: string | undefined): FailedStart {
  if (id !== undefined) throw error;
  const advice = getAdvice(error);
  const message = `${error instanceof Error ? error.message : String(error)}${advice === undefined ? "" : `; ${advice}`}`;
  return { object: "run", source_id, status: "not_started", error: { message } };
}

const formatResult = (run: RunDocument | FailedStart): string =>
  run.status === "not_started" ? `not started: ${escapeUnprintable(run.error.message)}` : formatRun(run).join("\n");

/** Without a terminal a question is declined, and the connector says what it lacks. */
const askOnTerminal: Interact = async ({ message, schema, kind }, signal): Promise<InteractionAnswer> => {
  if (!hasTerminal()) return { status: "cancelled" };
  process.stderr.write(`${escapeUnprintable(message)}\n`);
  const properties = schema?.properties;
  const names = isObject(properties) ? Object.keys(properties) : kind === "manual_action" ? [] : ["code"];
  const data: JsonObject = {};
  for (const name of names) data[name] = await askHidden(`${escapeUnprintable(name)}: `, signal);
  if (names.length === 0) await askHidden("Press Enter when done. ", signal);
  if (kind !== "credentials") return { status: "success", data };
  const kept = await askHidden("Keep the answer for the next runs, if it works? [y/N] ", signal);
  return { status: "success", data, keep: /^y(es)?$/i.test(kept.trim()) };
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
