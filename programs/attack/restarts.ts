import { openStore } from "@pdpp/server/store/store";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { restartUnderLoad } from "@pdpp/test-support/postgres/restart-under-load";
import type { Attack } from "./attack.ts";

const restarts = 20;
const allowedMs = 15_000;

/** Restarts a PostgreSQL server repeatedly while a process reads and writes. */
export const restartedServers: Attack = {
  name: "restarting the database under load",
  engines: ["postgres"],
  async run({ dataDir }) {
    const server = await startPostgres();
    try {
      await server.createDatabase("vault");
      const store = await openStore({ dataDir, databaseUrl: `${server.url}/vault` });
      try {
        const seen = await restartUnderLoad(store, server, restarts);
        const [fault] = seen.otherFaults;
        return {
          held: seen.lost.length === 0 && seen.otherFaults.length === 0 && seen.resumedMs < allowedMs,
          figure: `${restarts} restarts, ${seen.acknowledged} records acknowledged, ${seen.lost.length} lost; ${seen.unavailable} times reported as unavailable, ${seen.otherFaults.length} otherwise${fault === undefined ? "" : ` (${String(fault)})`}; back after at most ${seen.resumedMs} ms`,
        };
      } finally {
        await store.close();
      }
    } finally {
      await server.stop();
    }
  },
};
