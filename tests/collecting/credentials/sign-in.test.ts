import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest, prelude } from "../connector.ts";

const right = "correct-horse-battery";
const wrong = "wrong-horse-battery";

const buildManifest = (...fields: object[]) => ({
  ...manifest,
  runtime_requirements: { environment_variables: ["SAMPLE_USER"] },
  setup: { credential_capture: { fields: [{ name: "user", env: "SAMPLE_USER", secret: false }, ...fields] } },
});
const password = { name: "password", label: "App password", env: "SAMPLE_KEY", secret: true, required: true };

/** Fails unless it has the right password, for which it asks if it may. Stores what it signed in with. */
const script = `${prelude}
let key = process.env.SAMPLE_KEY;
if (key === undefined && "interactive" in start.bindings) {
  const schema = { type: "object", properties: { SAMPLE_KEY: { type: "string" } } };
  await say({ type: "INTERACTION", request_id: "1", kind: "credentials", message: "Your password", schema });
  const answer = await reply();
  key = answer.data?.SAMPLE_KEY;
  if ("keep" in answer) throw new Error("the answer has more than the protocol's fields");
}
const { createHash } = await import("node:crypto");
if (key === "${right}") {
  await record("notes", "run", { body: process.env.SAMPLE_KEY === undefined ? "asked" : "given" });
  await done();
  await leave();
} else {
  const message = "the password " + key + " is wrong";
  await done("failed", { error: { code: "auth", message, retryable: false, recovery_hint: "refresh_credentials" } });
  await leave(1);
}
`;

describe("pdpp source sign-in", () => {
  let vault: CliVault;
  const outputs: string[] = [];
  beforeAll(async () => {
    vault = createCliVault({ isInProcess: true });
    const install = async (id: string, ...fields: object[]) => {
      const folder = join(vault.directory, id);
      mkdirSync(folder);
      writeFileSync(join(folder, "manifest.json"), JSON.stringify(buildManifest(...fields)));
      writeFileSync(join(folder, "index.mjs"), script);
      await vault.json(["source", "add", "connector", folder, "--yes", "--id", id]);
    };
    await install("one", password);
    const token = { name: "token", env: "SAMPLE_TOKEN", secret: true };
    await install("two", password, token);
    await install("three", password, token, {});
  });
  afterAll(() => vault.drop());

  const run = async (args: string[], options: Parameters<CliVault["run"]>[1] = {}) => {
    const ran = await vault.run(["source", ...args], options);
    outputs.push(ran.stdout, ran.stderr);
    return ran;
  };
  const show = (id: string) => vault.json<SourceDocument>(["source", "show", id]);

  it("[COL-54] is needed after a run that found the credentials wrong, until one succeeds", async () => {
    expect((await show("one")).needs).toBeUndefined();
    expect(await run(["sync", "one"], { env: { SAMPLE_KEY: wrong } })).toMatchObject({ code: 1 });
    expect(await show("one")).toMatchObject({ needs: "credentials", last_run: { error: { code: "auth" } } });
    expect((await run(["list"])).stdout).toMatch(/one +connector +Needs a new password/);
    expect((await run(["show", "one"])).stdout).toContain("sign in with: npx pdpp source sign-in one");
    expect(await run(["sync", "one"], { env: { SAMPLE_KEY: right } })).toMatchObject({ code: 0 });
    expect((await show("one")).needs).toBeUndefined();
  });

  it("[COL-73] makes a source due that waited for it", async () => {
    await run(["sync", "two"], { env: { SAMPLE_KEY: wrong } });
    expect((await show("two")).next_run).toBeUndefined();
    expect(await run(["sign-in", "two"], { input: JSON.stringify({ password: right }) })).toMatchObject({ code: 0 });
    expect(Date.parse((await show("two")).next_run ?? "")).toBeLessThanOrEqual(Date.now());
  });

  it("[COL-55] [COL-53] reads a password from standard input or a file, and runs use it", async () => {
    expect(await run(["sign-in", "one"], { input: "" })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--password-file"),
    });
    expect(await run(["sign-in", "one"], { input: `${right}\n` })).toMatchObject({
      code: 0,
      stdout: "signed in to one\n",
      stderr: expect.stringContaining(`sealed with the key in file ${join(vault.directory, "keys")}`),
    });
    expect((await run(["sync", "one"])).stdout).toContain("succeeded");
    // The environment comes first.
    expect(await run(["sync", "one"], { env: { SAMPLE_KEY: wrong } })).toMatchObject({ code: 1 });
    expect(await show("one")).toMatchObject({ needs: "credentials", sign_in: "password" });
    const bad = vault.file("bad.txt", wrong);
    const failed = await run(["sign-in", "one", "--password-file", bad, "--verify"]);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("auth: the password [secret] is wrong") });
    const good = vault.file("good.txt", `${right}\r\n`);
    expect(await run(["sign-in", "one", "--password-file", good, "--verify"])).toMatchObject({ code: 0 });
    expect((await show("one")).needs).toBeUndefined();
    expect(await run(["sign-in", "one", "--password-file", vault.file("none.txt", "")])).toMatchObject({ code: 64 });
    expect(await run(["sign-in", "nothing"], { input: right })).toMatchObject({ code: 5 });
    for (const output of outputs) for (const secret of [right, wrong]) expect(output).not.toContain(secret);
  });

  it("[COL-55] takes several credentials as JSON, and repeats none of them in an error", async () => {
    const both = JSON.stringify({ password: right, SAMPLE_TOKEN: "token-canary" });
    expect(await run(["sign-in", "two", "--verify"], { input: both })).toMatchObject({ code: 0 });
    expect(await run(["sign-in", "two"], { input: right })).toMatchObject({ code: 0 });
    for (const input of [JSON.stringify({ secret: right }), JSON.stringify({ password: [right] })])
      expect(await run(["sign-in", "two"], { input })).toMatchObject({ code: 64 });
    for (const output of outputs) expect(output).not.toMatch(/token-canary|correct-horse/);
  });

  it("[COL-51] [COL-61] shows, moves and resets the key", async () => {
    const file = join(vault.directory, "keys");
    expect(await run(["key"])).toMatchObject({ stdout: expect.stringContaining(`file ${file}`) });
    const passphrase = vault.file("passphrase.txt", "tr0ub4dor");
    expect(await run(["key", "--use", "passphrase", "--passphrase-file", passphrase])).toMatchObject({
      code: 0,
      stdout: "a passphrase\n",
    });
    const refused = await run(["sync", "one"]);
    expect(refused.stdout).toContain("PDPP_SOURCE_PASSPHRASE_FILE");
    // That is not a wrong password.
    expect((await show("one")).needs).toBeUndefined();
    const env = { PDPP_SOURCE_PASSPHRASE_FILE: passphrase };
    expect(await run(["sync", "one"], { env })).toMatchObject({ code: 0 });
    const other = { PDPP_SOURCE_PASSPHRASE_FILE: vault.file("other.txt", "other") };
    const served = await vault.run(["serve", "--port", "0"], { env: other });
    expect(served.code).not.toBe(0);
    expect(served.stderr).toContain("wrong passphrase");
    expect(await run(["key"], { env: { PDPP_KEY_DIR: join(vault.directory, "vault", "keys") } })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("must not be in the vault's folder"),
    });
    expect(await run(["key", "--reset"])).toMatchObject({ code: 64 });
    expect(await run(["key", "--reset", "--yes"])).toMatchObject({ code: 0 });
    expect(await show("one")).toMatchObject({ needs: "credentials", sign_in: "password" });
    expect(existsSync(join(vault.directory, "vault", "keys"))).toBe(false);
  });

  it("[COL-52] deletes the credentials with the source", async () => {
    expect(await run(["sign-in", "one"], { input: right })).toMatchObject({ code: 0 });
    expect(await run(["remove", "one", "--yes"])).toMatchObject({ code: 0 });
    expect(await run(["show", "one"])).toMatchObject({ code: 5 });
    expect(readdirSync(join(vault.directory, "keys")).length).toBeGreaterThan(0);
  });

  const hasScript = spawnSync("script", ["--version"]).status === 0;
  it.skipIf(!hasScript)("[COL-55] [COL-56] asks on a terminal without showing the answer (needs script)", async () => {
    const ask = (command: string, lines: readonly string[]) => runOnTerminal(vault, command, lines);
    const failed = await ask("sync three", [wrong, "y"]);
    expect(failed.text).toContain("the password [secret] is wrong");
    const declined = await ask("sync three", [right, "n"]);
    expect(declined.code).toBe(0);
    // Neither was saved.
    expect((await show("three")).sign_in).toBeUndefined();
    expect((await ask("sync three", [right, "y"])).code).toBe(0);
    expect((await show("three")).sign_in).toBe("password");
    const { data } = await vault.json<{ data: RunDocument[] }>(["source", "sync", "three"]);
    expect(data).toMatchObject([{ status: "succeeded" }]);
    const renewed = await ask("sign-in three", [right, ""]);
    expect(renewed).toMatchObject({ code: 0, text: expect.stringContaining("App password: ") });
    for (const { text } of [failed, declined, renewed]) expect(text).not.toMatch(/horse/);
  });
});

const prompts = /(?:SAMPLE_KEY|App password|Token \(may be empty\)): |\[y\/N\] /g;

/** Runs a command on a terminal, and types a line whenever it asks. */
async function runOnTerminal(vault: CliVault, command: string, lines: readonly string[]) {
  const typed = [...lines];
  const line = `${process.execPath} ${pdppFile} source ${command} --data-dir ${join(vault.directory, "vault")}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: cleanEnvironment({
      HOME: vault.directory,
      PDPP_KEY_DIR: join(vault.directory, "keys"),
      PDPP_SOURCE_KEY: "file",
    }),
  });
  let text = "";
  let answered = 0;
  child.stdout.on("data", (chunk) => {
    text += String(chunk);
    for (const asked = text.match(prompts)?.length ?? 0; answered < asked; answered += 1) {
      const next = typed.shift();
      if (next !== undefined) child.stdin.write(`${next}\r`);
    }
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", (ended) => resolve(ended)));
  return { code, text };
}
