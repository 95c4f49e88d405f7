import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestVault } from "../../../../../tests/support/vaults.ts";
import { raw } from "../engine/sql.ts";
import type { StoreLocation } from "../store.ts";

export type OpenVault = () => Promise<TestVault>;

export const locationOf = ({ dataDir, databaseUrl }: TestVault): StoreLocation => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

/** A vault for one case, gone when the case is over. */
export async function using<T>(open: OpenVault, work: (vault: TestVault) => Promise<T>): Promise<T> {
  const vault = await open();
  try {
    return await work(vault);
  } finally {
    await vault.drop();
  }
}

/** Every row of every table as text, and every byte of every file; SQLite's word indexes are only looked at as bytes. */
export async function everything({ store: { engine }, dataDir }: TestVault): Promise<string> {
  const sqlite = engine.dialect.name === "sqlite";
  const rows = await engine.read(async (on) => {
    const tables = await on.all<{ name: string }>(
      raw(
        sqlite
          ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 's!_%' ESCAPE '!'"
          : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      ),
    );
    expect(tables.length).toBeGreaterThan(10);
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await on.all<Record<string, unknown>>(raw(`SELECT * FROM ${name}`));
      for (const row of rows) found.push(Object.values(row).map(asText).join(" "));
    }
    return found.join("\n");
  });
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return [rows, ...files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))].join("\n");
}

const asText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);
