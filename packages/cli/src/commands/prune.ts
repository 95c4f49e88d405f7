import { isoOf } from "@pdpp/contract/instant";
import { prune } from "@pdpp/server/ingest/owner";
import type { Command } from "commander";
import { type Call, command, does, wholeNumber } from "../command.ts";
import { ownerNo, withVault } from "../vault.ts";

const dayMs = 86_400_000;

export function addPrune(program: Command): void {
  const pruning = command(program, "prune", "Forget replaced and deleted versions of records", [
    "pdpp prune --older-than 90",
  ]).requiredOption("--older-than <days>", "those replaced more than so many days ago", wholeNumber(0, 36_500));
  does(pruning, async ({ options, out, location }: Call<{ olderThan: number }>) => {
    const before = Date.now() - options.olderThan * dayMs;
    const pruned = await withVault(location, (store) => prune(store, ownerNo, before));
    const document = { object: "pruning", before: isoOf(before), versions_pruned: pruned };
    out.result(document, () => `forgot ${pruned} earlier versions from before ${document.before}`);
    if (pruned > 0) out.remark("clients whose changes_since bookmark is older than that will start over");
  });
}
