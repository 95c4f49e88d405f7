import { writeSync } from "node:fs";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { newerManifest, olderManifest } from "@pdpp/test-support/vaults/many-notes";

/**
 * Completes what an earlier process left, then registers one manifest after another and backfills them until it is
 * killed.
 */
const location: StoreLocation = JSON.parse(process.argv[2] ?? "");
const store = await openStore(location);
writeSync(1, "open\n");
await store.reindex();
for (let n = 0; ; n += 1) {
  await store.register(n % 2 === 0 ? newerManifest : olderManifest, Date.now());
  await store.reindex();
  writeSync(1, `${n}\n`);
}
