import type { Command } from "commander";
import { addTopCommand, type Call, onRun, parseIntegerBetween } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

const dayMs = 86_400_000;

export function addPrune(program: Command): void {
  const prune = addTopCommand(program, "prune", ["pdpp prune --older-than 90"]).requiredOption(
    "--older-than <days>",
    "delete versions replaced more than this many days ago",
    parseIntegerBetween(0, 36_500),
  );
  onRun(prune, async ({ options, out, location }: Call<{ olderThan: number }>) => {
    const before = Date.now() - options.olderThan * dayMs;
    const pruning = await withOwner(location, ({ records }) => records.prune(before));
    const { versions_pruned: pruned } = pruning;
    out.result(pruning, () => `deleted ${pruned} old versions from before ${pruning.before}`);
    if (pruned > 0) out.remark("Clients with an older changes_since bookmark will start over.");
  });
}
