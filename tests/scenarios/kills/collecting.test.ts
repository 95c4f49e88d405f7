import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "@pdpp/test-support/repository/requirements";
import { countRows, expireLeases, withClosedVault } from "@pdpp/test-support/vaults/closed-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { manifest, prelude } from "../../collecting/connector.ts";

const ending = { ...manifest, runtime_requirements: { environment_variables: ["SAMPLE_END"] } };
const records = 3000;
const kills = 6;

/** Sends its process id first, so that the test can look for it afterwards. */
const script = `${prelude}
await say({ type: "PROGRESS", message: "pid " + process.pid });
for (let n = start.state?.notes?.from ?? 0; n < ${records}; n += 1) {
  await record("notes", "n" + n, { body: "note " + n });
  if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
// A run that is to be killed never ends by itself.
while (process.env.SAMPLE_END === undefined) {
  await say({ type: "PROGRESS", message: "waiting" });
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await state("notes", { from: ${records} });
await done();
await leave();
`;

describe("pdpp source sync that is killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-kill-collecting-"));
  const dataDir = join(folder, "vault");
  const temporary = join(folder, "temporary");
  const connector = join(folder, "connector");
  beforeAll(async () => {
    mkdirSync(connector);
    mkdirSync(temporary);
    writeFileSync(join(connector, "manifest.json"), JSON.stringify(ending));
    writeFileSync(join(connector, "index.mjs"), script);
    expect(await run(["add", "connector", connector, "--yes"]).ended).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(args: readonly string[], env: Record<string, string> = {}) {
    const bin = join(repository, "packages/cli/bin/pdpp.mjs");
    const child = spawn(process.execPath, [bin, "source", ...args, "--data-dir", dataDir], {
      env: { ...process.env, TMPDIR: temporary, ...env },
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    return { child, ended, read: () => text };
  }

  const count = (table: string): Promise<number> => countRows(dataDir, table);
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it("[COL-16] loses and repeats nothing, and leaves no connector behind", async () => {
    for (let n = 0; n < kills; n += 1) {
      const killed = run(["sync"]);
      await expect.poll(killed.read).toMatch(/pid \d+/);
      await new Promise((resolve) => setTimeout(resolve, n * 80));
      killed.child.kill("SIGKILL");
      await killed.ended;
      const pid = Number(/pid (\d+)/.exec(killed.read())?.[1]);
      await expect.poll(() => isRunning(pid)).toBe(false);
      // As if the lease had expired.
      await expireLeases(dataDir);
    }
    expect(await count("source_cursor")).toBe(0);
    expect(await run(["sync"], { SAMPLE_END: "1" }).ended).toBe(0);
    const stream = await withClosedVault(dataDir, async ({ engine }) => {
      const rows = await engine.read((on) =>
        on.all<{ n: number }>(raw("SELECT stream_no AS n FROM stream WHERE name = 'notes'")),
      );
      return Number(rows[0]?.n);
    });
    expect(await count(`r_${stream}`)).toBe(records);
    // No record was written twice.
    expect(await count("record_history")).toBe(0);
    expect(await count("import_record")).toBe(records);
    expect(await count("source_cursor")).toBe(1);
    expect(await count("source_run WHERE status = 'interrupted'")).toBe(kills);
    expect(await run(["sync"], { SAMPLE_END: "1" }).ended).toBe(0);
    expect(await count(`r_${stream}`)).toBe(records);
    // The folders of killed runs are removed by the next one.
    expect(readdirSync(temporary)).toEqual([]);
  });
});
