import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AccessDocument } from "@pdpp/contract/owner";
import { openStore } from "@pdpp/server/store/store";
import { cleanEnvironment, pdppFile, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Log entries of a server that was killed or stopped. */

const dataDir = mkdtempSync(join(tmpdir(), "pdpp-killed-"));
let token: string;
beforeAll(async () => {
  const store = await openStore({ dataDir });
  const vault = { store, dataDir } as TestVault;
  const world = await createSample(vault);
  const long = Array.from({ length: 4000 }, (_, i) => buildMessage(`l${i}`, i, { text: "long ".repeat(1000) }));
  await putRecords(vault, "chat_home", "messages", long);
  token = await world.grant(everything);
  await store.close();
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function startServer(): Promise<{ url: string; end(signal: NodeJS.Signals): Promise<void> }> {
  const args = [pdppFile, "serve", "--json", "--port", "0", "--data-dir", dataDir];
  const server = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ["ignore", "pipe", "ignore"] });
  const gone = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  for await (const line of createInterface({ input: server.stdout })) {
    const end = async (signal: NodeJS.Signals) => {
      server.kill(signal);
      await gone;
    };
    return { url: JSON.parse(line).url, end };
  }
  throw new Error("the server ended before it was ready");
}

const ask = (url: string, path: string, requestId: string) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, "request-id": requestId } });
const readLog = async (): Promise<AccessDocument[]> => {
  const { stdout } = await runPdpp(["log", "--json", "--limit", "10000", "--data-dir", dataDir]);
  return JSON.parse(stdout).data;
};

test("[LOG-1] [LOG-9] a killed server has logged every response that arrived once, and an export as unfinished", async () => {
  const { url, end } = await startServer();
  const received: string[] = [];
  const read = async (client: number) => {
    for (let n = 0; ; n += 1) {
      const id = `k-${client}-${n}`;
      const response = await ask(url, "/v1/streams/messages/records?limit=5", id);
      await response.text();
      received.push(id);
    }
  };
  const exporting = await ask(url, "/v1/export", "k-export");
  const first = await exporting.body!.getReader().read();
  expect(first.value?.byteLength).toBeGreaterThan(0);
  const reading = Promise.allSettled([0, 1, 2, 3].map(read));
  while (received.length < 60) await new Promise((resolve) => setTimeout(resolve, 5));
  await end("SIGKILL");
  await reading;
  const entries = await readLog();
  const ids = entries.map(({ request_id }) => request_id);
  expect(received.filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.filter((id) => id.startsWith("k-")).length).toBe(new Set(ids.filter((id) => id.startsWith("k-"))).size);
  expect(entries.filter(({ request_id }) => request_id === "k-export")).toMatchObject([{ outcome: "unfinished" }]);
  // The newest record was in all of these pages, and may have been in the export.
  const asked = ["log", "--record", "chat_home/messages:l3999", "--json", "--data-dir", dataDir];
  const { readers } = JSON.parse((await runPdpp(asked)).stdout);
  expect(readers).toMatchObject([{ client: "test", perhaps: { times: 1 } }]);
  expect(readers[0].times).toBe(entries.filter(({ operation }) => operation === "queryRecords").length);
  const verified = await runPdpp(["log", "verify", "--data-dir", dataDir]);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("entries verified")]);
});

test("[LOG-1] a stopping server logs an export it cut off, with what was sent", async () => {
  const { url, end } = await startServer();
  const exporting = await ask(url, "/v1/export", "t-export");
  const reader = exporting.body!.getReader();
  let size = (await reader.read()).value?.byteLength ?? 0;
  await end("SIGTERM");
  for (;;) {
    const next = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (next.done) break;
    size += next.value?.byteLength ?? 0;
  }
  const mine = (await readLog()).filter(({ request_id }) => request_id === "t-export");
  expect(mine).toMatchObject([{ operation: "export", outcome: "cut" }]);
  expect(mine[0]?.records).toBeGreaterThan(0);
  expect(mine[0]?.bytes).toBeGreaterThanOrEqual(size);
});
