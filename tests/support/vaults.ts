import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@pdpp/server/store/store";
import pg from "pg";
import { inject } from "vitest";

export type EngineName = "sqlite" | "postgres";
export const engineNames: readonly EngineName[] = ["sqlite", "postgres"];

export interface TestVault {
  readonly store: Store;
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** Closes the vault and removes all trace of it. */
  drop(): Promise<void>;
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client(`${inject("postgresUrl")}/postgres`);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** An empty vault on a real engine. Vaults with the same secret give the same cursors. */
export async function newVault(engine: EngineName, secret?: string): Promise<TestVault> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-vault-"));
  const shared = secret === undefined ? {} : { secret };
  const removeFiles = () => rmSync(dataDir, { recursive: true, force: true });
  if (engine === "sqlite") {
    const store = await openStore({ dataDir, ...shared });
    return {
      store,
      dataDir,
      drop: async () => {
        await store.close();
        removeFiles();
      },
    };
  }
  const name = `pdpp_${randomBytes(6).toString("hex")}`;
  await onServer(`CREATE DATABASE ${name}`);
  const databaseUrl = `${inject("postgresUrl")}/${name}`;
  const store = await openStore({ dataDir, databaseUrl, ...shared });
  return {
    store,
    dataDir,
    databaseUrl,
    drop: async () => {
      await store.close();
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
      removeFiles();
    },
  };
}
