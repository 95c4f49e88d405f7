import { writeSync } from "node:fs";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";

/** Upgrades a vault and builds its word indexes again, then waits to be killed. */
const location: StoreLocation = JSON.parse(process.argv[2] ?? "");
writeSync(1, "opening\n");
const store = await openStore(location);
writeSync(1, "migrated\n");
await store.reindex();
writeSync(1, "upgraded\n");
setInterval(() => undefined, 1000);
