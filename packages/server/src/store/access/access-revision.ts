import type { Dialect } from "../engine/engine.ts";
import { type Sql, sql } from "../engine/sql.ts";

/**
 * The revision of everything that decides what a token may read. On SQLite triggers change it in the transaction of whoever writes, so
 * that no writer can forget it. It is random: a revision that returns, as in a restored copy, stands for the same tables. On
 * PostgreSQL it never changes and is never asked for: there one statement reads the access of a token, which is as cheap.
 */
export const accessRevisionQuery: Sql = sql`SELECT value FROM meta WHERE name = 'access_revision'`;

const guarded = ["token", "access_grant", "connection"] as const;

export function createAccessRevision({ name }: Dialect): string[] {
  const insert =
    "INSERT INTO meta SELECT 'access_revision', '0' WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = 'access_revision')";
  if (name !== "sqlite") return [insert];
  const change = "UPDATE meta SET value = lower(hex(randomblob(16))) WHERE name = 'access_revision'";
  const createTrigger = (suffix: string, event: string): string =>
    `CREATE TRIGGER IF NOT EXISTS access_revision_${suffix} AFTER ${event} BEGIN ${change}; END`;
  return [
    insert,
    change,
    ...guarded.flatMap((table) =>
      ["INSERT", "UPDATE", "DELETE"].map((event) =>
        createTrigger(`${table}_${event.toLowerCase()}`, `${event} ON ${table}`),
      ),
    ),
    createTrigger("owner", "UPDATE OF time_zone ON owner"),
    createTrigger("catalog", "UPDATE ON meta WHEN NEW.name = 'catalog_revision'"),
  ];
}
