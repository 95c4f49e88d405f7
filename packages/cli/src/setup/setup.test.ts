import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatConfigSnippet } from "@pdpp/agent-setup/config-snippet";
import { serve } from "@pdpp/server/main";
import { readConfiguration as read } from "@pdpp/test-support/cli/configuration";
import { runCommand } from "@pdpp/test-support/cli/run-in-process";
import type { RunOptions, RunResult } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, describe, expect, test } from "vitest";
import { saveCredential } from "../credentials/credentials.ts";
import { type AgentClient, agentClients } from "./clients.ts";
import { getProgram } from "./start.ts";

const token = `pdpp_client_${"a".repeat(43)}`;
// No program can listen on this port.
const local = "http://127.0.0.1:9";
const usual = "http://127.0.0.1:7663";
const homes: string[] = [];
afterAll(() => homes.forEach((home) => void rmSync(home, { recursive: true, force: true })));

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "pdpp-setup-"));
  homes.push(home);
  return home;
}

const clean = {
  // No agent is on this path.
  PATH: dirname(process.execPath),
  CLAUDE_CONFIG_DIR: "",
  CODEX_HOME: "",
  COPILOT_HOME: "",
  CLINE_MCP_SETTINGS_PATH: "",
  XDG_CONFIG_HOME: "",
};

function setup(home: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return runCommand(["setup", ...args], {
    ...options,
    env: { ...clean, HOME: home, USERPROFILE: home, ...options.env },
  });
}

interface Document {
  readonly path: string;
  readonly format: AgentClient["format"];
  readonly status: string;
  readonly snippet: string;
  readonly backup?: string;
  readonly check: string;
  readonly sign_in?: string;
}

async function json(home: string, args: readonly string[], options?: RunOptions): Promise<Document> {
  const ran = await setup(home, [...args, "--json"], options);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(ran.stdout) as Document;
}

const keys = agentClients.map(({ key }) => key);

describe.concurrent.each(agentClients)("$key", ({ key, section, entry, format, hosted }) => {
  const [command, ...first] = getProgram();
  const startOf = (url: string) => ({ command, args: [...first, "mcp", "--provider-url", url] });
  const start = startOf(local);

  test("[SET-1] [SET-2] one configuration, without token, mode or owner's things, that starts from any folder", async () => {
    const home = newHome();
    saveCredential(join(home, ".pdpp"), { providerUrl: local, accessToken: token });
    const shown = await json(home, [key]);
    expect(read(format, shown.snippet)).toEqual({ [section]: { pdpp: entry(start) } });
    expect(shown.path.startsWith(home)).toBe(true);
    expect(existsSync(shown.path)).toBe(false);
    const text = await setup(home, [key]);
    expect(text.code).toBe(0);
    expect(text.stdout).toContain(shown.path);
    expect(text.stdout).toContain(shown.snippet);
    expect(text.stdout + text.stderr).not.toContain(token);
    expect(text.stdout + text.stderr).not.toMatch(/owner|control|subscri|profile|toolset|\bmode\b|developer/i);
  });

  test("[SET-1] --write makes the file, changes nothing the second time, and can be undone", async () => {
    const home = newHome();
    for (const providerUrl of [local, "https://vault.example.org"])
      saveCredential(join(home, ".pdpp"), { providerUrl, accessToken: token });
    const made = await json(home, [key, "--write", "--provider-url", local]);
    expect(made).toMatchObject({ status: "created", check: expect.stringMatching(/./) });
    const text = readFileSync(made.path, "utf8");
    expect(read(format, text)).toEqual({ [section]: { pdpp: entry(start) } });
    expect(await json(home, [key, "--write", "--provider-url", local])).toMatchObject({ status: "unchanged" });
    expect(readFileSync(made.path, "utf8")).toBe(text);
    const changed = await json(home, [key, "--write", "--provider-url", "https://vault.example.org"]);
    expect(changed).toMatchObject({ status: "updated", backup: `${made.path}.bak` });
    expect(readFileSync(changed.backup!, "utf8")).toBe(text);
    const other = { ...start, args: [...start.args.slice(0, -1), "https://vault.example.org"] };
    expect(read(format, readFileSync(made.path, "utf8"))).toEqual({ [section]: { pdpp: entry(other) } });
    expect(readdirSync(dirname(made.path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("[SET-9] without a token it signs in by itself, where it can", async () => {
    const home = newHome();
    const made = await json(home, [key, "--write"]);
    const written = read(format, readFileSync(made.path, "utf8"));
    const value = hosted === undefined ? entry(startOf(usual)) : hosted.entry("http://localhost:7663/mcp");
    expect(written).toEqual({ [section]: { pdpp: value } });
    expect(made.sign_in).toBe(hosted?.signIn);
    const text = await setup(home, [key, "--write"]);
    if (hosted !== undefined)
      expect(text).toMatchObject({ stdout: expect.stringContaining(hosted.signIn), stderr: "" });
  });
});

test("[SET-9] a token that the server refuses counts as none: another vault was served there before", async () => {
  const home = newHome();
  const server = await serve({ dataDir: join(home, "vault"), port: 0, host: "127.0.0.1" });
  try {
    saveCredential(join(home, ".pdpp"), { providerUrl: server.url, accessToken: token });
    const { snippet, sign_in } = await json(home, ["claude-code"]);
    expect(snippet).toContain(`${server.url.replace("127.0.0.1", "localhost")}/mcp`);
    expect(sign_in).toBe("claude mcp login pdpp");
    const cannot = await setup(home, ["claude-desktop"]);
    expect(cannot.stderr).toContain("Before the agent can read: ");
    expect(cannot.stderr).toContain("is unknown to this server");
  } finally {
    await server.close();
  }
});

const probe = fileURLToPath(new URL("../../../../../shared/client-probe/clients.mjs", import.meta.url));
const inProbe: Record<string, string> = {
  "claude-code": "claude",
  codex: "codex",
  "gemini-cli": "gemini",
  opencode: "opencode",
  copilot: "copilot",
  cline: "cline",
  goose: "goose",
};

/** Without what differs by purpose: the name, and an environment that we do not set. */
const shapeOf = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) => (["env", "envs", "environment", "name"].includes(name) ? undefined : part)),
  );

describe.skipIf(!existsSync(probe))("what the real clients were seen to read (needs the client probe)", () => {
  test.each(Object.entries(inProbe))("%s", async (key, name) => {
    const { clients } = (await import(probe)) as {
      clients: Record<string, { setup(context: object): { files: Record<string, string> } }>;
    };
    const { section, entry, format, files, hosted } = agentClients.find((client) => client.key === key)!;
    const mcp = { command: "/n", args: ["/p", "mcp"], env: {} };
    const context = { home: "/h", work: "/w", model: "m", modelName: "m", mcp, allow: false };
    const written = Object.entries(clients[name]!.setup(context).files);
    const heldIn = (files: Record<string, string>) =>
      Object.values(files)
        .map((text) => read(format, text))
        .find((document) => section in document)![section]!["mk-srv"];
    expect(shapeOf(entry(mcp))).toEqual(shapeOf(heldIn(Object.fromEntries(written))));
    // The probe turns signing in off where it brings a token.
    const { oauth: _, ...over } = heldIn(clients[name]!.setup({ ...context, mcp: { url: "http://u/mcp" } }).files) as {
      oauth?: boolean;
    };
    expect(shapeOf(hosted!.entry("http://u/mcp"))).toEqual(shapeOf(over));
    const [path] = written.find(([, text]) => section in read(format, text))!;
    if (path.startsWith("/h/")) expect(files({ platform: "linux", home: "/h", env: {} })[0]).toBe(path);
  });
});

test("[CSL-23] pages name the file that the command writes, and a token stands in it whole", () => {
  const held = { Authorization: 'Bearer "a\\\\b"\u007f' };
  for (const { place, files, format, section, hosted } of agentClients) {
    if (place.startsWith("~/")) expect(files({ platform: "linux", home: "~", env: {} })[0]).toBe(place);
    if (hosted === undefined) continue;
    const value = hosted.withToken("http://localhost:7663/mcp", held);
    expect(read(format, formatConfigSnippet(format, section, "pdpp", value))).toEqual({ [section]: { pdpp: value } });
    expect(JSON.stringify(value)).toContain(JSON.stringify(held));
  }
});

test("each platform has its own places", () => {
  const on = (platform: NodeJS.Platform, home: string, env = {}) =>
    Object.fromEntries(agentClients.map(({ key, files }) => [key, files({ platform, home, env })[0]]));
  expect(on("darwin", "/Users/me")).toMatchObject({
    "claude-desktop": "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
    vscode: "/Users/me/Library/Application Support/Code/User/mcp.json",
    goose: "/Users/me/.config/goose/config.yaml",
    cursor: "/Users/me/.cursor/mcp.json",
  });
  expect(on("win32", "C:\\Users\\me", { APPDATA: "D:\\Roaming" })).toMatchObject({
    "claude-desktop": "D:\\Roaming\\Claude\\claude_desktop_config.json",
    vscode: "D:\\Roaming\\Code\\User\\mcp.json",
    goose: "D:\\Roaming\\Block\\goose\\config\\config.yaml",
    codex: "C:\\Users\\me\\.codex\\config.toml",
    opencode: "C:\\Users\\me\\.config\\opencode\\opencode.json",
  });
  expect(on("linux", "/home/me", { CODEX_HOME: "/c", XDG_CONFIG_HOME: "/x" })).toMatchObject({
    codex: "/c/config.toml",
    opencode: "/x/opencode/opencode.json",
    "claude-code": "/home/me/.claude.json",
  });
});

test("a file that cannot be merged stays as it is, and the command says so", async () => {
  const home = newHome();
  const path = join(home, ".claude.json");
  writeFileSync(path, "{,");
  expect(await setup(home, ["claude-code", "--write"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/was not changed: .*\nfix the file/),
  });
  expect(readFileSync(path, "utf8")).toBe("{,");
  expect(existsSync(`${path}.bak`)).toBe(false);
});

test("a linked file stays a link, and its mode stays", async () => {
  const home = newHome();
  mkdirSync(join(home, "dotfiles"));
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, "dotfiles", "mcp.json"), "{}", { mode: 0o640 });
  symlinkSync(join(home, "dotfiles", "mcp.json"), join(home, ".cursor", "mcp.json"));
  await json(home, ["cursor", "--write"]);
  expect(JSON.parse(readFileSync(join(home, "dotfiles", "mcp.json"), "utf8"))).toHaveProperty("mcpServers.pdpp");
  expect(statSync(join(home, "dotfiles", "mcp.json")).mode & 0o777).toBe(0o640);
});

test("[SET-1] the server is named, so that a grant saved later changes nothing", async () => {
  const home = newHome();
  const args = async (...more: string[]) =>
    JSON.parse((await setup(home, ["generic", ...more, "--json"])).stdout).args.slice(2);
  expect(await args()).toEqual(["--provider-url", usual]);
  expect(await args("--provider-url", `${local}/`)).toEqual(["--provider-url", local]);
  saveCredential(join(home, ".pdpp"), { providerUrl: local, accessToken: token, demo: true });
  saveCredential(join(home, ".pdpp"), { providerUrl: "https://a.example", accessToken: token });
  expect(await args()).toEqual(["--provider-url", "https://a.example"]);
  expect(await args("--provider-url", local)).toEqual(["--provider-url", local]);
  saveCredential(join(home, ".pdpp"), { providerUrl: "https://b.example", accessToken: token });
  expect(await args("--provider-url", "https://b.example")).toEqual(["--provider-url", "https://b.example"]);
  expect(await setup(home, ["generic"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("choose one with --provider-url"),
  });
});

test("[SET-5] it says what is missing before the agent can read", async () => {
  const ran = await setup(newHome(), ["claude-desktop", "--write"], { env: { PDPP_ACCESS_TOKEN: token } });
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/no saved credential for .*\n.*pdpp grant create .*--save/),
  });
});

test("[SET-1] the list, ChatGPT, and what is not known", async () => {
  const home = newHome();
  const listed = JSON.parse((await setup(home, ["--json"])).stdout) as { data: { client: string }[] };
  expect(listed.data.map(({ client }) => client)).toEqual([...keys, "chatgpt", "generic"]);
  expect((await setup(home, [])).stdout).toMatch(/^claude-code +Claude Code$/m);
  const near = JSON.parse((await setup(home, ["chatgpt", "--json"])).stdout);
  expect(near).toMatchObject({
    ready: false,
    missing: [expect.stringContaining("public https")],
  });
  expect(near).not.toHaveProperty("mcp_url");
  const far = await setup(home, ["chatgpt", "--provider-url", "https://vault.example.org/"]);
  expect(far.stdout).toContain("https://vault.example.org/mcp");
  expect(far.stdout).toMatch(/ChatGPT +ready/);
  expect(await setup(home, ["chatgpt", "--write"])).toMatchObject({ code: 64 });
  expect(await setup(home, ["goose", "--project"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("drop --project"),
  });
  expect(await setup(home, ["emacs"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("claude-code, claude-desktop"),
  });
});
