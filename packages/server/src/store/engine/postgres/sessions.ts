import pg from "pg";
import { isLostConnection, isRejectedStartup } from "./errors.ts";
import { formatBegin, formatPooledBegin, formatSessionOptions, type PoolKind, sessionCheck } from "./kinds.ts";
import type { StatementNames } from "./statement-names.ts";

const int8Oid = 20;
/** Our integers (versions, counts, sizes) stay well below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

/** Our timeout exceeds the server's by this much, in case the server is gone. */
const networkGraceMs = 5000;

/** A connection that has been taken from its pool. */
export interface Session {
  /** The statement that begins a transaction with the timeouts of its kind. */
  readonly begin: string;
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** Gives it back; after an error it is closed instead. */
  release(error?: unknown): void;
}

export interface Sessions {
  take(): Promise<Session>;
  /**
   * Takes a connection and starts work on it. A connection that was lost while idle fails at its first statement, and is replaced;
   * `start` resolves when that statement has succeeded.
   */
  start<T>(start: (session: Session) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/**
 * A pool of connections. Each starts with its timeouts, unless a pooler between us and the server gives each transaction another
 * connection: then nothing may be left on a connection, neither settings nor prepared statements. Poolers that refuse or drop the
 * settings are noticed; for others the URL says `pooler=transaction`.
 */
export function openSessions(databaseUrl: string, kind: PoolKind, names: StatementNames): Sessions {
  const { url, options, isPooled } = parseDatabaseUrl(databaseUrl);
  const create = (startOptions: string | undefined): pg.Pool => {
    const pool = new pg.Pool({
      connectionString: url,
      max: kind.connections,
      types,
      connectionTimeoutMillis: kind.connectMs,
      query_timeout: kind.statementMs + networkGraceMs,
      keepAlive: true,
      // Reads send a statement before the last one is answered. A write must not: if BEGIN failed, it would not be in a transaction.
      pipeline: !kind.isWriting,
      ...(startOptions === undefined ? {} : { options: startOptions }),
    });
    // The pool replaces a connection that the server drops, and its next statement fails. Without a listener the error would end the
    // process.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool;
  };
  const ownOptions = [options, formatSessionOptions(kind)].filter((part) => part !== "").join(" ");
  let held = { pool: create(isPooled ? options || undefined : ownOptions), isPooled };
  const replaced: pg.Pool[] = [];
  const switchToPooled = (from: typeof held): void => {
    if (held !== from) return;
    held = { pool: create(options || undefined), isPooled: true };
    replaced.push(from.pool);
    void from.pool.end().catch(() => undefined);
  };
  const generations = new WeakMap<pg.PoolClient, number>();

  const take = async (): Promise<Session> => {
    const from = held;
    const client = await from.pool.connect().catch((error: unknown) => {
      if (from.isPooled || !isRejectedStartup(error)) throw error;
      switchToPooled(from);
      return undefined;
    });
    if (client === undefined) return take();
    if (!generations.has(client) && !from.isPooled && !(await hasOwnSettings(client, kind))) {
      client.release(true);
      switchToPooled(from);
      return take();
    }
    const generation = generations.get(client) ?? names.generation;
    generations.set(client, generation);
    return {
      begin: from.isPooled ? formatPooledBegin(kind) : formatBegin(kind),
      query(text, values = []) {
        const name = from.isPooled || generation !== names.generation ? undefined : names.find(text);
        return client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) });
      },
      // A connection of an earlier generation holds prepared statements that are no longer used.
      release: (error) => client.release(error !== undefined || generation !== names.generation),
    };
  };

  const start: Sessions["start"] = async (begin) => {
    for (let triesLeft = kind.connections; ; triesLeft -= 1) {
      const session = await take();
      try {
        return await begin(session);
      } catch (error) {
        session.release(error);
        if (triesLeft === 0 || !isLostConnection(error)) throw error;
      }
    }
  };
  return {
    take,
    start,
    end: async () =>
      void (await Promise.all([held.pool, ...replaced].map((pool) => (pool.ended ? undefined : pool.end())))),
  };
}

async function hasOwnSettings(client: pg.PoolClient, { statementMs }: PoolKind): Promise<boolean> {
  try {
    const { rows } = await client.query<{ ms: number }>(sessionCheck);
    return rows[0]?.ms === statementMs;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

interface DatabaseUrl {
  readonly url: string;
  /** Settings that the URL itself asks for. */
  readonly options: string;
  readonly isPooled: boolean;
}

/** Takes `pooler`, which is ours, and `options`, to which we add, out of the URL. */
function parseDatabaseUrl(databaseUrl: string): DatabaseUrl {
  const [, base = databaseUrl, query = ""] = /^([^?]*)\?(.*)$/s.exec(databaseUrl) ?? [];
  const parameters = new URLSearchParams(query);
  const options = parameters.get("options") ?? "";
  const isPooled = parameters.get("pooler") === "transaction";
  parameters.delete("options");
  parameters.delete("pooler");
  return { url: parameters.size === 0 ? base : `${base}?${parameters}`, options, isPooled };
}
