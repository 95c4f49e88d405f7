import { DatabaseSync } from "node:sqlite";

/** The bytes of a database, as a program leaves it. */
export function encodeDatabase(fill: (database: DatabaseSync) => void): Uint8Array {
  const database = new DatabaseSync(":memory:");
  try {
    fill(database);
    return database.serialize();
  } finally {
    database.close();
  }
}
