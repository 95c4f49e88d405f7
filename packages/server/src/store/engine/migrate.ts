import { randomBytes } from "node:crypto";
import { PdppError } from "@pdpp/contract/errors";
import { incrementCatalogRevision } from "../catalog/catalog-rows.ts";
import type { Engine, ReadTransaction, WriteTransaction } from "./engine.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { raw, sql } from "./sql.ts";

/** Brings the tables of a vault to the schema of this version. */

/** What a migration may do. */
export type MigrationTransaction = Omit<WriteTransaction, "insert">;

const versionRow = sql`SELECT value FROM meta WHERE name = 'schema_version'`;

export async function loadSchemaVersion(on: Pick<ReadTransaction, "one">): Promise<number | undefined> {
  const row = await on.one<{ value: string }>(versionRow);
  return row === undefined ? undefined : Number(row.value);
}

/** Returns undefined for a place without a vault. If it cannot be read at all, the first write reports why. */
export const findSchemaVersion = (engine: Pick<Engine, "read">): Promise<number | undefined> =>
  engine.read(loadSchemaVersion).catch(() => undefined);

/** An up-to-date vault can be opened without a write. */
export async function migrate(engine: Pick<Engine, "read" | "write">): Promise<void> {
  if ((await findSchemaVersion(engine)) !== schemaVersion) await engine.write((on) => migrateTo(on, schemaVersion));
}

/** A migration changes the catalog's revision, so a running server checks the schema before it reads on. */
export async function checkSchema(on: ReadTransaction): Promise<void> {
  const version = await loadSchemaVersion(on);
  if (version !== undefined && version > schemaVersion) throw new NewerSchemaError(version);
}

/** Readiness tells it apart from a database that does not answer. */
export class NewerSchemaError extends PdppError {
  constructor(version: number) {
    super(
      "unavailable",
      `this vault was written by a newer pdpp (schema ${version}, this one supports ${schemaVersion}); upgrade pdpp`,
      {
        next_step:
          "stop this pdpp and start the newer one; to go back instead, stop both, then restore the copy in backups/ of the data folder as vault.db, or a backup",
      },
    );
  }
}

/** Migrates up to a schema version; the schema of a backup may be older than the current one. */
export async function migrateTo(on: MigrationTransaction, version: number): Promise<void> {
  const { text } = on.dialect.types;
  if (on.dialect.name === "postgres") await on.all(raw("SELECT pg_advisory_xact_lock(7663)"));
  await on.run(raw(`CREATE TABLE IF NOT EXISTS meta (name ${text} PRIMARY KEY, value ${text} NOT NULL)`));
  const held = await on.one<{ value: string }>(versionRow);
  const from = held === undefined ? 0 : Number(held.value);
  if (from > schemaVersion) throw new NewerSchemaError(from);
  for (const migration of migrations.slice(from, version)) {
    for (const statement of await migration(on.dialect, on)) await on.run(raw(statement));
  }
  if (held === undefined) {
    await on.run(sql`INSERT INTO meta VALUES ('secret', ${randomBytes(32).toString("base64url")})`);
    await on.run(sql`INSERT INTO meta VALUES ('catalog_revision', '0')`);
    await on.run(sql`INSERT INTO meta VALUES ('schema_version', ${String(version)})`);
  } else if (from < version) {
    await on.run(sql`UPDATE meta SET value = ${String(version)} WHERE name = 'schema_version'`);
    await incrementCatalogRevision(on);
  }
}
