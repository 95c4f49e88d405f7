import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** Replaces a database by a copy of another one. Neither is in use, except by processes that were just killed. */
export async function replaceByCopy(databaseUrl: string, sourceUrl: string): Promise<void> {
  const [name, source] = [getName(databaseUrl), getName(sourceUrl)];
  await runOnServer(databaseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  // The server notices a moment later that the last connection to the source was closed.
  for (let triesLeft = 50; ; triesLeft -= 1) {
    try {
      await runOnServer(databaseUrl, `CREATE DATABASE ${name} TEMPLATE ${source}`);
      return;
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
    await wait(100);
  }
}

export const dropDatabase = (databaseUrl: string): Promise<void> =>
  runOnServer(databaseUrl, `DROP DATABASE IF EXISTS ${getName(databaseUrl)} WITH (FORCE)`);

const getName = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1);

async function runOnServer(databaseUrl: string, sql: string): Promise<void> {
  const client = new pg.Client(new URL("/postgres", databaseUrl).href);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
