import pg from "pg";

/** What is left out of the rule that the owner leads every key, and why. Decision 61 explains it. */
export const tablesWithoutOwner: ReadonlyMap<string, string> = new Map([
  ["meta", "a few values of the vault"],
  ["connector", "all owners share the catalog"],
  ["stream", "all owners share the catalog"],
  ["oauth_client", "a client registers before any owner knows it"],
  ["oauth_thing", "codes and refresh tokens, found by their hash before the owner is known"],
  ["token", "found by its hash, to learn whose it is"],
  ["owner_link", "found by its hash, to learn whose it is"],
  ["owner_session", "found by its hash, to learn whose it is"],
  ["owner_passkey", "found by the authenticator's id, to learn whose it is"],
]);

export const indexesWithoutOwner: ReadonlyMap<string, string> = new Map([
  ["source_due", "the scheduler asks what is due in all owners"],
  ["access_grant_of_package", "the authorization server knows a package before its owner"],
]);

interface IndexRow {
  readonly table: string;
  readonly index: string;
  readonly unique: boolean;
  /** Null for an expression. */
  readonly first: string | null;
  /** The columns, without expressions. */
  readonly columns: readonly string[];
}

export interface OwnerCatalog {
  readonly tables: readonly string[];
  readonly indexes: readonly IndexRow[];
}

export async function readOwnerCatalog(client: pg.Client): Promise<OwnerCatalog> {
  const tables = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname",
  );
  const indexes = await client.query<IndexRow>(`SELECT t.relname AS table, i.relname AS index, x.indisunique AS unique,
      (SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = x.indkey[0]) AS first,
      ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (x.indkey)) AS columns
    FROM pg_index AS x JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
    WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace ORDER BY i.relname`);
  return { tables: tables.rows.map(({ name }) => name), indexes: indexes.rows };
}

const partitions = 4;

/** Splits every table of owners of a vault by the hash of the owner. The vault must not be open. Returns the names of the tables. */
export async function splitByOwner(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { tables } = await readOwnerCatalog(client);
    const owned = tables.filter((table) => !tablesWithoutOwner.has(table));
    await client.query("BEGIN");
    for (const table of owned) {
      await client.query(`ALTER TABLE ${table} RENAME TO whole_${table}`);
      await client.query(`CREATE TABLE ${table} (LIKE whole_${table} INCLUDING ALL) PARTITION BY HASH (owner_no)`);
      for (let n = 0; n < partitions; n += 1)
        await client.query(
          `CREATE TABLE ${table}_p${n} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${n})`,
        );
      await client.query(`INSERT INTO ${table} SELECT * FROM whole_${table}`);
      await client.query(`DROP TABLE whole_${table}`);
      await continueNumbers(client, table);
    }
    await client.query("COMMIT");
    return owned;
  } finally {
    await client.end();
  }
}

/** Copied rows do not advance the numbers of a table's identity column. */
async function continueNumbers(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''",
    [table],
  );
  for (const { name } of rows)
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${name}'), (SELECT COALESCE(max(${name}), 0) + 1 FROM ${table}), false)`,
    );
}

/** The partitions that a plan reads. */
export const listVisitedPartitions = (plan: readonly string[]): Set<string> =>
  new Set(plan.flatMap((line) => / on \w+_p(\d)\b/.exec(line)?.[1] ?? []));
