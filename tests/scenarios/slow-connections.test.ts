import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { openStore, type Store } from "@pdpp/server/store/store";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConnectionLimits } from "#server/http/connections";
import { readAccessLog } from "#server/store/access/log/access-log";

/** Clients that hold a connection without using it. */

const dataDir = mkdtempSync(join(tmpdir(), "pdpp-slow-"));
const limits = {
  maxPerAddress: 20,
  headersMs: 400,
  stalledMs: 1500,
  paceBytes: 2000,
  checkEveryMs: 100,
} satisfies Partial<ConnectionLimits>;
let running: RunningServer;
let store: Store;
let world: Sample;
let token: string;
beforeAll(async () => {
  store = await openStore({ dataDir });
  const vault = { store, dataDir } as TestVault;
  world = await createSample(vault);
  token = await world.grant(everything);
  const text = "a long message ".repeat(4000);
  await putRecords(
    vault,
    "chat_home",
    "messages",
    Array.from({ length: 200 }, (_, n) => buildMessage(`long${n}`, n, { text })),
  );
  running = await serve({ dataDir, port: 0, host: "127.0.0.1", limits });
});
afterAll(async () => {
  await running.close();
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});
afterEach(() => vi.restoreAllMocks());

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const readAnswer = async (socket: Socket): Promise<string> => {
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  await once(socket, "close");
  return answer;
};

const countLoggedRecords = async (requestId: string): Promise<number | undefined> =>
  (await store.engine.read((on) => readAccessLog(on, 1, { limit: 50 }))).find((entry) => entry.requestId === requestId)
    ?.bytes;

describe("[FAIR-1] a stalled connection", () => {
  it("is closed when headers trickle in", async () => {
    const socket = await open();
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
    const timer = setInterval(() => socket.write("X-Slow: 1\r\n"), 50);
    const answer = await readAnswer(socket);
    clearInterval(timer);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain("request_timeout");
  });

  it("is closed when nothing is ever sent", async () => {
    const socket = await open();
    await readAnswer(socket);
  });

  it("is closed when a body stops", async () => {
    const began = Date.now();
    const socket = await open();
    const line = JSON.stringify(buildMessage("before", 1));
    socket.write(
      `POST /v1/ingest/messages?connection_id=chat_home HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.ownerToken}\r\nContent-Length: 100000\r\n\r\n${line}\n`,
    );
    await readAnswer(socket);
    expect(Date.now() - began).toBeGreaterThan(limits.stalledMs);
  });

  it.each([
    ["", 0],
    [", although the clock is set forward", 3_600_000],
  ])("stays open while a body arrives at the minimum rate%s", async (_, jumpMs) => {
    const socket = await open();
    const body = Array.from(
      { length: 60 },
      (_, n) => `${JSON.stringify(buildMessage(`slow${n}`, n, { text: "x".repeat(600) }))}\n`,
    );
    const size = body.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    socket.write(
      `POST /v1/ingest/messages?connection_id=chat_home HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${world.ownerToken}\r\nContent-Length: ${size}\r\n\r\n`,
    );
    const answer = readAnswer(socket);
    const realNow = Date.now;
    for (const [n, line] of body.entries()) {
      if (jumpMs > 0) vi.spyOn(Date, "now").mockImplementation(() => realNow() + n * jumpMs);
      socket.write(line);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it("is closed when the client does not read, and the call is logged with what was sent", async () => {
    const socket = await open();
    socket.pause();
    socket.write(
      `GET /v1/export HTTP/1.1\r\nHost: localhost\r\nRequest-Id: stalled-export\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    // A paused socket does not see its end. The log has what was sent once the server has given up.
    await expect.poll(async () => countLoggedRecords("stalled-export")).toBeGreaterThan(0);
    socket.destroy();
  });

  it("is closed when its slot is needed", async () => {
    const idle = await Promise.all(Array.from({ length: 40 }, open));
    const answer = await fetch(`${running.url}/healthz`);
    expect(answer.status).toBe(200);
    expect(idle.filter((socket) => !socket.destroyed).length).toBeLessThanOrEqual(limits.maxPerAddress);
    for (const socket of idle) socket.destroy();
  });
});
