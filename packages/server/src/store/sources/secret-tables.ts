import type { Dialect } from "../engine/engine.ts";

/**
 * The migration that adds the credentials of sources. `sign_in` stays with a source when its credentials are gone, as after a restore,
 * so that the source can ask for them.
 */
export const createSecretTables = ({ types: { text, integer, number } }: Dialect): string[] => [
  `CREATE TABLE source_key (owner_no ${integer} PRIMARY KEY, key_id ${text} NOT NULL, protection ${text} NOT NULL, salt ${text},
    check_text ${text} NOT NULL)`,
  `CREATE TABLE source_secret (owner_no ${integer} NOT NULL, source_id ${text} NOT NULL, key_id ${text} NOT NULL, sealed ${text} NOT NULL,
    saved_at ${number} NOT NULL, PRIMARY KEY (owner_no, source_id))`,
  `ALTER TABLE source ADD COLUMN sign_in ${text}`,
];
