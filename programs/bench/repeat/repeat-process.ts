import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore } from "@pdpp/server/store/store";
import { openTree } from "#importers/tree/open-tree";
import { importRest, sumReports } from "../../../tests/importers/support.ts";
import { Stopwatch } from "../measure.ts";

/** One import in a process of its own, as `pdpp import` does it. Prints the items read and the CPU time as JSON. */

const [dataDir = "", folder = ""] = process.argv.slice(2);
const store = await openStore({ dataDir });
const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
// Starting includes loading the catalog, whatever is imported.
await owner.connectors.list();
const watch = new Stopwatch();
const report = await watch.run(async () => {
  const lookedAt = Date.now();
  const tree = await openTree([folder]);
  try {
    return await importRest(owner, tree, { lookedAt });
  } finally {
    await tree.close();
  }
});
await store.close();
const { read } = sumReports(report.map(({ tally }) => tally));
process.stdout.write(JSON.stringify({ read, cpuMs: watch.cpuMs }));
