import pg from "pg";
import type { Target } from "../attack.ts";

async function query<T>({ databaseUrl }: Target, text: string): Promise<T[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

/** Tables in the target's database; 0 on SQLite, where a vault is a file. */
export async function countTables(target: Target): Promise<number> {
  if (target.databaseUrl === undefined) return 0;
  return (await query(target, "SELECT FROM information_schema.tables WHERE table_schema = 'public'")).length;
}

export async function emptyDatabase(target: Target): Promise<void> {
  await query(target, "DROP SCHEMA public CASCADE; CREATE SCHEMA public");
}
