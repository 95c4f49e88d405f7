import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import pg from "pg";
import { openConnection } from "#server/store/engine/sqlite/connection";
import type { Stopwatch } from "./measure.ts";
import { getVaultFile, type Place } from "./vault.ts";

/** The bare engines: the same data through their own drivers. */

export interface RawReader {
  all(text: string): Promise<unknown[]>;
  /** A function that runs one prepared statement with a value for its only parameter, `$1`. */
  prepared(text: string): (value: string) => Promise<unknown>;
  close(): Promise<void>;
}

export async function openRaw(place: Place): Promise<RawReader> {
  if (place.databaseUrl === undefined) {
    const { db } = openConnection(getVaultFile(place), "read", 30_000);
    return {
      all: async (text) => db.prepare(text).all(),
      prepared(text) {
        const statement = db.prepare(text.replace("$1", "?"));
        return async (value) => statement.get(value);
      },
      close: async () => db.close(),
    };
  }
  const client = new pg.Client(place.databaseUrl);
  await client.connect();
  return {
    all: async (text) => (await client.query(text)).rows,
    prepared: (text) => async (value) => (await client.query(text, [value])).rows[0],
    close: () => client.end(),
  };
}

export interface RawInsert {
  readonly place: Place;
  readonly table: string;
  readonly connectionNo: number;
  /** Where the copy of the vault's table is created. */
  readonly copyFile: string;
}

const perTransaction = 1000;
const perRead = 20_000;

/** Inserts one connection's rows into an empty table of the same shape. Only the inserts are timed. */
export async function insertRaw(job: RawInsert, watch: Stopwatch): Promise<number> {
  return job.place.databaseUrl === undefined
    ? insertIntoSqlite(job, watch)
    : insertIntoPostgres(job, job.place.databaseUrl, watch);
}

const buildChunkSql = ({ table, connectionNo }: RawInsert, after: number): string =>
  `SELECT * FROM ${table} WHERE owner_no = 1 AND connection_no = ${connectionNo} AND version > ${after} ORDER BY version LIMIT ${perRead}`;

async function insertIntoSqlite(job: RawInsert, watch: Stopwatch): Promise<number> {
  const source = new DatabaseSync(getVaultFile(job.place), { readOnly: true });
  // The vault's own settings, so that only the code around them differs.
  const { db: copy } = openConnection(job.copyFile, "write", 30_000);
  const made = source
    .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC")
    .all(job.table);
  for (const { sql } of made) copy.exec(sql as string);
  const columns = source.prepare(`SELECT name FROM pragma_table_info('${job.table}')`).all();
  const versionAt = columns.findIndex(({ name }) => name === "version");
  const names = columns.map(({ name }) => name).join(", ");
  const insert = copy.prepare(`INSERT INTO ${job.table} (${names}) VALUES (${columns.map(() => "?").join(", ")})`);
  let records = 0;
  for (let after = 0; ; ) {
    const select = source.prepare(buildChunkSql(job, after));
    select.setReturnArrays(true);
    const rows = select.all() as unknown as SQLInputValue[][];
    if (rows.length === 0) break;
    after = rows.at(-1)![versionAt] as number;
    await watch.run(() => {
      for (let from = 0; from < rows.length; from += perTransaction) {
        copy.exec("BEGIN IMMEDIATE");
        for (const row of rows.slice(from, from + perTransaction)) insert.run(...row);
        copy.exec("COMMIT");
      }
    });
    records += rows.length;
  }
  source.close();
  copy.close();
  return records;
}

async function insertIntoPostgres(job: RawInsert, url: string, watch: Stopwatch): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE TABLE raw_copy (LIKE ${job.table} INCLUDING ALL)`);
  const columns = (
    await client.query<{ column_name: string; data_type: string }>(
      "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'raw_copy' ORDER BY ordinal_position",
    )
  ).rows;
  const names = columns.map(({ column_name }) => column_name);
  const arrays = columns.map(({ data_type }, i) => `$${i + 1}::${data_type}[]`).join(", ");
  const insert = `INSERT INTO raw_copy (${names.join(", ")}) SELECT * FROM unnest(${arrays})`;
  let records = 0;
  for (let after = 0; ; ) {
    const { rows } = await client.query(buildChunkSql(job, after));
    if (rows.length === 0) break;
    after = Number(rows.at(-1).version);
    const batches: unknown[][][] = [];
    for (let from = 0; from < rows.length; from += perTransaction) {
      const batch = rows.slice(from, from + perTransaction);
      batches.push(names.map((name) => batch.map((row) => row[name])));
    }
    await watch.run(async () => {
      for (const batch of batches) {
        await client.query("BEGIN");
        await client.query(insert, batch);
        await client.query("COMMIT");
      }
    });
    records += rows.length;
  }
  await client.query("DROP TABLE raw_copy");
  await client.end();
  return records;
}
