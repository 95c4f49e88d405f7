import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { expect } from "vitest";
import { raw } from "#server/store/engine/sql";
import type { StoreLocation } from "#server/store/store";

export type OpenVault = () => Promise<TestVault>;

export const getLocation = ({ dataDir, databaseUrl }: TestVault): StoreLocation => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

/** A vault for one test, removed afterwards. */
export async function withVault<T>(open: OpenVault, work: (vault: TestVault) => Promise<T>): Promise<T> {
  const vault = await open();
  try {
    return await work(vault);
  } finally {
    await vault.drop();
  }
}

/** Every row of every table as text, and every byte of every file. SQLite's old word tables are included only as bytes. */
export async function dumpEverything({ store: { engine }, dataDir }: TestVault): Promise<string> {
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

/** Statements that undo the migration that put owners in front of every key. The chain of the first owner is shared again. */
export const undoOwnerKeys = (engine: "sqlite" | "postgres"): readonly string[] => [
  ...[
    "token_of_owner",
    "owner_session_of_owner",
    "owner_passkey_of_owner",
    "owner_passkey_host",
    "owner_link_of_owner",
    "oauth_client_unused",
    "access_grant_of_package",
  ].map((index) => `DROP INDEX ${index}`),
  "CREATE TABLE access_log_head AS SELECT entry_no, hash, first_no, first_hash FROM access_log_chain WHERE owner_no = 1",
  "CREATE TABLE access_log_owner (owner_no BIGINT PRIMARY KEY, last_no BIGINT NOT NULL)",
  "INSERT INTO access_log_owner SELECT owner_no, last_no FROM access_log_chain WHERE owner_no > 0",
  "DROP TABLE access_log_chain",
  "ALTER TABLE access_log DROP COLUMN was_unowned",
  "CREATE INDEX access_log_request ON access_log (owner_no, request_id)",
  ...(engine === "postgres"
    ? [
        "ALTER TABLE access_log RENAME CONSTRAINT access_log_key TO access_log_pkey",
        "ALTER TABLE owner ADD CONSTRAINT owner_name_key UNIQUE (name)",
      ]
    : []),
];

/** The tables of the newest migrations. */
const newestTables: readonly string[] = [
  "source",
  "source_cursor",
  "source_run",
  "import_memory",
  "import_file",
  "source_key",
  "source_secret",
];

/** Statements that undo the newest migrations: sources, and the memory of imports. */
export const beforeSources: readonly string[] = [
  ...newestTables.map((table) => `DROP TABLE ${table}`),
  "ALTER TABLE import_part DROP COLUMN memory_no",
];

/** Statements that turn a vault into one from before consent, imports, token limits and the log's hash chain. */
export const beforeLimits: readonly string[] = [
  ...["owner_link", "owner_session", "owner_passkey", "oauth_client", "oauth_thing"].map(
    (table) => `DROP TABLE ${table}`,
  ),
  "ALTER TABLE token DROP COLUMN oauth",
  ...[
    "import_part",
    "import_record",
    "import_aside",
    "blob_text",
    "blob_thumbnail",
    "person_trace",
    "person_progress",
    "saved_search",
    ...newestTables,
  ].map((table) => `DROP TABLE ${table}`),
  "ALTER TABLE token DROP COLUMN may",
  "ALTER TABLE token DROP COLUMN connection_ids",
  "ALTER TABLE token DROP COLUMN expired_at",
  "ALTER TABLE access_grant DROP COLUMN expired_at",
  "DROP TABLE access_log_head",
  "DROP TABLE access_log_owner",
  "DROP INDEX access_log_journal",
  "DROP INDEX access_log_owner_entry",
  ...[
    "kind",
    "code",
    "subject",
    "outcome",
    "ended_at",
    "times",
    "journal_id",
    "journal_no",
    "phase",
    "hash",
    "versions",
    "request",
    "request_digest",
    "owner_entry_no",
  ].map((column) => `ALTER TABLE access_log DROP COLUMN ${column}`),
];

const asText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);

/** Statements that undo the schema after that, for the first stream. */
export const withoutChanges = [
  "DROP INDEX record_history_until",
  "ALTER TABLE r_1 DROP COLUMN changes",
  "DROP INDEX r_1_doc",
  "ALTER TABLE r_1 DROP COLUMN doc",
  "ALTER TABLE record_history DROP COLUMN changes",
  "ALTER TABLE stream_stats DROP COLUMN changes",
  "ALTER TABLE owner DROP COLUMN revision_floor",
  "ALTER TABLE owner DROP COLUMN pruned_before",
  "ALTER TABLE owner DROP COLUMN time_zone",
];
