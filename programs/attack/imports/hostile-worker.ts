import { parentPort, workerData } from "node:worker_threads";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { createOwner } from "#server/owner/owner";
import { generators } from "../../../tests/importers/generators/all.ts";
import type { Files } from "../../../tests/importers/generators/generator.ts";
import { createMemoryTree, importTree, sumReports } from "../../../tests/importers/support.ts";
import { findIntegrityFaults } from "../../../tests/store/integrity.ts";
import { hostileDatabases } from "./hostile-databases.ts";
import { listVariants } from "./hostile-variants.ts";

/** Imports hostile files one by one into a vault. It runs in a thread that is ended when it takes too long. */

export interface HostileTask {
  readonly place: StoreLocation;
  /** A format, or `databases`. */
  readonly family: string;
  /** The names of the files to import. */
  readonly variants: readonly string[];
}

export interface HostileReport {
  /** `undefined` when every file is done. */
  readonly variant: string | undefined;
  readonly problem?: string;
  readonly read?: number;
}

const { place, family, variants }: HostileTask = workerData;
const report = (message: HostileReport): void => parentPort?.postMessage(message);

function* listFiles(): Generator<readonly [string, () => Files]> {
  if (family === "databases") yield* Object.entries(hostileDatabases);
  const generator = generators.find(({ importer }) => importer.key === family);
  if (generator === undefined) return;
  const { older } = generator.pair(createRandom(7), 8);
  for (const [name, files] of listVariants(older)) yield [name, () => files];
}

const store = await openStore(place);
const owner = createOwner({ store, ownerNo: 1, now: Date.now });
for (const [variant, build] of listFiles()) {
  if (!variants.includes(variant)) continue;
  report({ variant });
  try {
    const tally = sumReports(await importTree(owner, createMemoryTree(build(), 0, 65_536)));
    const accounted = tally.stored + tally.changed + tally.unchanged + tally.aside + tally.skipped;
    const problem = accounted === tally.read ? {} : { problem: `${tally.read} items, ${accounted} accounted for` };
    report({ variant, read: tally.read, ...problem });
  } catch (error) {
    // Advice and refusals are errors with a code; anything else is a bug.
    const isTyped = error instanceof Error && ("code" in error || error.constructor !== Error);
    const isBug = !isTyped || error instanceof TypeError || error instanceof RangeError;
    report({ variant, read: 0, ...(isBug ? { problem: String(error) } : {}) });
  }
}
const faults = await findIntegrityFaults(store);
await store.close();
report({ variant: undefined, ...(faults.length === 0 ? {} : { problem: `the vault is damaged: ${faults[0]}` }) });
