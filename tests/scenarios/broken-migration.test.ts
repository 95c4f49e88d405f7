import { copyGolden, goldenNames } from "@pdpp/test-support/vaults/golden-vaults";
import { createVault, type EngineName, engineNames, type VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import { expect, it } from "vitest";
import type { Engine, WriteTransaction } from "#server/store/engine/engine";
import { migrate } from "#server/store/engine/migrate";
import { schemaVersion } from "#server/store/engine/migrations";
import { openPostgres } from "#server/store/engine/postgres/engine";
import { raw } from "#server/store/engine/sql";
import { openSqlite } from "#server/store/engine/sqlite/engine";

/** The oldest golden vault has the migration with the most statements. */
const [oldest = ""] = goldenNames;

const openEngine = ({ dataDir, databaseUrl }: VaultPlace): Engine =>
  databaseUrl === undefined ? openSqlite(`${dataDir}/vault.db`) : openPostgres(databaseUrl);

/** Wraps the engine so that the n-th statement of a write fails. */
const failAtStatement = (engine: Engine, n: number): Engine => ({
  ...engine,
  write: (work) =>
    engine.write((on) => {
      let made = 0;
      const failing: WriteTransaction = {
        ...on,
        run(query) {
          made += 1;
          if (made === n) throw new Error("the machine went away");
          return on.run(query);
        },
      };
      return work(failing);
    }),
});

const readTables = (engine: Engine): Promise<unknown[]> =>
  engine.read((on) =>
    on.all(
      raw(
        engine.dialect.name === "sqlite"
          ? "SELECT name, sql FROM sqlite_master ORDER BY name"
          : "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
      ),
    ),
  );

async function breakEverywhere(place: VaultPlace): Promise<number> {
  const engine = openEngine(place);
  try {
    const before = await readTables(engine);
    for (let n = 1; ; n += 1) {
      const result = await migrate(failAtStatement(engine, n)).then(
        () => "done",
        (error: Error) => error.message,
      );
      if (result === "done") return n - 1;
      expect(result).toBe("the machine went away");
      expect(await readTables(engine)).toEqual(before);
    }
  } finally {
    await engine.close();
  }
}

const places: readonly [string, (place: VaultPlace) => Promise<void>][] = [
  ["an empty place", async () => undefined],
  [oldest, (place) => copyGolden(oldest, place)],
];

it.each(engineNames.flatMap((engine) => places.map(([name, put]) => [engine, name, put] as const)))(
  "[KEEP-3] leaves %s unchanged when a migration of %s fails at any statement, and can run it again",
  async (engine: EngineName, _name, put) => {
    let statements = 0;
    const vault = await createVault(engine, undefined, async (place) => {
      await put(place);
      statements = await breakEverywhere(place);
    });
    try {
      expect(statements).toBeGreaterThan(8);
      expect(vault.store.schemaVersion).toBe(schemaVersion);
    } finally {
      await vault.drop();
    }
  },
);
