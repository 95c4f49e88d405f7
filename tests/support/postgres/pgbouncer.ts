import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { findFreePort } from "./embedded-postgres.ts";

const program = "/usr/sbin/pgbouncer";

export const isPgbouncerInstalled = existsSync(program);

export interface Pgbouncer {
  /** The URL of the same database through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts pgbouncer before a database, with few server connections, so that transactions of different clients share them. */
export async function startPgbouncer(
  databaseUrl: string,
  { poolSize = 3, ignoredParameters = "extra_float_digits" } = {},
): Promise<Pgbouncer> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "pdpp-pgbouncer-"));
  const port = await findFreePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 300
server_reset_query_always = 0
ignore_startup_parameters = ${ignoredParameters}
`,
  );
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(program, [...user, file], { stdio: "ignore" });
  const url = new URL(databaseUrl);
  url.port = String(port);
  await waitUntilReady(child, url.href);
  return {
    url: url.href,
    async close() {
      if (child.exitCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    if (child.exitCode !== null) throw new Error(`pgbouncer exited with ${child.exitCode}`);
    const client = new pg.Client(url);
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (tries > 200) throw error;
      await wait(50);
    }
  }
}
