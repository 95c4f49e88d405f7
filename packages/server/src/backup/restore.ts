import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { parseStoredManifest } from "@pdpp/contract/manifest";
import {
  appendRevocations,
  applyRevocations,
  getRevocationsFile,
  type Revocation,
  readRevocations,
} from "../store/access/revocations.ts";
import { type BlobBytes, createDatabaseBlobs } from "../store/blobs/blobs.ts";
import { createIndexes } from "../store/catalog/build-stream.ts";
import { type ConnectorRow, decodeColumnPlan, type StreamRow } from "../store/catalog/catalog-rows.ts";
import { tableName } from "../store/catalog/layout.ts";
import type { Engine, ReadTransaction, WriteTransaction } from "../store/engine/engine.ts";
import { migrateTo } from "../store/engine/migrate.ts";
import { schemaVersion } from "../store/engine/migrations.ts";
import { raw, sql } from "../store/engine/sql.ts";
import { getTables, hasVault } from "../store/engine/tables.ts";
import { getVaultFile, openBlobs, openEngine, type StoreLocation } from "../store/store.ts";
import { syncFolder } from "./backup-file.ts";
import { damagedBackupError, type TableLine } from "./format.ts";
import type { BackupPart } from "./read-backup.ts";

/**
 * Creates a vault from a backup, completely or not at all. A SQLite vault is built in its own folder and moved into place at the
 * end; in PostgreSQL everything is one transaction. An interrupted restore starts over.
 */
export async function restoreParts(
  location: StoreLocation,
  parts: AsyncIterable<BackupPart>,
  revoked: readonly Revocation[],
): Promise<{ revokedAgain: number }> {
  await ensureNoVault(location);
  return location.databaseUrl === undefined
    ? restoreIntoFolder(location, parts, revoked)
    : restoreIntoDatabase(location, parts, revoked);
}

const vaultExistsError = (where: string): PdppError =>
  new PdppError("invalid_argument", `${where} already contains a vault, and a restore never overwrites one`, {
    next_step: "choose an empty --data-dir or --database-url, or move the existing vault away first",
  });

async function ensureNoVault({ dataDir, databaseUrl }: StoreLocation): Promise<void> {
  if (databaseUrl === undefined) {
    if (existsSync(getVaultFile(dataDir)) || existsSync(`${getVaultFile(dataDir)}-wal`))
      throw vaultExistsError(dataDir);
    return;
  }
  const engine = openEngine({ dataDir, databaseUrl });
  try {
    await engine.read((on) => ensureNoVaultTables(on, engine));
  } finally {
    await engine.close();
  }
}

async function ensureNoVaultTables(on: ReadTransaction, _engine: Engine): Promise<void> {
  if (await hasVault(on)) throw vaultExistsError("that database");
}

async function restoreIntoFolder(
  { dataDir }: StoreLocation,
  parts: AsyncIterable<BackupPart>,
  revoked: readonly Revocation[],
): Promise<{ revokedAgain: number }> {
  const stagingDir = join(dataDir, "restoring");
  await rm(stagingDir, { recursive: true, force: true });
  await mkdir(stagingDir, { recursive: true, mode: 0o700 });
  try {
    const place = { dataDir: stagingDir };
    const engine = openEngine(place);
    let revokedAgain: number;
    try {
      const blobs = openBlobs(engine, place);
      await loadParts(engine, parts, (work) => engine.write((on) => work(on, blobs)));
      if (revoked.length > 0) await appendRevocations(getRevocationsFile(dataDir), revoked);
      revokedAgain = await applyRevocations(engine, await readRevocations(getRevocationsFile(dataDir)));
    } finally {
      await engine.close();
    }
    await moveBlobs(join(stagingDir, "blobs"), join(dataDir, "blobs"));
    await syncFolder(stagingDir);
    // From here on the vault exists.
    await rename(getVaultFile(stagingDir), getVaultFile(dataDir));
    await syncFolder(dataDir);
    return { revokedAgain };
  } finally {
    await rm(stagingDir, { recursive: true, force: true });
  }
}

/** Named by digest, so those of an earlier, interrupted attempt may already exist. */
async function moveBlobs(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  for (const folder of await readdir(from)) {
    await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(from, folder)))
      await rename(join(from, folder, name), join(to, folder, name));
    await syncFolder(join(to, folder));
  }
  await syncFolder(to);
}

async function restoreIntoDatabase(
  location: StoreLocation,
  parts: AsyncIterable<BackupPart>,
  revoked: readonly Revocation[],
): Promise<{ revokedAgain: number }> {
  const engine = openEngine(location);
  try {
    return await engine.write(async (on) => {
      // Another restore may have finished first.
      await ensureNoVaultTables(on, engine);
      const within: Engine = { ...engine, write: (work) => work(on), read: (work) => work(on) };
      const blobs = createDatabaseBlobs(within);
      await loadParts(engine, parts, (work) => work(on, blobs));
      return { revokedAgain: await applyRevocations(within, revoked) };
    });
  } finally {
    await engine.close();
  }
}

type Step = <T>(work: (on: WriteTransaction, blobs: BlobBytes) => Promise<T>) => Promise<T>;

const streamTable = /^r_[1-9]\d*$/;

async function loadParts(engine: Engine, parts: AsyncIterable<BackupPart>, step: Step): Promise<void> {
  const tables = getTables(engine.dialect);
  const known = new Set<string>();
  const each = parts[Symbol.asyncIterator]();
  const take = async (part: BackupPart): Promise<void> => {
    if (part.part === "header") {
      await step(async (on) => {
        await migrateTo(on, part.header.schema_version);
        for (const { name } of await tables.list(on)) known.add(name);
      });
    } else if (part.part === "table") {
      const { table, serial } = part.table;
      const isStream = streamTable.test(table);
      // Tables that only the other engine has are skipped.
      if (!known.has(table) && !isStream) return;
      await step(async (on) => {
        await on.run(raw(known.has(table) ? `DELETE FROM ${table}` : buildCreateTable(engine, part.table)));
        if (serial !== undefined) await tables.setNextSerial(on, table, serial.column, serial.next);
      });
      known.add(table);
    } else if (part.part === "rows" && known.has(part.table.table)) {
      await step((on) => on.insert(part.table.table, part.table.columns, part.rows));
    } else if (part.part === "blob" && !part.blob.missing) {
      const { blob, owner_no } = part.blob;
      const stored = await step((_on, blobs) => blobs.put(owner_no, readBlobPieces(each)));
      if (blob !== `blob_sha256_${stored.sha256}`) throw damagedBackupError(`does not contain the bytes of ${blob}`);
    }
  };
  try {
    for (let next = await each.next(); next.done !== true; next = await each.next()) await take(next.value);
  } finally {
    await each.return?.();
  }
  await step(async (on) => {
    await migrateTo(on, schemaVersion);
    await buildStreamIndexes(on);
  });
}

async function* readBlobPieces(parts: AsyncIterator<BackupPart>): AsyncGenerator<Uint8Array> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    if (next.value.part !== "bytes") return;
    yield next.value.bytes;
  }
}

function buildCreateTable({ dialect }: Engine, { table, columns, key }: TableLine): string {
  const declared = columns.map(
    ({ name, type, required }) => `${name} ${dialect.types[type]}${required ? " NOT NULL" : ""}`,
  );
  return `CREATE TABLE ${table} (${declared.join(", ")}, PRIMARY KEY (${key.join(", ")}))`;
}

/** Creates the indexes of streams after their rows, which is faster than updating them row by row. */
async function buildStreamIndexes(on: WriteTransaction): Promise<void> {
  await on.run(raw("UPDATE stream SET indexes = '[]'"));
  for (const { connector_key, manifest } of await on.all<ConnectorRow>(raw("SELECT * FROM connector"))) {
    for (const declaration of parseStoredManifest(manifest).streams) {
      const row = await on.one<StreamRow>(sql`SELECT * FROM stream
        WHERE connector_key = ${connector_key} AND name = ${declaration.name} AND is_built = 1`);
      if (row === undefined) continue;
      const names = await createIndexes(on, row, declaration, decodeColumnPlan(row.columns).fields);
      await on.run(sql`UPDATE stream SET indexes = ${JSON.stringify(names)} WHERE stream_no = ${row.stream_no}`);
      for (const statement of on.dialect.analyze(tableName(row.stream_no))) await on.run(statement);
    }
  }
}
