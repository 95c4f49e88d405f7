import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { formatConfigSnippet } from "@pdpp/agent-setup/config-snippet";
import { readConfiguration } from "@pdpp/test-support/cli/configuration";
import { runCommand } from "@pdpp/test-support/cli/run-in-process";
import type { RunResult } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { saveCredential } from "../../packages/cli/src/credentials/credentials.ts";
import { agentClients } from "../../packages/cli/src/setup/clients.ts";

const root = mkdtempSync(join(tmpdir(), "pdpp-uninstall-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let homes = 0;
function newHome(): string {
  homes += 1;
  const home = join(root, `home-${homes}`);
  mkdirSync(home);
  return home;
}

const elsewhere = { CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", COPILOT_HOME: "", CLINE_MCP_SETTINGS_PATH: "" };
const run = (home: string, args: readonly string[]): Promise<RunResult> =>
  runCommand(args, {
    env: {
      ...elsewhere,
      XDG_CONFIG_HOME: "",
      HOME: home,
      USERPROFILE: home,
      PATH: `${join(root, "bin")}:${process.env.PATH}`,
    },
  });

async function json<T>(home: string, args: readonly string[]): Promise<T> {
  const ran = await run(home, [...args, "--json"]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  return JSON.parse(ran.stdout) as T;
}

beforeAll(() => {
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin", "systemctl"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(root, "bin", "systemctl"), 0o755);
});

describe.each(agentClients)("$key", ({ key, section, format, entry }) => {
  it("[SET-10] --remove takes out what --write added, and nothing else", async () => {
    const home = newHome();
    const { path } = await json<{ path: string }>(home, ["setup", key]);
    const other = entry({ command: "/other", args: [] });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${formatConfigSnippet(format, section, "other", other)}\n`);
    const before = readFileSync(path, "utf8");
    expect(await json(home, ["setup", key, "--remove"])).toMatchObject({ status: "absent" });
    expect(readFileSync(path, "utf8")).toBe(before);
    await json(home, ["setup", key, "--write"]);
    expect(await json(home, ["setup", key, "--remove"])).toMatchObject({ status: "removed", backup: `${path}.bak` });
    expect(readConfiguration(format, readFileSync(path, "utf8"))).toEqual({ [section]: { other } });
  });

  it("[SET-10] --remove works on a configuration that had nothing else", async () => {
    const home = newHome();
    const { path } = await json<{ path: string }>(home, ["setup", key, "--write"]);
    expect(await json(home, ["setup", key, "--remove"])).toMatchObject({ status: "removed" });
    expect(readFileSync(path, "utf8")).not.toContain("7663");
    expect(await json(home, ["setup", key, "--remove"])).toMatchObject({ status: "absent" });
  });
});

it("[SET-10] refuses what it cannot do", async () => {
  const home = newHome();
  expect(await run(home, ["setup", "generic", "--remove"])).toMatchObject({ code: 64 });
  expect(await run(home, ["setup", "chatgpt", "--remove"])).toMatchObject({ code: 64 });
  expect(await run(home, ["setup", "codex", "--remove", "--write"])).toMatchObject({ code: 64 });
});

/** Puts everything on the machine that pdpp can put there. */
async function settle(home: string): Promise<void> {
  vi.stubEnv("HOME", home);
  saveCredential(join(home, ".pdpp"), {
    providerUrl: "http://127.0.0.1:9",
    accessToken: `pdpp_client_${"a".repeat(43)}`,
  });
  vi.unstubAllEnvs();
  writeFileSync(join(home, ".claude.json"), '{"mcpServers": {"other": {"command": "x"}}, "theme": "dark"}');
  for (const key of ["claude-code", "codex"])
    await json(home, ["setup", key, "--write", "--provider-url", "http://127.0.0.1:9"]);
  await json(home, ["service", "install"]);
  await json(home, ["connection", "list"]);
  await json(home, ["connection", "list", "--data-dir", join(home, ".pdpp", "demo")]);
}

interface Uninstalled {
  readonly removed: readonly { readonly kind: string; readonly paths: readonly string[] }[];
  readonly left: readonly string[];
}

describe("pdpp uninstall", () => {
  it("[OPS-3] lists, asks, and removes everything but the vault", async () => {
    const home = newHome();
    await settle(home);
    const listed = await json<{ data: Uninstalled["removed"] }>(home, ["uninstall", "--print"]);
    expect(listed.data.map(({ kind }) => kind)).toEqual(["service", "agent", "agent", "credential", "demo"]);
    const refused = await run(home, ["uninstall"]);
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining("--yes") });
    for (const path of listed.data.flatMap(({ paths }) => paths)) expect(existsSync(path), path).toBe(true);

    const done = await json<Uninstalled>(home, ["uninstall", "--yes"]);
    expect(done.removed).toEqual(listed.data);
    for (const { kind, paths } of done.removed)
      for (const path of paths) expect(existsSync(path), path).toBe(kind === "agent");
    expect(JSON.parse(readFileSync(join(home, ".claude.json"), "utf8"))).toEqual({
      mcpServers: { other: { command: "x" } },
      theme: "dark",
    });
    expect(await run(home, ["connection", "list"])).toMatchObject({ code: 0 });
    expect(await run(home, ["uninstall"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing"),
      stderr: expect.stringContaining("--delete-vault"),
    });
  });

  it("[OPS-3] deletes the vault if asked, and no file of the owner", async () => {
    const home = newHome();
    await settle(home);
    const mine = join(home, ".pdpp", "letter.txt");
    writeFileSync(mine, "mine");
    const done = await json<Uninstalled>(home, ["uninstall", "--delete-vault", "--yes"]);
    expect(done.removed.at(-1)?.kind).toBe("vault");
    expect(done.left).toEqual([mine]);
    expect(existsSync(join(home, ".pdpp", "vault.db"))).toBe(false);
    rmSync(mine);
    await json(home, ["connection", "list"]);
    await json(home, ["uninstall", "--delete-vault", "--yes"]);
    expect(existsSync(join(home, ".pdpp"))).toBe(false);
  });

  it("[OPS-3] knows every file that a vault has", async () => {
    const home = newHome();
    await json(home, ["connection", "list"]);
    await json(home, ["backup", join(home, "b.pdpp")]);
    const { left } = await json<Uninstalled>(home, ["uninstall", "--delete-vault", "--yes"]);
    expect(left).toEqual([]);
  });

  it("[OPS-3] does not touch a database", async () => {
    const ran = await run(newHome(), ["uninstall", "--delete-vault", "--database-url", "postgres://x@127.0.0.1:9/x"]);
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining("drop the database yourself") });
  });
});

describe("pdpp update", () => {
  let registry: Server;
  let address: string;
  let answer: { readonly status: number; readonly body: unknown };
  const requests: string[] = [];
  beforeAll(async () => {
    registry = createServer((request, response) => {
      requests.push(request.url ?? "");
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
    await new Promise<void>((done) => registry.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  });
  afterAll(() => void registry.close());
  const check = () => run(root, ["update", "--check", "--registry", address]);

  it("[OPS-4] says how to update without asking anybody", async () => {
    const ran = await run(root, ["update", "--registry", address]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("pdpp backup") });
    expect(requests).toEqual([]);
  });

  it("[OPS-4] compares versions when asked", async () => {
    const cases = [
      ["999.0.0", true],
      ["0.1.0", false],
      ["0.1.0-beta.1", false],
      ["0.0.99", false],
    ] as const;
    for (const [latest, newer] of cases) {
      answer = { status: 200, body: { "dist-tags": { latest } } };
      const ran = await run(root, ["update", "--check", "--registry", address, "--json"]);
      expect(JSON.parse(ran.stdout), latest).toMatchObject({ newest: latest, newer });
    }
    expect(new Set(requests)).toEqual(new Set(["/pdpp"]));
  });

  it("[OPS-4] explains a registry without pdpp, a strange answer, and no network", async () => {
    answer = { status: 404, body: {} };
    expect(await check()).toMatchObject({ code: 5, stderr: expect.stringContaining("no package called pdpp") });
    answer = { status: 200, body: { "dist-tags": { latest: "<b>1" } } };
    expect(await check()).toMatchObject({ code: 1, stderr: expect.stringContaining("something else") });
    const offline = await run(root, ["update", "--check", "--registry", "http://127.0.0.1:9"]);
    expect(offline).toMatchObject({ code: 1, stderr: expect.stringContaining("needs no network") });
  });
});
