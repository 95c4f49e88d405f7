import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cleanEnvironment, type RunResult, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import type { InstalledProgram } from "@pdpp/test-support/package/installed-package";
import { type Ready, runWhileServing } from "@pdpp/test-support/processes/server-process";
import { repository } from "@pdpp/test-support/repository/requirements";
import {
  copyGolden,
  goldenNames,
  parseGoldenExport,
  readGoldenContents,
} from "@pdpp/test-support/vaults/golden-vaults";
import { expect, it } from "vitest";
import { declareStream, prelude, withStreams } from "../../collecting/connector.ts";
import { writePdf } from "../../importers/documents/pdf-writer.ts";

type Environment = Readonly<Record<string, string>>;

/** An empty home folder next to the program. */
export function createHome({ folder }: InstalledProgram): Record<string, string> {
  const home = join(folder, "home");
  mkdirSync(home);
  return { HOME: home, XDG_CACHE_HOME: join(home, "cache") };
}

export const serveDemo = <T>(
  { program }: InstalledProgram,
  env: Environment,
  work: (ready: Ready & { readonly token: string }) => Promise<T>,
): Promise<T> =>
  runWhileServing(
    ["--demo"],
    cleanEnvironment(env),
    (ready) => work({ ...ready, token: ready.demo_token ?? "" }),
    program,
  );

/** What is true of every form in which pdpp is installed. */
export function testInstalledProgram(
  getProgram: () => InstalledProgram,
  getEnv: () => Environment,
  uninstallHint: string,
): void {
  const run = (args: readonly string[], extra: Environment = {}): Promise<RunResult> => {
    const { command, args: first, folder } = getProgram();
    return runProgram(command, [...first, ...args], { env: { ...getEnv(), ...extra }, cwd: folder });
  };
  const connect = async (words: readonly string[], extra: Environment): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    const { command, args } = getProgram();
    const env = cleanEnvironment({ ...getEnv(), ...extra }) as Record<string, string>;
    await client.connect(new StdioClientTransport({ command, args: [...args, ...words], env }));
    return client;
  };
  it("[PKG-1] [PKG-4] serves the demo to the command line, to an MCP client and to a browser", () =>
    serveDemo(getProgram(), getEnv(), async ({ url, token }) => {
      const found = await run(["read", "search", url, "gutter thermostat"], { PDPP_ACCESS_TOKEN: token });
      expect([found.code, found.stderr]).toEqual([0, ""]);
      expect(found.stdout).toContain("thermostat");
      const client = await connect(["mcp", "--provider-url", url], { PDPP_ACCESS_TOKEN: token });
      expect((await client.listTools()).tools.length).toBe(6);
      await client.close();
      for (const path of ["/assets/style.css", "/assets/keys.js", "/sign-in", "/v1/openapi.json"])
        expect((await fetch(new URL(path, url))).status, path).toBe(200);
      const link = await run(["sign-in", "--data-dir", join(getEnv().HOME!, ".pdpp/demo"), "--url", url]);
      expect(link.code).toBe(0);
    }));

  it("[PKG-1] [KEEP-2] upgrades a vault of the oldest schema, whose clients read as before", async () => {
    const oldest = goldenNames[0]!;
    const dataDir = join(getProgram().folder, "old-vault");
    mkdirSync(dataDir, { mode: 0o700 });
    await copyGolden(oldest, { dataDir });
    const { program } = getProgram();
    const serveOld = (work: (ready: Ready) => Promise<void>) =>
      runWhileServing(["--data-dir", dataDir], cleanEnvironment(getEnv()), work, program);
    await serveOld(async ({ url }) => {
      for (const { token, isRevoked, export: held } of readGoldenContents(oldest).clients) {
        const answer = await fetch(new URL("/v1/export", url), { headers: { authorization: `Bearer ${token}` } });
        expect(answer.status).toBe(isRevoked ? 403 : 200);
        const text = await answer.text();
        if (!isRevoked) expect(parseGoldenExport(text)).toEqual(parseGoldenExport(held.sqlite));
      }
    });
    expect(readdirSync(join(dataDir, "backups"))).toEqual([expect.stringContaining(`vault-${oldest}-`)]);
    expect(await run(["log", "verify", "--data-dir", dataDir])).toMatchObject({ code: 0 });
  });

  it("[PKG-17] names our sources in the stack of an internal error", async () => {
    const dataDir = join(getProgram().folder, "broken-vault");
    await run(["connection", "list", "--data-dir", dataDir]);
    const database = new DatabaseSync(join(dataDir, "vault.db"));
    database.exec("DROP TABLE import_part");
    database.close();
    const list = (extra: Environment) => run(["imports", "--data-dir", dataDir], extra);
    expect((await list({})).stderr).not.toContain("packages/");
    const { code, stderr } = await list({ PDPP_DEBUG: "1" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/packages\/cli\/src\/commands\/data\/imports\.ts:\d+:\d+/);
    expect(stderr).not.toContain(repository);
  });

  it("[PKG-1] saves the token of the demo where agents of this machine find it", () =>
    serveDemo(getProgram(), getEnv(), async ({ url, saved_to: file }) => {
      expect(file).toContain(join(getEnv().HOME!, ".pdpp/clients"));
      const found = await run(["read", "search", url, "gutter thermostat"]);
      expect([found.code, found.stderr]).toEqual([0, ""]);
    }));

  it("[PKG-1] [PKG-4] imports a mail with a document, in a process of its own", async () => {
    const { folder } = getProgram();
    const pdf = writePdf(["The attic ladder is warped."]).toString("base64");
    const file = join(folder, "letter.eml");
    const head = "Message-ID: <a@x.example>\r\nFrom: a@x.example\r\nDate: Fri, 1 Mar 2019 12:00:00 +0000\r\n";
    const part =
      'Content-Type: application/pdf; name="ladder.pdf"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64';
    writeFileSync(
      file,
      `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${part}\r\n\r\n${pdf}\r\n--b--\r\n`,
    );
    const dataDir = join(folder, "vault");
    const imported = await run(["import", file, "--yes", "--data-dir", dataDir]);
    expect([imported.code, imported.stdout + imported.stderr]).toEqual([0, expect.stringContaining("pdpp serve")]);
    expect(imported.stdout + imported.stderr).not.toContain("npx");
    const exported = await run(["export", "--data-dir", dataDir]);
    expect(exported.stdout).toContain("The attic ladder is warped.");
  });

  it("[PKG-1] runs a folder's imports and a connector in processes with few rights", async () => {
    const { folder } = getProgram();
    const place = ["--data-dir", join(folder, "collected")];
    const watched = join(folder, "watched");
    mkdirSync(watched);
    writeFileSync(
      join(watched, "note.eml"),
      "Message-ID: <b@x.example>\r\nFrom: b@x.example\r\nDate: Fri, 1 Mar 2019 12:00:00 +0000\r\n\r\nThe cellar is dry.",
    );
    const connector = join(folder, "a connector");
    mkdirSync(connector);
    writeFileSync(join(connector, "manifest.json"), JSON.stringify(withStreams([declareStream("notes")])));
    writeFileSync(
      join(connector, "index.mjs"),
      `${prelude}
      let read = "read it";
      try { process.getBuiltinModule("fs").readFileSync(${JSON.stringify(join(folder, "letter.eml"))}); } catch (error) { read = error.code; }
      await record("notes", "1", { body: read });
      await done();
      await leave();`,
    );
    for (const words of [
      ["source", "add", "folder", watched, "--yes"],
      ["source", "add", "connector", connector, "--entry", "index.mjs", "--yes"],
      ["source", "sync"],
    ]) {
      const { code, stdout, stderr } = await run([...words, ...place]);
      expect([words, code, code === 0 ? "" : stdout + stderr]).toEqual([words, 0, ""]);
    }
    const { stdout } = await run(["export", ...place]);
    expect(stdout).toContain("The cellar is dry.");
    expect(stdout).toContain("ERR_ACCESS_DENIED");
  });

  it("[PKG-4] names itself to services, agents and doctors so that it can be started", async () => {
    const { command, args } = getProgram();
    const shown = await run(["service", "install", "--print"]);
    expect(shown.stdout).toContain(`${[command, ...args].join(" ")} serve`);
    const setUp = await run(["setup", "claude-desktop"]);
    const words = [...args, "mcp"].map((word) => JSON.stringify(word)).join(", ");
    expect(setUp.stdout.replace(/\s+/g, " ")).toContain(`"command": ${JSON.stringify(command)}, "args": [ ${words}`);
    expect((await run(["doctor"])).stdout).toContain("pdpp mcp can be started");
  });

  it("[PKG-4] suggests no command of a clone when a server does not answer or its port is taken", async () => {
    const taken = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const refused = await run(["serve", "--demo", "--port", String(port)]);
    taken.close();
    await once(taken, "close");
    const checked = await run(["doctor", `http://127.0.0.1:${port}`]);
    for (const { code, stdout, stderr } of [refused, checked]) {
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(/pdpp"? serve \(?--demo/);
      expect(stdout + stderr).not.toMatch(/\bnp[mx] /);
    }
  });

  it("[OPS-3] removes its cache and does not fill it again", async () => {
    await run(["--version"]);
    const cache = join(getEnv().XDG_CACHE_HOME!, "pdpp");
    expect(existsSync(cache)).toBe(true);
    const listed = await run(["uninstall", "--print"]);
    expect(listed.stdout).toContain(cache);
    const removed = await run(["uninstall", "--yes"]);
    expect([removed.code, removed.stderr]).toEqual([0, expect.stringContaining(uninstallHint)]);
    expect(existsSync(cache)).toBe(false);
  });
}
