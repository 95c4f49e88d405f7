import { readOwnerCatalog, tablesWithoutOwner } from "@pdpp/test-support/postgres/owner-tables";
import pg from "pg";

/** Makes many owners from one: copies every row of the first owner within the database. */

const ownersAtOnce = 50;

/** Adds copies until there are `count` owners. Statistics are collected, as the server's own vacuum would. */
export async function multiplyOwners(databaseUrl: string, count: number, note: (text: string) => void): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    // A copy that is lost with the machine is made again.
    await client.query("SET synchronous_commit = off");
    const { tables } = await readOwnerCatalog(client);
    // The entries of the log are sealed for their owner.
    const copied = tables.filter((table) => !tablesWithoutOwner.has(table) && !table.startsWith("access_"));
    for (let from = 2; from <= count; from += ownersAtOnce) {
      const to = Math.min(count, from + ownersAtOnce - 1);
      for (const table of copied) await client.query(await buildCopy(client, table), [from, to]);
      note(`${to} of ${count} owners`);
    }
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
}

async function buildCopy(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'owner_no'",
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => (table === "owner" && name === "name" ? "t.name || g.no" : `t.${name}`));
  return `INSERT INTO ${table} (owner_no, ${names.join(", ")}) SELECT g.no, ${values.join(", ")}
    FROM ${table} AS t CROSS JOIN generate_series($1::bigint, $2::bigint) AS g (no) WHERE t.owner_no = 1`;
}
