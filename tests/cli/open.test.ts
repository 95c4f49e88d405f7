import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile, printedCommand, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { startServer } from "@pdpp/test-support/processes/server-process";
import { afterAll, expect, test } from "vitest";

const vault = createCliVault();
afterAll(() => vault.drop());

test("[CLI-7] open prints a link into the running server, and finds none after it stopped", async () => {
  const home = { HOME: vault.directory };
  const server = startServer(["--demo", "--json"], { ...cleanEnvironment(), ...home });
  let link = "";
  try {
    const [line] = (await once(server.output, "line")) as [string];
    const { url, saved_to: saved } = JSON.parse(line) as { url: string; saved_to: string };
    const opened = await runPdpp(["open", "--no-browser"], { env: home });
    link = opened.stdout.trim();
    expect(new URL(link).port).toBe(new URL(url).port);
    const enter = () =>
      fetch(`${url}/sign-in`, {
        method: "POST",
        body: new URLSearchParams({ code: new URL(link).hash.slice(1) }),
        redirect: "manual",
      });
    expect((await enter()).status).toBe(303);
    expect((await enter()).status).not.toBe(303);

    // [CLI-8] The token is kept for the port while the demo runs there.
    const found = await runPdpp(["read", "search", url, "gutter thermostat"], { env: home });
    expect(found.code).toBe(0);
    expect(existsSync(saved)).toBe(true);
    await server.stop();
    expect(existsSync(saved)).toBe(false);
  } finally {
    await server.stop();
  }
  const after = await runPdpp(["open", "--no-browser"], { env: home });
  expect(after.code).toBe(1);
  expect(after.stderr).toBe(
    `error: no server is running for this vault\nstart one with: ${printedCommand} serve; or name its address with --url\n`,
  );
});

test("[CLI-5] [CLI-11] sign-in, setup, doctor and import use the server of the vault, whatever else is running or saved", async () => {
  const env = { HOME: vault.directory };
  const folder = join(vault.directory, "own");
  const chat = vault.file(
    "WhatsApp Chat with Ada.txt",
    "01/02/2026, 10:00 - Ada: hello\n01/02/2026, 10:01 - Ben: hi\n",
  );
  const importing = ["import", chat, "--time-zone", "UTC", "--date-order", "dmy", "--yes", "--data-dir", folder];
  expect((await runPdpp(importing, { env })).stderr).toContain(`${printedCommand} serve --data-dir ${folder}`);
  const demo = startServer(["--demo", "--json"], { ...cleanEnvironment(), ...env });
  const server = startServer(["--json", "--data-dir", folder], { ...cleanEnvironment(), ...env });
  try {
    const read = async ({ output }: typeof demo) =>
      JSON.parse(String((await once(output, "line"))[0])) as { url: string };
    const [, { url }] = await Promise.all([read(demo), read(server)]);
    const { port } = new URL(url);
    const link = await runPdpp(["sign-in", "--data-dir", folder], { env });
    expect(new URL(link.stdout.trim()).port).toBe(port);
    const setup = await runPdpp(["setup", "claude-code", "--data-dir", folder], { env });
    expect(setup.stdout).toContain(`:${port}/mcp`);
    // [CLI-5] The port is not the usual one.
    const checked = await runPdpp(["doctor", "--data-dir", folder], { env });
    expect(checked.stdout).toContain(`port: this vault is served at ${url}`);
    expect((await runPdpp(importing, { env })).stderr).toContain(`Next: ${printedCommand} open --data-dir ${folder}`);
  } finally {
    await Promise.all([demo.stop(), server.stop()]);
  }
});

test("[CLI-7] serve on all addresses shows one that a phone can open, if this computer has one", async () => {
  const folder = join(vault.directory, "network");
  const server = startServer(["--host", "0.0.0.0", "--json", "--data-dir", folder], cleanEnvironment());
  try {
    const [line] = (await once(server.output, "line")) as [string];
    const { network_url: shown } = JSON.parse(line) as { network_url?: string };
    if (shown === undefined) return;
    expect(new URL(shown).hostname).not.toMatch(/^(0\.0\.0\.0|127\.)/);
    expect((await fetch(`${shown}/sign-in`, { headers: { accept: "text/html" } })).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test("[CLI-8] sign-in creates no vault", async () => {
  const folder = join(vault.directory, "nothing");
  const { code, stderr } = await runPdpp(["sign-in", "--data-dir", folder]);
  expect([code, stderr.split("\n")[0]]).toEqual([5, `error: there is no vault in ${folder}`]);
  expect(readdirSync(vault.directory)).not.toContain("nothing");
});

test("[CLI-8] a command says that it waits for a locked vault, and goes on", async () => {
  await vault.run(["connector", "list"]);
  const lockHolder = fileURLToPath(new URL("../support/processes/lock-holder.ts", import.meta.url));
  const holder = spawn(process.execPath, [lockHolder, join(vault.directory, "vault", "vault.db")]);
  await once(holder.stdout, "data");
  const waiting = spawn(
    process.execPath,
    [pdppFile, "connector", "list", "--data-dir", join(vault.directory, "vault")],
    { env: cleanEnvironment({ PDPP_TIME_LIMIT_FACTOR: "1" }) },
  );
  const [notice] = (await once(waiting.stderr, "data")) as [Buffer];
  expect(String(notice)).toContain("another program may be using it");
  holder.stdin.write("release\n");
  expect(await once(waiting, "exit")).toEqual([0, null]);
});

test("[CLI-8] setup suggests a command that keeps the named server", async () => {
  const { stderr } = await runPdpp(["setup", "claude-code", "--provider-url", "https://vault.example.org"], {
    env: { HOME: vault.directory },
  });
  expect(stderr).toContain("pdpp setup claude-code --write --provider-url https://vault.example.org");
});
