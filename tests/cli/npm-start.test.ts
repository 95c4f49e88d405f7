import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

async function isReachable(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/healthz`)).text();
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.platform === "win32")("a server started by npm stops when npm is ended by SIGTERM", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-npm-"));
  const args = ["run", "--silent", "pdpp", "--", "serve", "--json", "--port", "0", "--data-dir", join(folder, "vault")];
  const npm = spawn("npm", args, {
    cwd: root,
    env: cleanEnvironment({ HOME: folder }),
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = (await once(createInterface({ input: npm.stdout }), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    expect(await isReachable(url)).toBe(true);
    const exited = once(npm, "exit");
    npm.kill("SIGTERM");
    await exited;
    await expect.poll(() => isReachable(url), { interval: 200 }).toBe(false);
    // The server holds the other end of the pipe until it has exited.
    if (!npm.stdout.closed) await once(npm.stdout, "close");
  } finally {
    npm.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
