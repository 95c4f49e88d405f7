import type { Engine, ReadTransaction, WriteTransaction } from "#server/store/engine/engine";
import { raw, render, type Sql, type SqlValue, sql } from "#server/store/engine/sql";
import type { Store } from "#server/store/store";

/** A statement and its query plan. */
export interface Explained {
  readonly text: string;
  readonly plan: readonly string[];
}

/** A store that explains every statement before running it, so that no query is missed. */
export function createExplainingStore(store: Store): { store: Store; seen: Explained[] } {
  const seen: Explained[] = [];
  const { engine } = store;
  const sqlite = engine.dialect.name === "sqlite";
  const explain = async (on: ReadTransaction, query: Sql) => {
    const rows = await on.all<Record<string, string>>(
      sqlite ? sql`EXPLAIN QUERY PLAN ${query}` : sql`EXPLAIN (COSTS OFF) ${query}`,
    );
    seen.push({ text: query.parts.join("?"), plan: rows.map((row) => row.detail ?? row["QUERY PLAN"]!) });
    if (!sqlite) seen.push(await explainGeneric(on, query));
  };
  /** PostgreSQL would scan a small table; the test is whether an index could be used. */
  const begin = async (on: ReadTransaction) => {
    if (!sqlite) await on.all(raw("SET LOCAL enable_seqscan = off"));
  };
  const reading = <R extends ReadTransaction>(on: R): R => ({
    ...on,
    all: async <T>(query: Sql) => {
      await explain(on, query);
      return on.all<T>(query);
    },
    one: async <T>(query: Sql) => {
      await explain(on, query);
      return on.one<T>(query);
    },
    allCached: async <T>(query: Sql) => {
      await explain(on, query);
      return on.allCached<T>(query);
    },
  });
  const writing = (on: WriteTransaction): WriteTransaction => ({
    ...reading(on),
    run: async (query) => {
      await explain(on, query);
      return on.run(query);
    },
  });
  const explained: Engine = {
    ...engine,
    read: (work, weight) => engine.read(async (on) => begin(on).then(() => work(reading(on))), weight),
    select: <T>(query: Sql) => engine.read(async (on) => begin(on).then(() => reading(on).all<T>(query))),
    write: (work) => engine.write(async (on) => begin(on).then(() => work(writing(on)))),
  };
  return {
    store: {
      ...store,
      engine: explained,
      catalog: (on) => (on ? store.catalog(on) : explained.read((r) => store.catalog(r))),
    },
    seen,
  };
}

/**
 * PostgreSQL may plan a statement that recurs once, for any values: a plan made for these values alone says nothing about that one.
 */
async function explainGeneric(on: ReadTransaction, query: Sql): Promise<Explained> {
  const values = query.values.length === 0 ? "" : `(${query.values.map(formatLiteral).join(", ")})`;
  await on.all(raw("SET LOCAL plan_cache_mode = force_generic_plan"));
  await on.all(raw(`PREPARE explained AS ${render(query, (n) => `$${n}`)}`));
  const rows = await on.all<Record<string, string>>(raw(`EXPLAIN (COSTS OFF) EXECUTE explained${values}`));
  await on.all(raw("DEALLOCATE explained"));
  await on.all(raw("SET LOCAL plan_cache_mode = auto"));
  return { text: `for any values: ${query.parts.join("?")}`, plan: rows.map((row) => row["QUERY PLAN"]!) };
}

function formatLiteral(value: SqlValue): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
  const text = Array.isArray(value)
    ? `{${value.map((item: string | number) => `"${String(item).replace(/["\\]/g, "\\$&")}"`).join(",")}}`
    : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** The tables that grow with the vault. */
const grows = /\b(r_\d+|record_history|blob_use|blob_chunk|blob|token|access_grant|stream_stats)\b/;

/** Problems of a query plan: a growing table is scanned, or read without the owner. */
export function planFaults({ plan }: Explained): string[] {
  const text = plan.join("\n");
  return plan.filter((line, i) => {
    if (/^SCAN /.test(line)) return grows.test(line);
    if (/Seq Scan on/.test(line)) return grows.test(line);
    if (/^SEARCH /.test(line)) return /\br_\d+\b/.test(line) && !/connection_no=\?|connection_no IN/.test(line);
    if (/(Index|Index Only) Scan (Backward )?using \S+ on r_\d+|Bitmap Index Scan on r_\d+/.test(line))
      return !/connection_no/.test(plan[i + 1] ?? "");
    return /Disabled: true/.test(line) && grows.test(text);
  });
}

/** The conditions that indexes answer: in parentheses after SEARCH, or after Index Cond. */
export const listIndexConditions = ({ plan }: Explained): string[] =>
  plan.flatMap((line) => /^SEARCH .*\((.*)\)$/.exec(line)?.[1] ?? /Index Cond: (.*)$/.exec(line)?.[1] ?? []);
