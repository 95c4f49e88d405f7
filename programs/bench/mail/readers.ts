import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createBuiltinSettings, findBuiltin } from "@pdpp/collecting/builtin";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { mailManifest } from "@pdpp/importers/mail/manifest";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore, type Store } from "@pdpp/server/store/store";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { runWhileServing } from "@pdpp/test-support/processes/server-process";
import { type Dovecot, password, user } from "../../../tests/collecting/imap/dovecot.ts";
import { calculatePercentile, compareWithRaw, type Figure, timeWork } from "../measure.ts";

/** A person's reads: not so many that they wait for each other. */
const pauseMs = 10;
const idleReads = 1500;
const checkMs = 250;
const paths = [
  "/v1/streams",
  "/v1/streams/messages/records?limit=10&connection_id=cin_mail_ada",
  "/v1/search?q=boiler&limit=5",
];
const sourceId = "account";

/** Small reads of a server while it collects an account for the first time, compared with those of the same server when it is idle. */
export async function measureReaders(workDir: string, { port }: Dovecot, mails: number): Promise<Figure[]> {
  const dataDir = join(workDir, "readers");
  const env = cleanEnvironment({ IMAP_PASSWORD: password });
  return runWhileServing(["--demo", "--data-dir", dataDir], env, async ({ url, demo_token: token }, pid) => {
    if (token === undefined) throw new Error("the demo has no token");
    const headers = { authorization: `Bearer ${token}` };
    const read = async (n: number): Promise<number> =>
      timeWork(async () => {
        const answer = await fetch(`${url}${paths[n % paths.length]}`, { headers });
        if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
        await answer.arrayBuffer();
      });
    const readWhile = async (isBusy: (count: number) => boolean): Promise<number[]> => {
      const times: number[] = [];
      for (let n = 0; isBusy(n); n += 1) {
        times.push(await read(n));
        await wait(pauseMs);
      }
      return times;
    };
    await readWhile((n) => n < idleReads / 5);
    const idle = await readWhile((n) => n < idleReads);
    const store = await openStore({ dataDir });
    try {
      const owner = await addAccount(store, port);
      // The server notices it at its next check.
      while ((await owner.sources.listRuns(sourceId, 1)).length === 0) await wait(checkMs);
      let isDone = false;
      const collecting = waitForRun(owner).finally(() => {
        isDone = true;
      });
      const before = readCpuMs(pid);
      const beside = await readWhile(() => !isDone);
      const cpuMs = readCpuMs(pid) - before;
      await collecting;
      return [
        compareReads("p50", 50, beside, idle),
        { ...compareReads("p99", 99, beside, idle), limit: { atMost: 2 }, allowance: 20 },
        {
          what: "the server's CPU time per mail of a first sync, with the reads",
          unit: "us",
          ours: (cpuMs * 1000) / mails,
        },
      ];
    } finally {
      await store.close();
    }
  });
}

const compareReads = (what: string, percent: number, beside: number[], idle: number[]): Figure =>
  compareWithRaw(
    `a read during a first sync, ${what} (raw: idle)`,
    "ms",
    calculatePercentile(beside, percent),
    calculatePercentile(idle, percent),
  );

async function addAccount(store: Store, port: number): Promise<OwnerApi> {
  const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
  await owner.connectors.register(parseManifest(mailManifest));
  await owner.connections.add({ connector_key: "mail-files", connection_id: sourceId });
  const values = { IMAP_HOST: "127.0.0.1", IMAP_PORT: String(port), IMAP_SECURITY: "none", IMAP_USER: user };
  const settings = createBuiltinSettings(findBuiltin("imap"), values);
  await owner.sources.add({ source_id: sourceId, kind: "connector", connection_id: sourceId, settings });
  return owner;
}

async function waitForRun(owner: OwnerApi): Promise<void> {
  for (;;) {
    const [run] = await owner.sources.listRuns(sourceId, 1);
    if (run?.status === "succeeded" && !run.has_more) return;
    if (run !== undefined && run.status !== "running" && run.status !== "succeeded")
      throw new Error(`the run ${run.status}: ${run.error?.message}`);
    await wait(checkMs);
  }
}

/** Linux reports CPU time in ticks of 10 ms. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
