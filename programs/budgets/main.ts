import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@pdpp/server/store/store";
import { createBudgetWorld, measureBudgets } from "@pdpp/test-support/mcp/budgets";

/** `npm run budgets`: MCP result sizes and their limits. */

const dataDir = mkdtempSync(join(tmpdir(), "pdpp-budgets-"));
const store = await openStore({ dataDir });
const world = await createBudgetWorld({
  store,
  dataDir,
  reopen: async () => undefined,
  drop: async () => {
    await store.close();
    rmSync(dataDir, { recursive: true });
  },
});
const measured = await measureBudgets(world);
await world.close();
console.log(`${"limit".padStart(7)} ${"is".padStart(7)}`);
for (const { what, limit, measured: value } of measured)
  console.log(`${String(limit).padStart(7)} ${String(value).padStart(7)}  ${value > limit ? "OVER  " : ""}${what}`);
process.exitCode = measured.some(({ limit, measured: value }) => value > limit) ? 1 : 0;
