import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { openStore } from "@pdpp/server/store/store";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dumpEverything } from "../../store/vault.ts";
import { manifest, prelude } from "../connector.ts";

const canary = 'canary: 7f/4Ω+bird=&"sings"';

/** The secret in the forms in which programs pass texts on. */
const forms: readonly string[] = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  ...["", "x", "xx"].map((before) =>
    // Without the characters at both ends, which depend on what is next to it.
    Buffer.from(`${before}${canary}`).toString("base64").slice(4, -8),
  ),
  Buffer.from(canary).toString("hex"),
  Buffer.from(canary, "utf8").toString("latin1"),
];

/** Leaks in one way per run. The vault's settings name the way, as a path. */
const script = `${prelude}
const { readFileSync, writeFileSync } = await import("node:fs");
const way = readFileSync(process.env.SAMPLE_WAY, "utf8");
const key = process.env.SAMPLE_KEY;
const said = ["plain " + key, JSON.stringify({ key }), "https://x.example/?k=" + encodeURIComponent(key),
  Buffer.from("\\0ada\\0" + key).toString("base64")].join(" | ");
writeFileSync(process.env.TMPDIR + "/scratch", key);
console.error(said);
const answer = async (status, error) => { await done(status, error && { error }); await leave(status === "succeeded" ? 0 : 1); };
await say({ type: "PROGRESS", message: said, phase: said });
if (way === "succeed") {
  await say({ type: "SKIP_RESULT", stream: "notes", reason: said, message: said });
  await say({ type: "DETAIL_GAP", stream: "notes", record_key: said, reason: said });
  await record("notes", "one", { body: "harmless" });
  await answer("succeeded");
} else if (way === "fail") {
  await answer("failed", { code: "auth", message: said, retryable: false, recovery_hint: "refresh_credentials" });
} else if (way === "cursor") {
  await state("notes", { at: said });
  await answer("succeeded");
} else if (way === "violation") {
  await say({ type: said });
} else if (way === "crash") {
  throw new Error(said);
} else if (way === "wait") {
  await say({ type: "PROGRESS", message: "waiting" });
  await reply();
}
`;

describe("a secret of a source", () => {
  let vault: CliVault;
  let way: string;
  const printed: string[] = [];
  beforeAll(() => {
    vault = createCliVault();
    way = vault.file("way", "succeed");
    const folder = join(vault.directory, "connector");
    mkdirSync(folder);
    const asking = {
      ...manifest,
      runtime_requirements: { environment_variables: ["SAMPLE_WAY"] },
      setup: { credential_capture: { fields: [{ name: "key", env: "SAMPLE_KEY", secret: true }] } },
    };
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(asking));
    writeFileSync(join(folder, "index.mjs"), script);
  });
  afterAll(() => vault.drop());

  const getEnvironment = () => ({ TMPDIR: join(vault.directory, "temporary"), PDPP_DEBUG: "1" });
  const run = async (...args: string[]) => {
    const ran = await vault.run(args, { env: getEnvironment() });
    printed.push(ran.stdout, ran.stderr);
    return ran;
  };
  const expectAbsent = (text: string, where: string): void => {
    for (const form of forms) expect(text.includes(form), `${where} contains ${form}`).toBe(false);
  };

  it("[COL-60] [COL-50] is nowhere after its connector has leaked it in every message, and runs have ended in every way", async () => {
    mkdirSync(getEnvironment().TMPDIR);
    await run("source", "add", "connector", join(vault.directory, "connector"), "--yes", "--path", `SAMPLE_WAY=${way}`);
    const signedIn = await vault.run(["source", "sign-in", "sample"], { env: getEnvironment(), input: canary });
    expect(signedIn.code, signedIn.stderr).toBe(0);
    printed.push(signedIn.stdout, signedIn.stderr);
    const ends: Record<string, RegExp> = {
      succeed: /succeeded/,
      fail: /auth: plain \[secret\]/,
      cursor: /sent a secret in STATE/,
      violation: /failed/,
      crash: /connector_crashed: .*\[secret\]/,
    };
    for (const [name, expected] of Object.entries(ends)) {
      vault.file("way", name);
      const ran = await run("source", "sync", "sample");
      expect(ran.stdout).toMatch(expected);
      expect(ran.stderr).toContain("[secret]");
    }
    expectAbsent(await listProcessesDuringRun(), "the list of processes");
    // Wrong uses, whose errors could repeat it.
    for (const args of [["--password-file", canary], ["--oauth", canary], [canary]])
      await vault.run(["source", "sign-in", "sample", ...args], { env: getEnvironment() });
    for (const args of [["list"], ["show", "sample"], ["runs", "sample"], ["key"]])
      await run("source", ...args, "--json");
    await run("log", "--json", "--limit", "100");
    await run("doctor", "--json");
    const backup = join(vault.directory, "backup.pdpp");
    await run("backup", backup);
    expectAbsent(zstdDecompressSync(readFileSync(backup)).toString("latin1"), "the backup");
    expectAbsent(printed.join("\n"), "the output");

    const dataDir = join(vault.directory, "vault");
    const store = await openStore({ dataDir });
    try {
      expectAbsent(
        await dumpEverything({ store, dataDir, reopen: async () => undefined, drop: async () => undefined }),
        "the vault",
      );
    } finally {
      await store.close();
    }
    // Includes the connector's script, which has no secret.
    for (const entry of readdirSync(vault.directory, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        expectAbsent(readFileSync(path, "latin1"), path);
      }
    expect(readdirSync(getEnvironment().TMPDIR)).toEqual([]);
  });

  /** The arguments of all processes while a connector has the secret. */
  async function listProcessesDuringRun(): Promise<string> {
    vault.file("way", "wait");
    const child = spawn(
      process.execPath,
      [pdppFile, "source", "sync", "sample", "--data-dir", join(vault.directory, "vault")],
      {
        env: cleanEnvironment({
          ...getEnvironment(),
          HOME: vault.directory,
          PDPP_KEY_DIR: join(vault.directory, "keys"),
        }),
      },
    );
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
    const ended = new Promise((resolve) => child.once("close", resolve));
    await expect.poll(() => text).toContain("waiting");
    const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(stdout).toContain("index.mjs");
    child.kill("SIGINT");
    await ended;
    printed.push(text);
    return stdout;
  }
});
