import type { Dialect } from "../engine/engine.ts";

/** The migration that creates the tables of remembered files. */
export const createMemoryTables = ({ serial, types: { text, integer, number } }: Dialect): string[] => [
  `CREATE TABLE import_memory (memory_no ${serial}, owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL,
    format ${text} NOT NULL, importer_version ${text} NOT NULL, answers ${text} NOT NULL, label ${text} NOT NULL, known ${text} NOT NULL,
    detection ${text} NOT NULL, part_no ${integer} NOT NULL, is_usable ${integer} NOT NULL)`,
  "CREATE INDEX import_memory_connection ON import_memory (owner_no, connection_no, is_usable)",
  `CREATE TABLE import_file (owner_no ${integer} NOT NULL, connection_no ${integer} NOT NULL, memory_no ${integer} NOT NULL,
    name ${text} NOT NULL, size_bytes ${integer} NOT NULL, stamp ${text} NOT NULL, crc ${number}, digest ${text} NOT NULL,
    ends ${text} NOT NULL, is_companion ${integer} NOT NULL, PRIMARY KEY (owner_no, memory_no, name))`,
  "CREATE INDEX import_file_name ON import_file (owner_no, name, memory_no)",
  "CREATE INDEX import_file_connection ON import_file (owner_no, connection_no, name)",
  `ALTER TABLE import_part ADD COLUMN memory_no ${integer}`,
];
