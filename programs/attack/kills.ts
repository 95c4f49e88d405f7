import { killBackfills } from "../../tests/scenarios/kills/killed-backfill.ts";
import { killIngests } from "../../tests/scenarios/kills/killed-ingest.ts";
import type { Attack } from "./attack.ts";

/** Of each kind. A PostgreSQL client takes longer to start, and durability is the server's job. */
const defaultKills = { sqlite: 20, postgres: 8 };

/** kill -9 at random moments of an ingest, of registering manifests and of backfilling. */
export const killedProcesses: Attack = {
  name: "kill -9 while writing",
  engines: ["sqlite", "postgres"],
  async run({ engine, dataDir, databaseUrl, rounds }) {
    const kills = rounds ?? defaultKills[engine];
    const location = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    const backfill = await killBackfills(location, kills);
    const ingest = await killIngests(location, kills, 10);
    const faults = [...backfill, ...ingest];
    return {
      held: faults.length === 0,
      figure: `${2 * kills} kills, ${faults.length} faults${faults.length === 0 ? "" : `: ${faults.slice(0, 3).join("; ")}`}`,
    };
  },
};
