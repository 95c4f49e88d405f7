import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@pdpp/server/store/store";
import pg from "pg";
import { inject } from "vitest";
import { chooseRuns } from "../vitest/long-runs.ts";

export type EngineName = "sqlite" | "postgres";
export const engineNames: readonly EngineName[] = ["sqlite", "postgres"];
/**
 * For tests of surfaces. The store, model, parity and search tests cover both engines; only `npm run test:all` runs these on PostgreSQL
 * too.
 */
export const surfaceEngines: readonly EngineName[] = engineNames.slice(0, chooseRuns(1, 2));

export interface TestVault {
  readonly store: Store;
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** Opens another store over the same data, as after a restart. */
  reopen(): Promise<void>;
  /** Closes the vault and deletes it. */
  drop(): Promise<void>;
}

/** Under vitest, the run's server; other programs name theirs. */
const getPostgresUrl = (): string => process.env.PDPP_TEST_POSTGRES ?? inject("postgresUrl");

async function runOnServer(sql: string): Promise<void> {
  const client = new pg.Client(`${getPostgresUrl()}/postgres`);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export type VaultPlace = Pick<TestVault, "dataDir" | "databaseUrl">;

/** A new database for programs that open it themselves. */
export async function createDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `pdpp_${randomBytes(6).toString("hex")}`;
  await runOnServer(`CREATE DATABASE ${name}`);
  return { url: `${getPostgresUrl()}/${name}`, drop: () => runOnServer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/**
 * Creates a vault on a real engine: empty, unless `prepare` first copies something into its place. Vaults with the same secret issue the
 * same cursors.
 */
export async function createVault(
  engine: EngineName,
  secret?: string,
  prepare?: (place: VaultPlace) => Promise<void>,
): Promise<TestVault> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-vault-"));
  const shared = secret === undefined ? {} : { secret };
  const database = engine === "postgres" ? await createDatabase() : undefined;
  const place = { dataDir, ...(database === undefined ? {} : { databaseUrl: database.url }) };
  await prepare?.(place);
  let store = await openStore({ ...place, ...shared });
  return {
    get store() {
      return store;
    },
    ...place,
    async reopen() {
      await store.close();
      store = await openStore({ ...place, ...shared });
    },
    async drop() {
      await store.close();
      await database?.drop();
      // A process that was killed may still be writing.
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
