import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { Attack } from "../attack.ts";
import { startServing } from "../served.ts";

/** Bodies sent by strangers, who have no session, to routes that read one. */
const paths = ["/sign-in", "/sign-in/passkey", "/oauth/register", "/oauth/token", "/agent-connect", "/device", "/mcp"];
const bodyBytes = 60_000_000;
const chunk = Buffer.alloc(64 * 1024, 97);
/** What the authorization library and the page code take when they are first loaded, and some garbage. */
const allowedGrowthMb = 100;

export const largeBodies: Attack = {
  name: "large bodies from strangers",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const server = await startServing(target);
    try {
      const before = readPeakMb(server.process.pid);
      const sent: number[] = [];
      const statuses = new Set<number>();
      for (const path of paths)
        for (const isAnnounced of [true, false]) {
          const { status, bytes } = await sendLargeBody(new URL(path, server.url), isAnnounced);
          statuses.add(status);
          sent.push(bytes);
        }
      const growth = readPeakMb(server.process.pid) - before;
      // 0: the connection ended while the body was still being sent.
      const isRefused = [...statuses].every((status) => status === 0 || (status >= 300 && status < 500));
      return {
        held: isRefused && growth < allowedGrowthMb,
        figure: `${sent.length} bodies of ${bodyBytes / 1e6} MB: statuses ${[...statuses].sort().join(", ")}, memory grew by ${growth.toFixed(0)} MB`,
      };
    } finally {
      await server.stop();
    }
  },
};

const readPeakMb = (pid: number | undefined): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

/** Sends until the server answers, the body is complete or the connection ends. */
async function sendLargeBody(url: URL, isAnnounced: boolean): Promise<{ status: number; bytes: number }> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(isAnnounced ? { "content-length": String(bodyBytes) } : { "transfer-encoding": "chunked" }),
  };
  const sending = request(url, { method: "POST", headers });
  let status = 0;
  let isOpen = true;
  const ended = new Promise<void>((resolve) => {
    sending.once("response", (answer) => {
      status = answer.statusCode ?? 0;
      answer.resume();
      resolve();
    });
    sending.once("close", () => resolve());
    sending.on("error", () => resolve());
  }).then(() => {
    isOpen = false;
  });
  let bytes = 0;
  while (isOpen && bytes < bodyBytes) {
    bytes += chunk.byteLength;
    if (!sending.write(chunk)) await Promise.race([once(sending, "drain").catch(() => undefined), ended]);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  if (isOpen) sending.end();
  await ended;
  sending.destroy();
  return { status, bytes };
}
