import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { createServerProcess, findFreePort, type PostgresServer } from "./embedded-postgres.ts";

export interface ReplicaServer {
  /** Connection URL without a database name. */
  readonly url: string;
  /** Stops and continues applying what the primary sends. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a streaming replica from a base backup of a running server. */
export async function startReplica(primary: PostgresServer): Promise<ReplicaServer> {
  const databaseDir = join(tmpdir(), `pdpp-replica-${randomUUID()}`);
  await copyData(primary, databaseDir);
  const port = await findFreePort();
  const { port: primaryPort } = new URL(primary.url);
  const server = await createServerProcess({
    databaseDir,
    port,
    flags: [
      "-c",
      `primary_conninfo=host=127.0.0.1 port=${primaryPort} user=postgres password=postgres`,
      "-c",
      "fsync=off",
    ],
  });
  // The library waits for a message that only a primary logs.
  void server.start().catch(() => undefined);
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`;
  const query = async (text: string): Promise<void> => {
    const client = new pg.Client(`${url}/postgres`);
    client.on("error", () => undefined);
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await query("SELECT 1");
      break;
    } catch (error) {
      if (tries > 300) throw error;
      await wait(100);
    }
  }
  return {
    url,
    pauseReplay: () => query("SELECT pg_wal_replay_pause()"),
    resumeReplay: () => query("SELECT pg_wal_replay_resume()"),
    promote: () => query("SELECT pg_promote()"),
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** A base backup by PostgreSQL's own functions: the package has no pg_basebackup. */
async function copyData({ url, databaseDir }: PostgresServer, target: string): Promise<void> {
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('replica', true)");
    // As root, the files keep their owner, as whom the server runs.
    await promisify(execFile)("cp", ["-a", databaseDir, target]);
    const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    rmSync(join(target, "postmaster.pid"), { force: true });
    const { uid, gid } = statSync(target);
    for (const [name, content] of Object.entries({ backup_label: rows[0]!.labelfile, "standby.signal": "" })) {
      writeFileSync(join(target, name), content);
      chownSync(join(target, name), uid, gid);
    }
  } finally {
    await client.end();
  }
}
