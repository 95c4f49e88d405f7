import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { type Ready, type ServerProcess, startServer } from "@pdpp/test-support/processes/server-process";
import { type RoundRobinProxy, startRoundRobinProxy } from "@pdpp/test-support/web/round-robin-proxy";
import { origin } from "../oauth/agent.ts";

/** Several `pdpp serve` on one database, each with a folder of its own, behind a proxy. */
export interface Cluster {
  readonly proxy: RoundRobinProxy;
  readonly urls: readonly string[];
  /** Kills a server without warning. The proxy does not know. */
  kill(n: number): Promise<void>;
  /** Starts it again, and tells the proxy its new address. */
  restart(n: number): Promise<void>;
  close(): Promise<void>;
}

interface Member {
  readonly url: string;
  readonly process: ServerProcess;
}

export async function startCluster(databaseUrl: string, size: number): Promise<Cluster> {
  const folders = Array.from({ length: size }, () => mkdtempSync(join(tmpdir(), "pdpp-cluster-")));
  const start = async (folder: string): Promise<Member> => {
    const args = ["--json", "--data-dir", folder, "--database-url", databaseUrl, "--public-url", origin];
    const process = startServer([...args, "--host", "127.0.0.1"], cleanEnvironment());
    for await (const line of process.output) {
      const { local_url: local, url } = JSON.parse(line) as Ready & { local_url?: string };
      return { url: local ?? url, process };
    }
    throw new Error("a server exited before it was ready");
  };
  // One after the other, because the first migrates the database.
  const members: Member[] = [];
  for (const folder of folders) members.push(await start(folder));
  const getUrls = () => members.map(({ url }) => url);
  const proxy = await startRoundRobinProxy(origin, getUrls());
  return {
    proxy,
    get urls() {
      return getUrls();
    },
    kill: async (n) => void (await members[n]?.process.stop("SIGKILL")),
    async restart(n) {
      members[n] = await start(folders[n]!);
      proxy.use(getUrls());
    },
    async close() {
      await proxy.close();
      await Promise.all(members.map(({ process }) => process.stop()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
