import { statSync } from "node:fs";
import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { type AccessLog, accessLog } from "./access/access-log.ts";
import { type BlobBytes, databaseBlobs, fileBlobs } from "./blobs/blobs.ts";
import { type Catalog, catalogRevision, loadCatalog } from "./catalog/catalog.ts";
import { registerConnector } from "./catalog/register.ts";
import { reindexStep } from "./catalog/reindex.ts";
import type { Engine, Reading } from "./engine/engine.ts";
import { migrate, schemaVersion, vaultSecret } from "./engine/migrations.ts";
import { openPostgres } from "./engine/postgres/engine.ts";
import { openSqlite } from "./engine/sqlite/engine.ts";
import { type IndexReader, indexReader } from "./search/index-reader.ts";
import { sweepWords } from "./search/search-sweep.ts";

/** An open vault: an engine, its catalog, its blobs, its access log. */
export interface Store {
  readonly engine: Engine;
  readonly blobs: BlobBytes;
  readonly log: AccessLog;
  /** The word indexes, as searches read them. */
  readonly words: IndexReader;
  readonly schemaVersion: number;
  /** For cursors: nobody without it can make or read one. */
  readonly secret: string;
  /** The catalog as of now; read again only when another process or call changed it. */
  catalog(on?: Reading): Promise<Catalog>;
  register(declaration: ConnectorDeclaration, now: number): Promise<void>;
  /** Fills the columns that newer manifests wait for; resolves when none waits. */
  reindex(onProgress?: (connectorKey: string, done: number, total: number) => void): Promise<void>;
  /** Clears the vault of what deleted records left in its word indexes and files. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreLocation {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** Instead of the vault's own; for tests that compare two vaults. */
  readonly secret?: string;
}

export async function openStore(
  location: StoreLocation,
  onFault: (error: unknown) => void = () => undefined,
): Promise<Store> {
  if (!location.databaseUrl && statSync(location.dataDir, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new PdppError("unavailable", `${location.dataDir} is a file, not a folder; choose another data folder`);
  }
  const engine = location.databaseUrl ? openPostgres(location.databaseUrl) : openSqlite(`${location.dataDir}/vault.db`);
  try {
    await migrate(engine);
    const secret = location.secret ?? (await vaultSecret(engine));
    return assemble(engine, location, secret, onFault);
  } catch (error) {
    await engine.close().catch(() => undefined);
    throw error;
  }
}

function assemble(engine: Engine, location: StoreLocation, secret: string, onFault: (error: unknown) => void): Store {
  const log = accessLog(engine, onFault);
  let held: Catalog | undefined;
  const current = async (on: Reading): Promise<Catalog> => {
    if (held === undefined || held.revision !== (await catalogRevision(on))) held = await loadCatalog(on);
    return held;
  };
  const catalog = (on?: Reading) => (on ? current(on) : engine.read(current));
  return {
    engine,
    blobs: location.databaseUrl ? databaseBlobs(engine) : fileBlobs(`${location.dataDir}/blobs`),
    log,
    words: indexReader(engine.dialect),
    schemaVersion,
    secret,
    catalog,
    register: (declaration, now) => registerConnector(engine, declaration, now),
    async reindex(onProgress) {
      for (const [key, { reindexing }] of (await catalog()).connectors) {
        if (!reindexing) continue;
        for (let step = await reindexStep(engine, key); step !== null; step = await reindexStep(engine, key)) {
          onProgress?.(key, step.done, step.total);
        }
      }
    },
    async sweep() {
      await sweepWords(engine);
      await engine.reclaim();
    },
    async close() {
      await log.flush();
      await engine.close();
    },
  };
}
