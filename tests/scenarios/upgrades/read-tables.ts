import type { VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import { loadSchemaVersion } from "#server/store/engine/migrate";
import { raw } from "#server/store/engine/sql";
import { openEngine } from "#server/store/store";

/** What a vault of any schema has, without migrating it. */

export const readSchema = (place: VaultPlace): Promise<number | undefined> =>
  withEngine(place, (engine) => engine.read(loadSchemaVersion));

/** Every table with its columns and the number of its rows. */
export const readTables = (place: VaultPlace): Promise<string> =>
  withEngine(place, (engine) =>
    engine.read(async (on) => {
      const query =
        engine.dialect.name === "sqlite"
          ? "SELECT name, sql AS columns FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 's!_%' ESCAPE '!' ORDER BY name"
          : `SELECT table_name AS name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) AS columns
              FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name ORDER BY table_name`;
      const tables = await on.all<{ name: string; columns: string }>(raw(query));
      const lines: string[] = [];
      for (const { name, columns } of tables) {
        const [row] = await on.all<{ n: number }>(raw(`SELECT count(*) AS n FROM ${name}`));
        lines.push(`${name} ${row?.n} ${columns}`);
      }
      return lines.join("\n");
    }),
  );

async function withEngine<T>(
  place: VaultPlace,
  work: (engine: ReturnType<typeof openEngine>) => Promise<T>,
): Promise<T> {
  const engine = openEngine(place);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
