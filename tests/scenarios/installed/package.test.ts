import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cleanEnvironment, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { buildInFolders, readDockerfile, readWords } from "@pdpp/test-support/package/dockerfile";
import {
  exampleRepository,
  type InstalledPackage,
  installPackage,
  listFiles,
} from "@pdpp/test-support/package/installed-package";
import { runWhileServing } from "@pdpp/test-support/processes/server-process";
import { repository } from "@pdpp/test-support/repository/requirements";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWhole } from "#importers/tree/damage";
import { openTree } from "#importers/tree/open-tree";
import { buildPackageJson } from "../../../programs/pack/types.ts";
import { writeShelves } from "../../../programs/shelves/write-shelves.ts";
import { createHome, serveDemo, testInstalledProgram } from "./installed-program.ts";

/** The first bytes of programs and libraries for Linux, macOS and Windows. */
const nativeMagic = new Set(["7f454c46", "cffaedfe", "cafebabe", "4d5a9000"]);
const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

const maxBytes = 100e6;

async function unpackArchive(file: string, into: string): Promise<void> {
  const tree = await openTree([file]);
  for (const entry of tree.entries) {
    mkdirSync(dirname(join(into, entry.path)), { recursive: true });
    writeFileSync(join(into, entry.path), await readWhole(entry, maxBytes));
  }
  await tree.close();
}

/** The package with its dependencies and theirs. */
function countPackages(modules: string): number {
  const found = new Set(["pdpp"]);
  for (const name of found) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")) as {
      dependencies?: object;
    };
    for (const dependency of Object.keys(dependencies)) found.add(dependency);
  }
  return found.size;
}

describe("the installed package", () => {
  let installed: InstalledPackage;
  let env: Record<string, string>;
  beforeAll(() => {
    installed = installPackage();
    env = createHome(installed);
  });
  afterAll(() => installed?.remove());

  testInstalledProgram(
    () => installed,
    () => env,
    "npm uninstall --global pdpp",
  );

  it("[PKG-2] is small, and has nothing to compile or to run on installation", () => {
    const { dependencies, scripts, optionalDependencies } = installed.manifest;
    expect([Object.keys(dependencies), scripts, optionalDependencies]).toEqual([["zod"], undefined, undefined]);
    const files = listFiles(join(installed.folder, "node_modules"));
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(60e6);
    expect(countPackages(join(installed.folder, "node_modules"))).toBeLessThanOrEqual(5);
    const own = files.map(({ path }) => path).filter((path) => path.startsWith("pdpp/"));
    expect(own.filter((path) => /(?<!\.d)\.tsx?$|\.test\./.test(path))).toEqual([]);
  });

  it("[PKG-16] can be published as it is: a dry run changes and sends nothing", async () => {
    const requests: string[] = [];
    const registry = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(404).end("{}");
    });
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    const { port } = registry.address() as AddressInfo;
    const options = ["--dry-run", "--provenance", "--json", "--registry", `http://127.0.0.1:${port}/`];
    const { code, stdout, stderr } = await runProgram("npm", ["publish", installed.tarball, ...options], { env });
    registry.close();
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/correct|error/i)]);
    const { name, version, mcpName } = installed.manifest;
    expect(stdout).toContain(`"id": "${name}@${version}"`);
    expect(requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect([name, mcpName]).toEqual(["pdpp", "io.github.example/pdpp"]);
    expect(installed.manifest.repository).toEqual({ type: "git", url: `git+${exampleRepository}.git` });
    expect(buildPackageJson(version, undefined)).not.toHaveProperty("mcpName");
    expect(buildPackageJson(version, undefined)).not.toHaveProperty("repository");
  });

  it("[PKG-1] has no native binaries, not even unused ones", () => {
    const modules = join(installed.folder, "node_modules");
    const isNative = (path: string): boolean =>
      nativeMagic.has(readFileSync(join(modules, path)).toString("hex", 0, 4));
    expect(isNative(relative(modules, process.execPath))).toBe(true);
    expect(listFiles(modules).filter(({ path }) => isNative(path))).toEqual([]);
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
    await serveDemo(installed, env, async ({ url, token }) => {
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
    copyFileSync(installed.tarball, join(context, "dist", basename(installed.tarball)));
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
    await serveDemo(installed, env, async ({ url, token }) => {
      const { stdout, stderr } = await runProgram(process.execPath, [join(project, "reader.js"), url, token]);
      expect([stdout, stderr]).toEqual(["search true\n", ""]);
    });
  });
});
