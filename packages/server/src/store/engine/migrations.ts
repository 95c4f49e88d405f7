import { PdppError } from "@pdpp/contract/errors";
import { createAccessRevision } from "../access/access-revision.ts";
import { createMemoryTables } from "../imports/memory-tables.ts";
import { createSecretTables } from "../sources/secret-tables.ts";
import { createSourceTables } from "../sources/tables.ts";
import type { Dialect, Engine, ReadTransaction } from "./engine.ts";
import { parseStoredJson } from "./json.ts";
import { leadKeysWithOwner } from "./owner-keys.ts";
import { raw, sql } from "./sql.ts";

/** Forward only: a released migration never changes. Stream tables are created from manifests, see `catalog.ts`. */
export const migrations: ((dialect: Dialect, on: ReadTransaction) => string[] | Promise<string[]>)[] = [
  ({ name, serial, types: { text, number, integer, bytes } }) => [
    `CREATE TABLE owner (owner_no ${integer} PRIMARY KEY, name ${text} NOT NULL UNIQUE, next_version ${integer} NOT NULL,
      pruned_version ${integer} NOT NULL)`,
    "INSERT INTO owner VALUES (1, 'owner', 1, 0)",
    `CREATE TABLE connector (connector_key ${text} PRIMARY KEY, manifest ${text} NOT NULL, registered_at ${number} NOT NULL,
      pending_manifest ${text}, reindex_total ${integer}, reindex_done ${integer})`,
    `CREATE TABLE stream (stream_no ${serial}, connector_key ${text} NOT NULL, name ${text} NOT NULL, columns ${text} NOT NULL,
      pending_columns ${text}, indexes ${text} NOT NULL, search ${text}, pending_search ${text}, reindex_after ${text}, UNIQUE (connector_key, name))`,
    `CREATE TABLE connection (connection_no ${serial}, owner_no ${integer} NOT NULL, connection_id ${text} NOT NULL,
      connector_key ${text} NOT NULL, label ${text}, created_at ${number} NOT NULL, removed_at ${number},
      UNIQUE (owner_no, connection_id))`,
    `CREATE TABLE stream_stats (owner_no ${integer} NOT NULL, stream_no ${integer} NOT NULL, connection_no ${integer} NOT NULL,
      record_count ${integer} NOT NULL, tombstones ${integer} NOT NULL, updated_at ${number} NOT NULL,
      PRIMARY KEY (owner_no, stream_no, connection_no))`,
    `CREATE TABLE record_history (owner_no ${integer} NOT NULL, stream_no ${integer} NOT NULL, connection_no ${integer} NOT NULL,
      key ${text} NOT NULL, long_key ${text}, version ${integer} NOT NULL, revision ${integer} NOT NULL,
      until_version ${integer}, emitted_at ${number} NOT NULL, ended_at ${number}, deleted_at ${number}, data ${text},
      PRIMARY KEY (owner_no, stream_no, connection_no, key, version))`,
    "CREATE INDEX record_history_version ON record_history (owner_no, stream_no, connection_no, version)",
    "CREATE INDEX record_history_ended ON record_history (owner_no, ended_at)",
    `CREATE TABLE long_record (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, version ${integer} NOT NULL,
      stream_no ${integer} NOT NULL, outline ${text} NOT NULL, PRIMARY KEY (owner_no, connection_no, version))`,
    `CREATE TABLE long_text (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, version ${integer} NOT NULL,
      text_no ${integer} NOT NULL, n ${integer} NOT NULL, chars ${text} NOT NULL,
      PRIMARY KEY (owner_no, connection_no, version, text_no, n))`,
    `CREATE TABLE blob (owner_no ${integer} NOT NULL, blob_id ${text} NOT NULL, mime_type ${text} NOT NULL,
      size_bytes ${integer} NOT NULL, created_at ${number} NOT NULL, PRIMARY KEY (owner_no, blob_id))`,
    `CREATE TABLE blob_use (owner_no ${integer} NOT NULL, blob_id ${text} NOT NULL, stream_no ${integer} NOT NULL,
      connection_no ${integer} NOT NULL, key ${text} NOT NULL, field ${text} NOT NULL,
      PRIMARY KEY (owner_no, blob_id, stream_no, connection_no, key, field))`,
    "CREATE INDEX blob_use_record ON blob_use (owner_no, stream_no, connection_no, key)",
    ...(name === "postgres"
      ? [
          `CREATE TABLE blob_chunk (owner_no ${integer} NOT NULL, blob_id ${text} NOT NULL, n ${integer} NOT NULL,
            bytes ${bytes} NOT NULL, PRIMARY KEY (owner_no, blob_id, n))`,
        ]
      : []),
    `CREATE TABLE access_grant (owner_no ${integer} NOT NULL, grant_id ${text} NOT NULL, package_id ${text}, body ${text} NOT NULL,
      issued_at ${number} NOT NULL, expires_at ${number}, revoked_at ${number}, PRIMARY KEY (owner_no, grant_id))`,
    "CREATE INDEX access_grant_package ON access_grant (owner_no, package_id)",
    `CREATE TABLE token (token_hash ${text} PRIMARY KEY, token_id ${text} NOT NULL UNIQUE, owner_no ${integer} NOT NULL, kind ${text} NOT NULL,
      grant_id ${text}, package_id ${text}, client_name ${text} NOT NULL, created_at ${number} NOT NULL,
      expires_at ${number}, revoked_at ${number})`,
    `CREATE TABLE access_log (entry_no ${serial}, owner_no ${integer} NOT NULL, at ${number} NOT NULL, request_id ${text} NOT NULL,
      client ${text} NOT NULL, grant_ids ${text} NOT NULL, operation ${text} NOT NULL, connection_ids ${text} NOT NULL,
      stream ${text}, status ${integer} NOT NULL, records ${integer} NOT NULL, bytes ${integer} NOT NULL)`,
    "CREATE INDEX access_log_request ON access_log (owner_no, request_id)",
    `CREATE TABLE search_form (stem ${text} NOT NULL, form ${text} NOT NULL, PRIMARY KEY (stem, form))`,
  ],
  ({ name, types: { text, integer } }) => [
    // Words by owner and stream. Existing words may belong to any stream until the next sweep.
    "ALTER TABLE search_form RENAME TO old_search_form",
    `CREATE TABLE search_form (owner_no ${integer} NOT NULL, stem ${text} NOT NULL, form ${text} NOT NULL,
      stream_no ${integer} NOT NULL, PRIMARY KEY (owner_no, stem, form, stream_no))${name === "sqlite" ? " WITHOUT ROWID" : ""}`,
    `INSERT INTO search_form SELECT s.owner_no, f.stem, f.form, s.stream_no
      FROM (SELECT DISTINCT owner_no, stream_no FROM stream_stats) AS s CROSS JOIN old_search_form AS f`,
    "DROP TABLE old_search_form",
    `ALTER TABLE stream ADD COLUMN words_removed ${integer} NOT NULL DEFAULT 0`,
    "UPDATE stream SET words_removed = 1 WHERE search IS NOT NULL",
    `ALTER TABLE stream_stats ADD COLUMN revision_floor ${integer} NOT NULL DEFAULT 0`,
  ],
  ({ types: { integer } }) => [`ALTER TABLE stream ADD COLUMN is_built ${integer} NOT NULL DEFAULT 1`],
  async ({ name, serial, types: { text, integer, bytes } }, on) => [
    // Our own word indexes, the same on both engines. They are rebuilt from the records.
    ...(await listOldWordTables(on)).map((table) => `DROP TABLE IF EXISTS ${table}`),
    "DROP TABLE search_form",
    `ALTER TABLE owner ADD COLUMN index_revision ${integer} NOT NULL DEFAULT 0`,
    `CREATE TABLE search_segment (segment_no ${serial}, owner_no ${integer} NOT NULL, index_name ${text} NOT NULL,
      connection_no ${integer} NOT NULL, docs ${integer} NOT NULL, gone ${integer} NOT NULL, first_doc ${integer} NOT NULL,
      last_doc ${integer} NOT NULL, lengths ${text} NOT NULL, written ${text} NOT NULL, merge ${text})`,
    "CREATE INDEX search_segment_shard ON search_segment (owner_no, index_name, connection_no)",
    `CREATE TABLE search_gone (gone_no ${serial}, owner_no ${integer} NOT NULL, index_name ${text} NOT NULL,
      connection_no ${integer} NOT NULL, doc ${integer} NOT NULL, before_segment ${integer} NOT NULL)`,
    "CREATE INDEX search_gone_shard ON search_gone (owner_no, index_name, connection_no, doc)",
    ...(name === "sqlite"
      ? ["CREATE TABLE search_chunk (chunk_no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, bytes BLOB NOT NULL)"]
      : [
          `CREATE TABLE search_chunk (chunk_no ${integer} NOT NULL, owner_no ${integer} NOT NULL, bytes ${bytes} NOT NULL,
            PRIMARY KEY (owner_no, chunk_no))`,
          "ALTER TABLE search_chunk ALTER COLUMN bytes SET STORAGE PLAIN",
        ]),
    `UPDATE connector SET pending_manifest = COALESCE(pending_manifest, manifest), reindex_done = 0, reindex_total =
      (SELECT COALESCE(CAST(sum(s.record_count) AS ${integer}), 0) FROM stream_stats AS s JOIN stream AS t ON t.stream_no = s.stream_no
        WHERE t.connector_key = connector.connector_key AND (t.search IS NOT NULL OR t.pending_search IS NOT NULL))
      WHERE connector_key IN (SELECT connector_key FROM stream WHERE search IS NOT NULL OR pending_search IS NOT NULL)`,
    // A pending manifest decides what is searchable. That may be nothing, or fields that were not searchable before.
    `UPDATE stream SET pending_search = CASE WHEN pending_columns IS NULL THEN search ELSE pending_search END
      WHERE search IS NOT NULL OR pending_search IS NOT NULL`,
    `UPDATE stream SET reindex_after = '', pending_columns = COALESCE(pending_columns, columns),
      pending_search = substr(pending_search, 1, length(pending_search) - 1)
        || ',"since":{"1":' || (SELECT next_version FROM owner WHERE owner_no = 1) || '}}',
      search = NULL WHERE search IS NOT NULL OR pending_search IS NOT NULL`,
  ],
  ({ types: { text, number, integer } }) => [
    // Log entries form a chain of hashes and name the journal they came from. Older entries stay outside the chain.
    ...[
      `kind ${text} NOT NULL DEFAULT 'read'`,
      `code ${text}`,
      `subject ${text}`,
      `outcome ${text} NOT NULL DEFAULT 'finished'`,
      `ended_at ${number}`,
      `times ${integer} NOT NULL DEFAULT 1`,
      `journal_id ${text}`,
      `journal_no ${integer}`,
      `phase ${text} NOT NULL DEFAULT 'whole'`,
      `hash ${text}`,
    ].map((column) => `ALTER TABLE access_log ADD COLUMN ${column}`),
    "CREATE UNIQUE INDEX access_log_journal ON access_log (journal_id, journal_no, phase)",
    `CREATE TABLE access_log_head (entry_no ${integer} NOT NULL, hash ${text} NOT NULL, first_no ${integer} NOT NULL,
      first_hash ${text} NOT NULL)`,
    "INSERT INTO access_log_head SELECT COALESCE(max(entry_no), 0), '', COALESCE(max(entry_no), 0), '' FROM access_log",
  ],
  ({ types: { text, number } }) => [
    // The rights and connections of an owner's token; null means everything. When an expiry was first noticed.
    `ALTER TABLE token ADD COLUMN may ${text}`,
    `ALTER TABLE token ADD COLUMN connection_ids ${text}`,
    `ALTER TABLE token ADD COLUMN expired_at ${number}`,
    `ALTER TABLE access_grant ADD COLUMN expired_at ${number}`,
  ],
  ({ name, serial, types: { text, integer, number, bytes } }) => [
    // Imports. Each part of an import goes into one connection.
    `CREATE TABLE import_part (part_no ${serial}, owner_no ${integer} NOT NULL, import_id ${text} NOT NULL,
      connection_no ${integer} NOT NULL, format ${text} NOT NULL, importer_version ${text} NOT NULL, label ${text} NOT NULL,
      fingerprint ${text} NOT NULL, sources ${text} NOT NULL, answers ${text} NOT NULL, exported_at ${number} NOT NULL,
      started_at ${number} NOT NULL, finished_at ${number}, mark ${text}, tally ${text} NOT NULL)`,
    "CREATE INDEX import_part_import ON import_part (owner_no, import_id)",
    "CREATE INDEX import_part_connection ON import_part (owner_no, connection_no)",
    `CREATE TABLE import_record (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, stream_no ${integer} NOT NULL,
      key ${text} NOT NULL, first_part ${integer} NOT NULL, last_part ${integer} NOT NULL, changed_at ${number} NOT NULL,
      exported_at ${number} NOT NULL, importer_version ${text} NOT NULL,
      PRIMARY KEY (owner_no, connection_no, stream_no, key))${name === "sqlite" ? " WITHOUT ROWID" : ""}`,
    `CREATE TABLE import_aside (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, part_no ${integer} NOT NULL,
      n ${integer} NOT NULL, stream ${text} NOT NULL, path ${text} NOT NULL, place ${integer} NOT NULL, code ${text} NOT NULL, reason ${text} NOT NULL,
      raw ${bytes} NOT NULL, PRIMARY KEY (owner_no, part_no, n))`,
    "CREATE INDEX import_aside_connection ON import_aside (owner_no, connection_no)",
  ],
  ({ types: { text, number, integer } }) => [
    // Sign-in of owners, and consent. Secrets are stored as hashes only.
    `CREATE TABLE owner_link (link_hash ${text} PRIMARY KEY, owner_no ${integer} NOT NULL, expires_at ${number} NOT NULL,
      used_at ${number})`,
    `CREATE TABLE owner_session (session_hash ${text} PRIMARY KEY, session_id ${text} NOT NULL UNIQUE, owner_no ${integer} NOT NULL,
      browser ${text} NOT NULL, created_at ${number} NOT NULL, seen_at ${number} NOT NULL, revoked_at ${number})`,
    `CREATE TABLE oauth_client (client_id ${text} PRIMARY KEY, metadata ${text} NOT NULL, created_at ${number} NOT NULL,
      granted_at ${number})`,
    `CREATE TABLE oauth_thing (kind ${text} NOT NULL, id_hash ${text} NOT NULL, grant_id ${text}, uid_hash ${text}, user_code_hash ${text},
      body ${text} NOT NULL, consumed_at ${number}, expires_at ${number} NOT NULL, PRIMARY KEY (kind, id_hash))`,
    "CREATE INDEX oauth_thing_grant ON oauth_thing (grant_id)",
    "CREATE INDEX oauth_thing_uid ON oauth_thing (uid_hash)",
    "CREATE INDEX oauth_thing_user_code ON oauth_thing (user_code_hash)",
    "CREATE INDEX oauth_thing_expiry ON oauth_thing (expires_at)",
    `ALTER TABLE token ADD COLUMN oauth ${text}`,
  ],
  async ({ types: { text, number, integer } }, on) => [
    // The changes of a record, by field. Earlier changes count for every grant.
    ...(await on.all<{ stream_no: number }>(raw("SELECT stream_no FROM stream"))).map(
      ({ stream_no }) => `ALTER TABLE r_${stream_no} ADD COLUMN changes ${text}`,
    ),
    `ALTER TABLE record_history ADD COLUMN changes ${text}`,
    "CREATE INDEX record_history_until ON record_history (owner_no, stream_no, connection_no, until_version)",
    `ALTER TABLE stream_stats ADD COLUMN changes ${text}`,
    `ALTER TABLE owner ADD COLUMN revision_floor ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE owner ADD COLUMN pruned_before ${number}`,
  ],
  async ({ types: { integer } }, on) => [
    // A record's id in the word index: its first version.
    ...(await on.all<{ stream_no: number; is_built: number }>(raw("SELECT stream_no, is_built FROM stream"))).flatMap(
      ({ stream_no, is_built }) => [
        `ALTER TABLE r_${stream_no} ADD COLUMN doc ${integer}`,
        ...(is_built === 1
          ? [`CREATE INDEX r_${stream_no}_doc ON r_${stream_no} (owner_no, connection_no, doc) WHERE doc IS NOT NULL`]
          : []),
      ],
    ),
  ],
  ({ types: { text, integer, number } }) => [
    // Passkeys of owners: public keys only.
    `CREATE TABLE owner_passkey (passkey_id ${text} PRIMARY KEY, owner_no ${integer} NOT NULL, credential_id ${text} NOT NULL,
      host ${text} NOT NULL, name ${text} NOT NULL, public_key ${text} NOT NULL, counter ${number} NOT NULL, created_at ${number} NOT NULL,
      used_at ${number}, UNIQUE (credential_id, host))`,
  ],
  // The versions of the records that a read returned; unknown for older reads.
  ({ types: { text } }) => [`ALTER TABLE access_log ADD COLUMN versions ${text}`],
  ({ types: { text } }) => [
    // Whether a rejected item is a part of a file or a record. Rejected records had their stream in `path`, which could also be the
    // name of a file; the codes below are never used by importers.
    `ALTER TABLE import_aside ADD COLUMN kind ${text} NOT NULL DEFAULT 'part'`,
    `UPDATE import_aside SET kind = 'record', path = '' WHERE path = stream AND place = 0 AND code IN ('invalid_record',
      'invalid_record_identity', 'schema_violation', 'invalid_text', 'number_not_exact')`,
  ],
  ({ types: { text, integer } }) => [
    // The extracted text of a blob, or why it has none.
    `CREATE TABLE blob_text (owner_no ${integer} NOT NULL, blob_id ${text} NOT NULL, form ${text} NOT NULL, text ${text},
      chars ${integer} NOT NULL, is_cut ${integer} NOT NULL, reason ${text}, PRIMARY KEY (owner_no, blob_id, form))`,
  ],
  // The owner's time zone; null means the server's.
  ({ types: { text } }) => [`ALTER TABLE owner ADD COLUMN time_zone ${text}`],
  ({ types: { text, integer, number, bytes } }) => [
    // Small copies of pictures; null if a blob has none.
    `CREATE TABLE blob_thumbnail (owner_no ${integer} NOT NULL, blob_id ${text} NOT NULL, bytes ${bytes}, size_bytes ${integer} NOT NULL,
      created_at ${number} NOT NULL, PRIMARY KEY (owner_no, blob_id))`,
  ],
  ({ types: { text, integer } }) => [
    // What each stream says about a person's address, number or name, and how far the stream was read.
    `CREATE TABLE person_trace (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, stream_no ${integer} NOT NULL,
      identity ${text} NOT NULL, trace ${text} NOT NULL, records ${text} NOT NULL,
      PRIMARY KEY (owner_no, connection_no, stream_no, identity))`,
    "CREATE INDEX person_trace_identity ON person_trace (owner_no, identity)",
    `CREATE TABLE person_progress (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, stream_no ${integer} NOT NULL,
      plan ${text} NOT NULL, version ${integer} NOT NULL, up_to ${integer} NOT NULL, after_key ${text},
      PRIMARY KEY (owner_no, connection_no, stream_no))`,
  ],
  ({ types: { text } }) => [
    // What a read asked for, and its digest, which the chain covers; the digest stays when the request is deleted.
    `ALTER TABLE access_log ADD COLUMN request ${text}`,
    `ALTER TABLE access_log ADD COLUMN request_digest ${text}`,
  ],
  ({ types: { text, integer, number } }) => [
    // Searches that owners saved; the question is JSON.
    `CREATE TABLE saved_search (owner_no ${integer} NOT NULL, search_id ${text} NOT NULL, name ${text} NOT NULL,
      question ${text} NOT NULL, created_at ${number} NOT NULL, PRIMARY KEY (owner_no, search_id))`,
  ],
  ({ types: { integer } }) => [
    // Entries have a number in their owner's log. Those without one keep their number in the chain, and nobody's next number is lower.
    `ALTER TABLE access_log ADD COLUMN owner_entry_no ${integer}`,
    `CREATE UNIQUE INDEX access_log_owner_entry ON access_log ((CASE owner_no WHEN 0 THEN 1 ELSE owner_no END),
      (COALESCE(owner_entry_no, entry_no)))`,
    `CREATE TABLE access_log_owner (owner_no ${integer} PRIMARY KEY, last_no ${integer} NOT NULL)`,
    "INSERT INTO access_log_owner SELECT owner_no, (SELECT entry_no FROM access_log_head) FROM owner",
    "DROP INDEX access_log_journal",
    "CREATE UNIQUE INDEX access_log_journal ON access_log (journal_id, journal_no, phase, owner_no)",
  ],
  createSourceTables,
  createMemoryTables,
  createSecretTables,
  createAccessRevision,
  leadKeysWithOwner,
];

/** Before the fourth migration each stream had its own word tables, named in its plan. */
async function listOldWordTables(on: ReadTransaction): Promise<string[]> {
  const rows = await on.all<{ search: string | null; pending_search: string | null }>(
    raw("SELECT search, pending_search FROM stream"),
  );
  const plans = rows.flatMap(({ search, pending_search }) => [search, pending_search]).filter((plan) => plan !== null);
  const names = [...new Set(plans.map((plan) => parseStoredJson<{ name: string }>(plan).name))];
  return names.flatMap((table) => [`${table}_word`, table, `${table}_doc`]);
}

/** The schema of an open vault: older vaults are migrated, newer ones are rejected. */
export const schemaVersion = migrations.length;

/** The vault's secret key, for cursors and other values that must be recognized later. */
export async function loadVaultSecret(engine: Engine): Promise<string> {
  const row = await engine.read((on) => on.one<{ value: string }>(sql`SELECT value FROM meta WHERE name = 'secret'`));
  if (row === undefined) throw new PdppError("unavailable", "the vault has no secret, so it was not created by pdpp");
  return row.value;
}
