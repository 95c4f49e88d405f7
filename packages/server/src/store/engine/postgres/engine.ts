import pg from "pg";
import type { Column, ColumnType, Engine, Reading, Writing } from "../engine.ts";
import { render, type Sql, type SqlValue } from "../sql.ts";
import { postgresDialect } from "./dialect.ts";

const int8Oid = 20;
/** Our integers (versions, counts, sizes) stay far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

const arrayTypes: Record<ColumnType, string> = {
  text: "text[]",
  number: "float8[]",
  integer: "bigint[]",
  bytes: "bytea[]",
};

export function openPostgres(url: string): Engine {
  const pool = new pg.Pool({ connectionString: url, max: 16, types });
  // A connection that the server drops is replaced by the pool, and its next statement fails; without a listener, on idle ones
  // and on those at work, it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));

  const inTransaction = async <T>(begin: string, work: (on: Writing) => Promise<T>, isWriting: boolean): Promise<T> => {
    const client = await pool.connect();
    let result: T;
    try {
      await client.query(begin);
      result = await work(writing(client));
      if (isWriting) await client.query("COMMIT");
    } catch (error) {
      const broken = await client.query("ROLLBACK").then(
        () => undefined,
        (fault: Error) => fault,
      );
      client.release(broken);
      throw error;
    }
    if (isWriting) client.release();
    // Nobody needs to wait for the end of what has only read.
    else
      client.query("COMMIT").then(
        () => client.release(),
        (fault: Error) => client.release(fault),
      );
    return result;
  };

  return {
    dialect: postgresDialect,
    readsInProcess: false,
    read: (work) => inTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work, false),
    write: (work) => inTransaction("BEGIN", work, true),
    reclaim: async () => void (await pool.query("VACUUM")),
    close: () => pool.end(),
  };
}

const postgresText = (query: Sql): string => render(query, (n) => `$${n}`);

const run = (client: pg.PoolClient, query: Sql) => client.query(postgresText(query), [...query.values]);

function reading(client: pg.PoolClient): Reading {
  const all = async <T>(query: Sql): Promise<T[]> => (await run(client, query)).rows;
  return { all, allCached: all, one: async <T>(query: Sql) => (await all<T>(query))[0] };
}

function writing(client: pg.PoolClient): Writing {
  return {
    ...reading(client),
    run: async (query) => (await run(client, query)).rowCount ?? 0,
    async insert(
      table: string,
      columns: readonly Column[],
      rows: readonly (readonly SqlValue[])[],
      onConflict?: "ignore",
    ) {
      if (rows.length === 0) return;
      const names = columns.map((column) => column.name).join(", ");
      const arrays = columns.map((column, i) => `$${i + 1}::${arrayTypes[column.type]}`).join(", ");
      const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})${onConflict ? " ON CONFLICT DO NOTHING" : ""}`;
      await client.query(
        text,
        columns.map((_, i) => rows.map((row) => row[i])),
      );
    },
  };
}
