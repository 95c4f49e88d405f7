import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asOwner, everyNote, fillWithNotes, readRest, sendSlowRequest } from "../../programs/attack/served.ts";

/** Requests that Node itself rejects, which needs a real socket. */

const dataDir = mkdtempSync(join(tmpdir(), "pdpp-socket-"));
let running: RunningServer;
beforeAll(async () => {
  running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await running.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(running.url).port), "127.0.0.1", () => socket.end(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

const parseBody = (answer: string) =>
  JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { error: { code: string } };

describe("a server on a socket", () => {
  it("answers input that is not HTTP with an error in the common shape", async () => {
    const answer = await send("GET / HTTP/9.9\r\nnonsense\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(parseBody(answer).error.code).toBe("invalid_request");
  });

  it("answers headers that are too large with an error in the common shape, and accepts long keys", async () => {
    const huge = await send(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Huge: ${"x".repeat(80_000)}\r\n\r\n`);
    expect(huge).toMatch(/^HTTP\/1.1 431 /);
    expect(parseBody(huge).error.code).toBe("headers_too_large");
    const key = encodeURIComponent("👍".repeat(1000));
    const long = await fetch(`${running.url}/v1/streams/s/records/${key}`);
    expect(long.status).toBe(401);
  });

  it("rejects a port that is in use, and says what to do", async () => {
    const other = mkdtempSync(join(tmpdir(), "pdpp-socket-"));
    const port = Number(new URL(running.url).port);
    await expect(serve({ dataDir: other, port, host: "127.0.0.1" })).rejects.toThrow(
      /taken; choose another with --port/,
    );
    rmSync(other, { recursive: true, force: true });
  });

  it("[KEEP-6] finishes running requests when it stops, and refuses new ones on the same connection", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pdpp-socket-"));
    const target = { engine: "sqlite", dataDir: folder } as const;
    const token = await asOwner(target, async (owner) => {
      await fillWithNotes(owner, 2000, 2000);
      return (await owner.grants.issue(everyNote)).token;
    });
    const stopping = await serve({ dataDir: folder, port: 0, host: "127.0.0.1" });
    const socket = sendSlowRequest(new URL(stopping.url), "/v1/export", token, "keep-alive");
    await once(socket, "readable");
    const closed = stopping.close();
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [first = "", second = ""] = (await readRest(socket)).split(/(?=HTTP\/1\.1 503 )/);
    expect(first).toContain('"n001999"');
    expect([second.includes("onnection: close"), parseBody(second).error.code]).toEqual([true, "unavailable"]);
    await closed;
    expect(readdirSync(folder)).not.toContain("vault.db-wal");
    rmSync(folder, { recursive: true, force: true });
  });
});
