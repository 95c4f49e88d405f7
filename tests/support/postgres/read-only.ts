import pg from "pg";

/** Runs a statement even if the database is read-only. */
export async function runAsOperator(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query("SET default_transaction_read_only = off");
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Applies to new connections only, so it ends the others. */
export async function setReadOnly(databaseUrl: string, value: "on" | "off"): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await runAsOperator(databaseUrl, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
  await runAsOperator(
    databaseUrl,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
}
