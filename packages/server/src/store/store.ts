import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { type KeptScopes, openKeptScopes } from "./access/kept-scopes.ts";
import { type AccessLog, openAccessLog } from "./access/log/access-log.ts";
import { noReserve, openReserve, type Reserve } from "./access/reserve.ts";
import { appendRevocations, applyRevocations, getRevocationsFile, readRevocations } from "./access/revocations.ts";
import { createTokenOwners, type TokenOwners } from "./access/token-owners.ts";
import { type BlobTexts, openBlobTexts } from "./blobs/blob-texts.ts";
import { type BlobBytes, createDatabaseBlobs, createFileBlobs } from "./blobs/blobs.ts";
import { openThumbnails, type Thumbnails } from "./blobs/thumbnails.ts";
import { type Catalog, loadCatalog, loadCatalogRevision } from "./catalog/catalog.ts";
import { registerConnector } from "./catalog/register.ts";
import { extractForReindex, reindexStep } from "./catalog/reindex.ts";
import type { Engine, ReadTransaction, WriteTransaction } from "./engine/engine.ts";
import { findSchemaVersion, migrate } from "./engine/migrate.ts";
import { loadVaultSecret, schemaVersion } from "./engine/migrations.ts";
import { openPostgres } from "./engine/postgres/engine.ts";
import { openReplica, type Replica, type Viewpoint } from "./engine/postgres/replica.ts";
import { openSqlite } from "./engine/sqlite/engine.ts";
import { computeDeadline, lockTimeoutMs, retryWhileLocked, translateBusyError } from "./engine/sqlite/lock-wait.ts";
import { upgradeVaultFile } from "./engine/sqlite/upgrade.ts";
import { sweepWords } from "./search/search-sweep.ts";
import { openWordIndex, type WordIndex } from "./search/segment-catalog.ts";

/** An open vault: an engine, its catalog, its blobs, its access log. */
export interface Store {
  readonly engine: Engine;
  readonly blobs: BlobBytes;
  readonly blobTexts: BlobTexts;
  readonly thumbnails: Thumbnails;
  readonly log: AccessLog;
  /** Disk space reserved for revocations and sign-in. */
  readonly reserve: Reserve;
  readonly words: WordIndex;
  readonly keptScopes: KeptScopes;
  readonly tokenOwners: TokenOwners;
  readonly schemaVersion: number;
  /** Signs cursors. */
  readonly secret: string;
  /** The current catalog; reloaded only after a change, here or in another process. */
  catalog(on?: ReadTransaction): Promise<Catalog>;
  /** The engine of the replica, for reads that must see at least `viewpoint`; undefined if there is no replica. */
  findReadEngine(viewpoint: Viewpoint | undefined): Engine | undefined;
  /** The catalog of that revision, if it is the one that was loaded last. */
  findCatalog(revision: number): Catalog | undefined;
  register(declaration: ConnectorDeclaration, now: number): Promise<void>;
  /**
   * Fills the columns that pending manifests need. Resolves when none is pending, or between two steps when the vault is closed.
   */
  reindex(onProgress?: (connectorKey: string, done: number, total: number) => void): Promise<void>;
  /** Records a revocation outside the database, so that it survives a restore of older tables. Part of revoking. */
  noteRevoked(ownerNo: number, id: string, at: number): Promise<void>;
  /** Notes that the owner undid that revocation. Part of undoing it. */
  noteRestored(ownerNo: number, id: string, revokedAt: number, at: number): Promise<void>;
  /** Removes what deleted records left in word indexes and files. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreLocation {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** A streaming replica of the database. */
  readonly databaseReadUrl?: string;
  /** Replaces the vault's own secret, for tests that compare two vaults. */
  readonly secret?: string;
  /** For an additional thread of a process that has opened the vault: it only reads, and runs heavy reads itself. */
  readonly isThread?: boolean;
  /** For revocations and sign-in: on a full disk, the reserved space may be used. */
  readonly isUrgent?: boolean;
}

export async function openStore(
  location: StoreLocation,
  onError: (error: unknown) => void = () => undefined,
): Promise<Store> {
  const open = () => openAt(location, onError);
  return location.isUrgent && !location.databaseUrl ? openReserve(location.dataDir).use(open) : open();
}

/** For writes that must not fail on a full disk. */
export const writeUrgently = <T>({ reserve, engine }: Store, work: (on: WriteTransaction) => Promise<T>): Promise<T> =>
  reserve.use(() => engine.write(work));

/** Between attempts the thread can do other things, such as say that it waits. */
const openWaitMs = 200;

async function openAt(location: StoreLocation, onError: (error: unknown) => void): Promise<Store> {
  if (!location.databaseUrl && statSync(location.dataDir, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new PdppError("unavailable", `${location.dataDir} is a file, not a folder; choose another data folder`);
  }
  let engine = await openWhenUnlocked(location);
  try {
    if (!location.isThread) {
      if (await mustUpgradeFile(engine, location)) {
        await engine.close();
        await upgradeVaultFile(getVaultFile(location.dataDir));
        engine = await openWhenUnlocked(location);
      }
      await prepare(engine, location);
    }
    const secret = location.secret ?? (await loadVaultSecret(engine));
    return createStore(engine, location, secret, onError);
  } catch (error) {
    await engine.close().catch(() => undefined);
    // A caller that opens a vault knows its location, so it may see the system's own error.
    throw error instanceof PdppError && error.cause !== undefined ? error.cause : error;
  }
}

const openWhenUnlocked = (location: StoreLocation): Promise<Engine> =>
  retryWhileLocked(computeDeadline(), () => openEngine(location, openWaitMs)).catch((error) => {
    throw translateBusyError(error);
  });

async function mustUpgradeFile(engine: Engine, { databaseUrl }: StoreLocation): Promise<boolean> {
  if (databaseUrl || engine.readOnly !== undefined) return false;
  const version = await findSchemaVersion(engine);
  return version !== undefined && version < schemaVersion;
}

/** Migrates the tables and reapplies revocations: the database may be an older copy. */
async function prepare(engine: Engine, { dataDir, databaseUrl }: StoreLocation): Promise<void> {
  await migrate(engine);
  if (!databaseUrl && engine.readOnly === undefined)
    await applyRevocations(engine, await readRevocations(getRevocationsFile(dataDir)));
}

export const openEngine = (
  { dataDir, databaseUrl, isThread = false }: StoreLocation,
  waitMs: number = lockTimeoutMs,
): Engine =>
  databaseUrl
    ? openPostgres(databaseUrl, isThread)
    : openSqlite(getVaultFile(dataDir), { isThread, openWaitMs: waitMs });

export const getVaultFile = (dataDir: string): string => join(dataDir, "vault.db");

export const openBlobs = (engine: Engine, { dataDir, databaseUrl }: StoreLocation): BlobBytes =>
  databaseUrl ? createDatabaseBlobs(engine) : createFileBlobs(join(dataDir, "blobs"));

/** A folder may hold the journals of several vaults, such as databases of one server; each adopts only its own. */
const getJournalFolder = (dataDir: string, secret: string): string =>
  join(dataDir, "log", createHash("sha256").update(secret).digest("base64url").slice(0, 16));

function createStore(
  engine: Engine,
  location: StoreLocation,
  secret: string,
  onError: (error: unknown) => void,
): Store {
  const log = openAccessLog(engine, { folder: getJournalFolder(location.dataDir, secret), onError: onError });
  const reserve = location.databaseUrl || location.isThread ? noReserve : openReserve(location.dataDir);
  if (engine.readOnly === undefined) reserve.restore();
  const blobs = openBlobs(engine, location);
  const blobTexts = openBlobTexts(engine, blobs, location.isThread !== true);
  const thumbnails = openThumbnails(engine);
  const replica = openReplicaOf(location, secret, onError);
  let held: Catalog | undefined;
  const loadCurrentCatalog = async (on: ReadTransaction): Promise<Catalog> => {
    if (held === undefined || held.revision !== (await loadCatalogRevision(on))) held = await loadCatalog(on);
    return held;
  };
  const getCatalog = (on?: ReadTransaction) => (on ? loadCurrentCatalog(on) : engine.read(loadCurrentCatalog));
  let isClosing = false;
  let filling: Promise<void> = Promise.resolve();
  const fill = async (onProgress?: (connectorKey: string, done: number, total: number) => void): Promise<void> => {
    for (const [key, { reindexing }] of (await getCatalog()).connectors) {
      while (reindexing && !isClosing) {
        await extractForReindex(engine, blobTexts, key);
        const step = await reindexStep(engine, key);
        if (step === null) break;
        onProgress?.(key, step.done, step.total);
        await engine.yieldToWriters();
      }
    }
  };
  const closeAll = async (): Promise<void> => {
    isClosing = true;
    await filling.catch(() => undefined);
    await blobTexts.close();
    await thumbnails.close();
    await log.close();
    await replica?.close();
    await engine.close();
  };
  let closed: Promise<void> | undefined;
  return {
    engine,
    blobs,
    blobTexts,
    thumbnails,
    log,
    reserve,
    words: openWordIndex(),
    keptScopes: openKeptScopes(engine),
    tokenOwners: createTokenOwners(),
    schemaVersion,
    secret,
    catalog: getCatalog,
    findReadEngine: (viewpoint) => (viewpoint === undefined ? undefined : replica?.readFrom(engine, viewpoint)),
    findCatalog: (revision) => (held?.revision === revision ? held : undefined),
    register: (declaration, now) => registerConnector(engine, declaration, now),
    reindex(onProgress) {
      filling = Promise.all([filling, fill(onProgress)]).then(() => undefined);
      return filling;
    },
    async noteRevoked(ownerNo, id, at) {
      if (location.databaseUrl) return;
      await appendRevocations(getRevocationsFile(location.dataDir), [{ owner_no: ownerNo, id, revoked_at: at }]);
    },
    async noteRestored(ownerNo, id, revokedAt, at) {
      if (location.databaseUrl) return;
      const restored = { owner_no: ownerNo, id, revoked_at: revokedAt, restored_at: at };
      await appendRevocations(getRevocationsFile(location.dataDir), [restored]);
    },
    async sweep() {
      await sweepWords(engine);
      await engine.reclaimSpace();
    },
    close: () => (closed ??= closeAll()),
  };
}

const openReplicaOf = (
  { databaseReadUrl: url, isThread = false }: StoreLocation,
  secret: string,
  onError: (error: unknown) => void,
): Replica | undefined => (url === undefined ? undefined : openReplica({ url, secret, isThread, onError }));
