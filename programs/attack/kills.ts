import { killBackfills } from "../../tests/scenarios/kills/killed-backfill.ts";
import { killIngests } from "../../tests/scenarios/kills/killed-ingest.ts";
import type { Attack } from "./attack.ts";

/** A PostgreSQL client takes longer to start, and durability is the server's job. */
const kills = { sqlite: 60, postgres: 20 };

/** kill -9 at random moments of an ingest, of registering manifests and of backfilling. */
export const killedProcesses: Attack = {
  name: "kill -9 while writing",
  engines: ["sqlite", "postgres"],
  async run({ engine, dataDir, databaseUrl }) {
    const location = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    const backfill = await killBackfills(location, kills[engine]);
    const ingest = await killIngests(location, kills[engine], 10);
    const faults = [...backfill, ...ingest];
    return {
      held: faults.length === 0,
      figure: `${2 * kills[engine]} kills, ${faults.length} faults${faults.length === 0 ? "" : `: ${faults.slice(0, 3).join("; ")}`}`,
    };
  },
};
