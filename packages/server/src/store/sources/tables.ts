import type { Dialect } from "../engine/engine.ts";

/** The migration that creates the tables of sources. `lease_id` is the run that may write, until `lease_until`. */
export const createSourceTables = ({ serial, types: { text, integer, number } }: Dialect): string[] => [
  `CREATE TABLE source (owner_no ${integer} NOT NULL, source_id ${text} NOT NULL, kind ${text} NOT NULL, connection_no ${integer},
    settings ${text} NOT NULL, created_at ${number} NOT NULL, paused_at ${number}, last_success_at ${number}, next_run_at ${number},
    failures ${integer} NOT NULL, lease_id ${text}, lease_until ${number}, PRIMARY KEY (owner_no, source_id))`,
  "CREATE INDEX source_due ON source (next_run_at)",
  `CREATE TABLE source_cursor (owner_no ${integer} NOT NULL, source_id ${text} NOT NULL, stream ${text} NOT NULL, value ${text} NOT NULL,
    PRIMARY KEY (owner_no, source_id, stream))`,
  `CREATE TABLE source_run (run_no ${serial}, owner_no ${integer} NOT NULL, source_id ${text} NOT NULL, run_id ${text} NOT NULL,
    mode ${text} NOT NULL, version ${text} NOT NULL, status ${text} NOT NULL, started_at ${number} NOT NULL, finished_at ${number},
    part_no ${integer}, report ${text} NOT NULL, UNIQUE (owner_no, run_id))`,
  "CREATE INDEX source_run_source ON source_run (owner_no, source_id, run_no)",
];
