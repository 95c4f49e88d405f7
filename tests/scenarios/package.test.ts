import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cleanEnvironment, type RunResult, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { buildInFolders, readDockerfile, readWords } from "@pdpp/test-support/package/dockerfile";
import { type InstalledPackage, installPackage, listFiles } from "@pdpp/test-support/package/installed-package";
import { type Ready, runWhileServing } from "@pdpp/test-support/processes/server-process";
import { repository } from "@pdpp/test-support/repository/requirements";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWhole } from "#importers/tree/damage";
import { openTree } from "#importers/tree/open-tree";
import { writeShelves } from "../../programs/shelves/write-shelves.ts";
import { writePdf } from "../importers/documents/pdf-writer.ts";

/** The first bytes of programs and libraries for Linux, macOS and Windows. */
const nativeMagic = new Set(["7f454c46", "cffaedfe", "cafebabe", "4d5a9000"]);
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

const maxBytes = 100e6;

async function unpackArchive(file: string, into: string): Promise<void> {
  const tree = await openTree([file]);
  for (const entry of tree.entries) {
    mkdirSync(dirname(join(into, entry.path)), { recursive: true });
    writeFileSync(join(into, entry.path), await readWhole(entry, maxBytes));
  }
  await tree.close();
}

describe("the installed package", () => {
  let installed: InstalledPackage;
  let env: Record<string, string>;
  beforeAll(() => {
    installed = installPackage();
    const home = join(installed.folder, "home");
    mkdirSync(home);
    env = { HOME: home, XDG_CACHE_HOME: join(home, "cache") };
  });
  afterAll(() => installed?.remove());

  const run = (args: readonly string[], extra: Record<string, string> = {}): Promise<RunResult> =>
    runProgram(process.execPath, [installed.program, ...args], { env: { ...env, ...extra }, cwd: installed.folder });
  const serveDemo = <T>(work: (ready: Ready & { readonly token: string }) => Promise<T>): Promise<T> =>
    runWhileServing(
      ["--demo"],
      cleanEnvironment(env),
      (ready) => work({ ...ready, token: ready.demo_token ?? "" }),
      installed.program,
    );

  it("[PKG-2] is small, and has nothing to compile or to run on installation", () => {
    const { dependencies, scripts, optionalDependencies } = installed.manifest;
    expect([Object.keys(dependencies), scripts, optionalDependencies]).toEqual([["zod"], undefined, undefined]);
    const files = listFiles(join(installed.folder, "node_modules"));
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(60e6);
    const own = files.map(({ path }) => path).filter((path) => path.startsWith("pdpp/"));
    expect(own.filter((path) => /(?<!\.d)\.tsx?$|\.test\./.test(path))).toEqual([]);
  });

  it("[PKG-1] has no native binaries, not even unused ones", () => {
    const modules = join(installed.folder, "node_modules");
    const isNative = (path: string): boolean =>
      nativeMagic.has(readFileSync(join(modules, path)).toString("hex", 0, 4));
    expect(isNative(relative(modules, process.execPath))).toBe(true);
    expect(listFiles(modules).filter(({ path }) => isNative(path))).toEqual([]);
  });

  it("[PKG-1] [PKG-4] serves the demo to the command line, to an MCP client and to a browser", () =>
    serveDemo(async ({ url, token }) => {
      const found = await run(["read", "search", url, "gutter thermostat"], { PDPP_ACCESS_TOKEN: token });
      expect([found.code, found.stderr]).toEqual([0, ""]);
      expect(found.stdout).toContain("thermostat");
      const client = new Client({ name: "test", version: "1" });
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [installed.program, "mcp", "--provider-url", url],
          env: cleanEnvironment({ ...env, PDPP_ACCESS_TOKEN: token }) as Record<string, string>,
        }),
      );
      expect((await client.listTools()).tools.length).toBe(6);
      await client.close();
      for (const path of ["/assets/style.css", "/assets/keys.js", "/sign-in", "/v1/openapi.json"])
        expect((await fetch(new URL(path, url))).status, path).toBe(200);
      const link = await run(["sign-in", "--data-dir", join(env.HOME!, ".pdpp/demo"), "--url", url]);
      expect(link.code).toBe(0);
    }));

  it("[PKG-1] saves the token of the demo where agents of this machine find it", () =>
    serveDemo(async ({ url, saved_to: file }) => {
      expect(file).toContain(join(env.HOME!, ".pdpp/clients"));
      const found = await run(["read", "search", url, "gutter thermostat"]);
      expect([found.code, found.stderr]).toEqual([0, ""]);
    }));

  it("[PKG-1] [PKG-4] imports a mail with a document, in threads of its own", async () => {
    const pdf = writePdf(["The attic ladder is warped."]).toString("base64");
    const file = join(installed.folder, "letter.eml");
    const head = "Message-ID: <a@x.example>\r\nFrom: a@x.example\r\nDate: Fri, 1 Mar 2019 12:00:00 +0000\r\n";
    const part =
      'Content-Type: application/pdf; name="ladder.pdf"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64';
    writeFileSync(
      file,
      `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${part}\r\n\r\n${pdf}\r\n--b--\r\n`,
    );
    const dataDir = join(installed.folder, "vault");
    const imported = await run(["import", file, "--yes", "--data-dir", dataDir]);
    expect([imported.code, imported.stdout + imported.stderr]).toEqual([0, expect.stringContaining(" pdpp serve")]);
    expect(imported.stdout + imported.stderr).not.toContain("npx");
    const exported = await run(["export", "--data-dir", dataDir]);
    expect(exported.stdout).toContain("The attic ladder is warped.");
  });

  it("[OPS-3] removes its cache and does not fill it again", async () => {
    await run(["--version"]);
    const cache = join(env.XDG_CACHE_HOME!, "pdpp");
    expect(existsSync(cache)).toBe(true);
    const listed = await run(["uninstall", "--print"]);
    expect(listed.stdout).toContain(cache);
    const removed = await run(["uninstall", "--yes"]);
    expect([removed.code, removed.stderr]).toEqual([0, expect.stringContaining("npm uninstall --global pdpp")]);
    expect(existsSync(cache)).toBe(false);
  });

  it("[PKG-11] answers from an agents' shelf, started as its manifest says", async () => {
    const shelves = join(installed.folder, "shelves");
    writeShelves(shelves, dirname(installed.program), undefined);
    const unpacked = join(installed.folder, "unpacked");
    await unpackArchive(join(shelves, readdirSync(shelves).find((name) => name.endsWith(".mcpb"))!), unpacked);
    const { server } = JSON.parse(readFileSync(join(unpacked, "manifest.json"), "utf8")) as {
      server: { mcp_config: { args: string[] } };
    };
    const fillIn = (text: string): string => text.replace("$" + "{__dirname}", unpacked);
    await serveDemo(async ({ url, token }) => {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: server.mcp_config.args.map(fillIn),
          env: cleanEnvironment({ ...env, PDPP_ACCESS_TOKEN: token, PDPP_PROVIDER_URL: url }) as Record<string, string>,
        }),
      );
      expect((await client.listTools()).tools.length).toBe(6);
      await client.close();
    });
  });

  it("[PKG-12] runs as the Dockerfile says, with folders in place of images", async () => {
    const context = join(installed.folder, "context");
    mkdirSync(join(context, "dist"), { recursive: true });
    const tarball = readdirSync(installed.folder).find((name) => name.endsWith(".tgz"))!;
    copyFileSync(join(installed.folder, tarball), join(context, "dist", tarball));
    const instructions = readDockerfile(join(repository, "containers/Dockerfile"));
    const place = buildInFolders(instructions, context, join(installed.folder, "stages"));
    const [, program] = readWords(instructions, "ENTRYPOINT");
    const [command, ...args] = readWords(instructions, "CMD");
    expect(command).toBe("serve");
    const health = async (port: string): Promise<number | null> => {
      const [, ...words] = readWords(instructions, "HEALTHCHECK").map((word) => word.replace("7663", port));
      return (await runProgram(process.execPath, words)).code;
    };
    const inContainer = cleanEnvironment({ ...env, PDPP_DATA_DIR: join(place, "data") });
    const port = await runWhileServing(
      args,
      inContainer,
      async ({ url }) => {
        const { port: used } = new URL(url);
        expect(await health(used)).toBe(0);
        return used;
      },
      join(place, program!),
    );
    expect(await health(port)).toBe(1);
    expect(existsSync(join(place, "data/vault.db"))).toBe(true);
  });

  it("[PKG-3] says in one line that an older Node is too old", async () => {
    const older = join(installed.folder, "older.mjs");
    writeFileSync(older, 'Object.defineProperty(process.versions, "node", { value: "20.1.0" });');
    const { code, stderr } = await runProgram(process.execPath, ["--import", older, installed.program, "--version"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: pdpp needs Node 24 or newer.*\n$/)]);
  });

  it("[PKG-5] has typed modules for other programs", async () => {
    const project = join(installed.folder, "project");
    mkdirSync(project);
    const compile = (name: string, source: string): void => {
      writeFileSync(join(project, name), source);
      const options = ["--strict", "--module", "nodenext", "--target", "es2024", "--types", "", "--lib", "es2024,dom"];
      execFileSync(process.execPath, [compiler, ...options, "--ignoreConfig", join(project, name)], { stdio: "pipe" });
    };
    writeFileSync(join(project, "package.json"), '{"type": "module"}');
    compile(
      "reader.ts",
      `import { createClient } from "pdpp/client";
      import { operations } from "pdpp/contract";
      const [url, token] = (globalThis as unknown as { process: { argv: string[] } }).process.argv.slice(2);
      const { data } = await createClient({ url: url!, token: token! }).search({ q: "gutter thermostat" });
      console.log(operations.search.name, data.length > 0);`,
    );
    const wrong =
      'import { createClient } from "pdpp/client"; createClient({ url: "", token: "" }).search({ qq: "x" });';
    expect(() => compile("wrong.ts", wrong)).toThrow();
    await serveDemo(async ({ url, token }) => {
      const { stdout, stderr } = await runProgram(process.execPath, [join(project, "reader.js"), url, token]);
      expect([stdout, stderr]).toEqual(["search true\n", ""]);
    });
  });
});
