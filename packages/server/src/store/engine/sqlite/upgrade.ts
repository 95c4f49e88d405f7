import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { scaleTimeLimit } from "../../../time-limits.ts";
import { loadSchemaVersion, type MigrationTransaction, migrateTo } from "../migrate.ts";
import { schemaVersion } from "../migrations.ts";
import { type SqliteConnection, sqliteText } from "./connection.ts";
import { computeDeadline, isBusy, readMonotonicClock } from "./lock-wait.ts";
import { keepCopy } from "./migration-copies.ts";
import { createReadTransaction } from "./readers.ts";
import { closeVaultFile, openVaultFile } from "./vault-file.ts";

/**
 * Migrates a vault of an earlier schema. No other process may have it open: a server of an earlier version would go on writing
 * to tables that it does not know. Several processes of this version may try at the same moment; one of them does it.
 */
export async function upgradeVaultFile(file: string, waitMs: number = aloneMs): Promise<void> {
  for (const until = computeDeadline(waitMs); ; await wait(minPauseMs + Math.random() * minPauseMs)) {
    if (await tryUpgrade(file)) return;
    if (readMonotonicClock() >= until) throw createInUseError();
  }
}

const aloneMs = scaleTimeLimit(5000);
const minPauseMs = 50;

/** Returns false if another process has the vault open. */
async function tryUpgrade(file: string): Promise<boolean> {
  let connection: SqliteConnection;
  try {
    connection = openVaultFile(file, 0);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  try {
    if (!lockOut(connection)) return false;
    await upgradeAlone(connection, file);
    return true;
  } finally {
    connection.db.exec("PRAGMA locking_mode = NORMAL");
    closeVaultFile(connection, file);
  }
}

/** Takes the file for this connection alone, until it is closed. */
function lockOut({ db }: SqliteConnection): boolean {
  db.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE");
  try {
    db.exec("BEGIN IMMEDIATE; COMMIT");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

async function upgradeAlone(connection: SqliteConnection, file: string): Promise<void> {
  const on = createTransaction(connection);
  const from = await loadSchemaVersion(on);
  if (from === undefined || from >= schemaVersion) return;
  try {
    keepCopy(connection.db, file, from);
    connection.db.exec("BEGIN IMMEDIATE");
    try {
      await migrateTo(on, schemaVersion);
      connection.db.exec("COMMIT");
    } catch (error) {
      // SQLite may have rolled back already.
      if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
      throw error;
    }
  } catch (error) {
    throw createFailedError(error, from);
  }
}

const createTransaction = ({ all, run }: SqliteConnection): MigrationTransaction => ({
  ...createReadTransaction(async (text, values) => all(text, values)),
  run: async (query) => run(sqliteText(query), query.values),
});

const createInUseError = (): PdppError =>
  new PdppError("unavailable", "this vault must be upgraded first, and another process has it open", {
    next_step: "stop pdpp serve and every other pdpp that uses this vault, then run this command again",
  });

const createFailedError = (error: unknown, from: number): PdppError => {
  const reason = error instanceof Error ? error.message : String(error);
  return new PdppError(
    "unavailable",
    `the vault could not be upgraded from schema ${from} to ${schemaVersion}: ${reason}. It is unchanged, and the earlier pdpp can still open it`,
    {
      next_step:
        "make sure the disk has as much free space as the vault has data, twice over, then run this command again",
    },
  );
};
