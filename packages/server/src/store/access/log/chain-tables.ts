import type { Dialect } from "../../engine/engine.ts";

/**
 * The statements that give each owner a chain of log entries. Before, all owners shared one. What it has stays as it is, because kept
 * hashes refer to it: the shared chain is the row of owner 0, and each owner's chain continues from its end. `shared_no` is the last
 * number of the shared chain, or 0 for an owner who was never part of it.
 */
export const createOwnerChains = ({ types: { text, integer, number } }: Dialect): string[] => [
  `CREATE TABLE access_log_chain (owner_no ${integer} PRIMARY KEY, last_no ${integer} NOT NULL, entry_no ${integer} NOT NULL,
    hash ${text} NOT NULL, first_no ${integer} NOT NULL, first_hash ${text} NOT NULL, shared_no ${integer} NOT NULL)`,
  `INSERT INTO access_log_chain SELECT 0, 0, entry_no, hash, first_no, first_hash, 0 FROM access_log_head WHERE entry_no > 0`,
  `INSERT INTO access_log_chain SELECT o.owner_no, COALESCE(n.last_no, 0), h.entry_no, h.hash, h.entry_no, h.hash, h.entry_no
    FROM owner AS o CROSS JOIN access_log_head AS h LEFT JOIN access_log_owner AS n ON n.owner_no = o.owner_no`,
  "DROP TABLE access_log_head",
  "DROP TABLE access_log_owner",
  // Numbers in different chains are equal, so the owner is part of the key.
  ...["request", "journal", "owner_entry"].map((index) => `DROP INDEX access_log_${index}`),
  "ALTER TABLE access_log RENAME TO old_access_log",
  `CREATE TABLE access_log (owner_no ${integer} NOT NULL, entry_no ${integer} NOT NULL, at ${number} NOT NULL, request_id ${text} NOT NULL,
    client ${text} NOT NULL, grant_ids ${text} NOT NULL, operation ${text} NOT NULL, connection_ids ${text} NOT NULL, stream ${text},
    status ${integer} NOT NULL, records ${integer} NOT NULL, bytes ${integer} NOT NULL, kind ${text} NOT NULL DEFAULT 'read', code ${text},
    subject ${text}, outcome ${text} NOT NULL DEFAULT 'finished', ended_at ${number}, times ${integer} NOT NULL DEFAULT 1,
    journal_id ${text}, journal_no ${integer}, phase ${text} NOT NULL DEFAULT 'whole', hash ${text}, versions ${text}, request ${text},
    request_digest ${text}, owner_entry_no ${integer}, was_unowned ${integer},
    CONSTRAINT access_log_key PRIMARY KEY (owner_no, entry_no))`,
  `INSERT INTO access_log (owner_no, entry_no, was_unowned, ${keptColumns})
    SELECT CASE owner_no WHEN 0 THEN 1 ELSE owner_no END, entry_no, CASE owner_no WHEN 0 THEN 1 END, ${keptColumns} FROM old_access_log`,
  "DROP TABLE old_access_log",
  "CREATE UNIQUE INDEX access_log_owner_entry ON access_log (owner_no, (COALESCE(owner_entry_no, entry_no)))",
  "CREATE UNIQUE INDEX access_log_journal ON access_log (owner_no, journal_id, journal_no, phase)",
];

const keptColumns = `at, request_id, client, grant_ids, operation, connection_ids, stream, status, records, bytes, kind, code, subject,
  outcome, ended_at, times, journal_id, journal_no, phase, hash, versions, request, request_digest, owner_entry_no`;
