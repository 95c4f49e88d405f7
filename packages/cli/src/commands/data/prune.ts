import type { Command } from "commander";
import { type Call, command, does, wholeNumber } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

const dayMs = 86_400_000;

export function addPrune(program: Command): void {
  const prune = command(program, "prune", "Delete the old versions of changed and deleted records", [
    "pdpp prune --older-than 90",
  ]).requiredOption("--older-than <days>", "versions replaced more than this many days ago", wholeNumber(0, 36_500));
  does(prune, async ({ options, out, location }: Call<{ olderThan: number }>) => {
    const before = Date.now() - options.olderThan * dayMs;
    const pruning = await withOwner(location, ({ records }) => records.prune(before));
    const { versions_pruned: pruned } = pruning;
    out.result(pruning, () => `deleted ${pruned} old versions from before ${pruning.before}`);
    if (pruned > 0) out.remark("clients whose changes_since bookmark is older than that will start over");
  });
}
