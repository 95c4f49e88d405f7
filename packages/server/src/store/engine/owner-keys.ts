import { createOwnerChains } from "../access/log/chain-tables.ts";
import type { Dialect } from "./engine.ts";

/**
 * Tables whose rows the engine numbers. On PostgreSQL the owner leads their keys, so that they can be split by owner. In SQLite a
 * number is a row's place in its file, which is never split.
 */
const numberedTables = [
  ["connection", "connection_no"],
  ["search_segment", "segment_no"],
  ["search_gone", "gone_no"],
  ["import_part", "part_no"],
  ["import_memory", "memory_no"],
  ["source_run", "run_no"],
] as const;

/** The migration that puts the owner in front of every key, and gives each owner a chain of log entries. */
export const leadKeysWithOwner = (dialect: Dialect): string[] => [
  ...(dialect.name === "postgres"
    ? [
        ...numberedTables.map(
          ([table, no]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey, ADD PRIMARY KEY (owner_no, ${no})`,
        ),
        // Two owners' names are compared while the table is locked; see `lockAllOwners`.
        "ALTER TABLE owner DROP CONSTRAINT owner_name_key",
      ]
    : []),
  // Without these, statements about one owner would read the tokens and sessions of all.
  "CREATE INDEX token_of_owner ON token (owner_no, package_id)",
  "CREATE INDEX owner_session_of_owner ON owner_session (owner_no)",
  "CREATE INDEX owner_passkey_of_owner ON owner_passkey (owner_no)",
  "CREATE INDEX owner_passkey_host ON owner_passkey (host)",
  "CREATE INDEX owner_link_of_owner ON owner_link (owner_no)",
  "CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE granted_at IS NULL",
  // The authorization server knows a package before it knows its owner.
  "CREATE INDEX access_grant_of_package ON access_grant (package_id) WHERE package_id IS NOT NULL",
  ...createOwnerChains(dialect),
];
