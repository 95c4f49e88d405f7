import { commandName } from "@pdpp/agent-setup/command-name";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { describeSourceStatus } from "@pdpp/evidence/text/source-status";
import type { Command } from "commander";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, addTopCommand, type Call, onRun, parseIntegerBetween } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { withOwner } from "../../runtime/vault.ts";
import { addAdd } from "./add.ts";
import { addKey } from "./key.ts";
import { addSchedule } from "./schedule.ts";
import { addSignIn } from "./sign-in.ts";
import { describeKind, formatRun, formatSource } from "./source-text.ts";
import { addSync } from "./sync.ts";

export function addSource(program: Command): void {
  const group = addTopCommand(program, "source", [
    "pdpp source add imap --host imap.example.com --user ada@example.com",
    "pdpp source add folder ~/Downloads",
    "pdpp source sync",
  ]);
  addAdd(group);
  addList(group);
  addShow(group);
  addSync(group);
  addSignIn(group);
  addRuns(group);
  addPause(group, "pause", "Stop collecting a source until it is resumed", true);
  addPause(group, "resume", "Collect a paused source again", false);
  addSchedule(group);
  addRemove(group);
  addKey(group);
}

function addList(group: Command): void {
  const list = addCommand(group, "list", "List sources and how their last run ended", ["pdpp source list"]);
  onRun(list, async ({ out, location }) => {
    const { data, zone } = await withOwner(location, async (owner) => ({
      data: await owner.sources.list(),
      zone: (await owner.self()).time_zone,
    }));
    out.list<SourceDocument>(data, `No sources yet. Add one with: ${commandName} source add folder PATH`, {
      SOURCE: ({ source_id }) => source_id,
      KIND: describeKind,
      STATUS: (source) => escapeUnprintable(describeSourceStatus(source, Date.now(), zone).text),
      "LAST SUCCESS": ({ last_success_at }) => last_success_at ?? "never",
      "NEXT RUN": ({ next_run }) => next_run ?? "",
    });
  });
}

function addShow(group: Command): void {
  const show = addCommand(group, "show <id>", "Show a source and its last run", ["pdpp source show github"]);
  onRun(show, async ({ out, location }, id: string) => {
    const { source, zone } = await withOwner(location, async (owner) => ({
      source: await owner.sources.get(id),
      zone: (await owner.self()).time_zone,
    }));
    out.result(source, () => formatSource(source, zone));
  });
}

function addRuns(group: Command): void {
  const runs = addCommand(group, "runs <id>", "List the runs of a source, newest first", [
    "pdpp source runs github",
    "pdpp source runs github --limit 5 --json",
  ]).option("--limit <n>", "at most this many (default: 20)", parseIntegerBetween(1, 500));
  onRun(runs, async ({ options, out, location }: Call<{ limit?: number }>, id: string) => {
    const { data, kind } = await withOwner(location, async ({ sources }) => ({
      data: await sources.listRuns(id, options.limit ?? 20),
      kind: (await sources.get(id)).kind,
    }));
    const none =
      kind === "push"
        ? `${id} has no runs: it stores what is sent to it.`
        : `No runs yet. Start one with: ${commandName} source sync ${id}`;
    out.result({ object: "list", data }, () => (data.length === 0 ? none : data.map(formatRunLines).join("\n")));
  });
}

const formatRunLines = (run: RunDocument): string => formatRun(run).join("\n");

function addPause(group: Command, name: string, summary: string, isPaused: boolean): void {
  const command = addCommand(group, `${name} <id>`, summary, [`pdpp source ${name} github`]);
  onRun(command, async ({ out, location }, id: string) => {
    const source = await withOwner(location, (owner) => owner.sources.setPaused(id, isPaused));
    out.result(source, () => `${id} is ${source.status}`);
  });
}

function addRemove(group: Command): void {
  const remove = addCommand(group, "remove <id>", "Stop collecting a source for good; its records stay", [
    "pdpp source remove github --yes",
  ]).option("--yes", "skip the confirmation");
  onRun(remove, ({ options, out, location }: Call<{ yes?: boolean }>, id: string) =>
    withOwner(location, async ({ sources }) => {
      const { connection_id: connection } = await sources.get(id);
      await confirm(
        `this removes source ${id} with its credentials, cursors and runs, but not its records`,
        options.yes,
      );
      await sources.remove(id);
      out.result({ object: "source", source_id: id, deleted: true }, () => `removed ${id}`);
      if (connection !== undefined)
        out.remark(`To delete its records too: ${commandName} connection remove ${connection}`);
    }),
  );
}
