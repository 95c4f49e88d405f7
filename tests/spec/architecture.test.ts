import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository } from "@pdpp/test-support/repository/requirements";
import { describe, expect, it } from "vitest";

/** The table in docs/architecture.md, the packages' dependencies and the linter must agree. */

const biome = join(repository, "node_modules/.bin/biome");
const read = (file: string): string => readFileSync(join(repository, file), "utf8");

const rows = [...read("docs/architecture.md").matchAll(/^\| `packages\/([\w/-]+)` \|.*\| ([^|]+) \|$/gm)].map(
  ([, room = "", may = ""]) => ({ room, may: may.startsWith("nothing") ? [] : may.split(", ") }),
);
const serverRooms = rows.flatMap(({ room }) => /^server\/src\/(\w+)$/.exec(room)?.[1] ?? []);
const listAllowed = (room: string): readonly string[] => rows.find((row) => row.room === room)?.may ?? [];

interface Planted {
  readonly file: string;
  readonly imports: readonly string[];
}

/** Writes the files into an empty tree with our linter configuration and returns what it rejects in each. */
function listRejected(files: readonly Planted[]): Map<string, string[]> {
  const tree = mkdtempSync(join(tmpdir(), "pdpp-arrows-"));
  try {
    cpSync(join(repository, "biome.json"), join(tree, "biome.json"));
    cpSync(join(repository, ".gitignore"), join(tree, ".gitignore"));
    for (const { file, imports } of files) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      const lines = imports.map((from, i) => `import { x as x${i} } from "${from}";\nx${i}();\n`);
      writeFileSync(join(tree, file), lines.join(""));
    }
    const args = ["lint", "--only=style/noRestrictedImports", "--max-diagnostics=none", "--reporter=github", "."];
    const { stdout } = spawnSync(biome, args, { cwd: tree, encoding: "utf8" });
    return new Map(
      files.map(({ file, imports }) => {
        const found = [...stdout.matchAll(/file=([^,]+),line=(\d+),/g)].filter(([, at = ""]) => at.endsWith(file));
        return [file, found.flatMap(([, , line]) => imports[(Number(line) - 1) / 2] ?? [])];
      }),
    );
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

const planted = (room: string): string => `packages/server/src/${room}/planted.ts`;

function formatImport(room: string): string {
  if (serverRooms.includes(room)) return `../${room}/planted.ts`;
  return room === "app" || room === "main" ? `../${room}.ts` : `@pdpp/${room}/planted`;
}

describe("the dependencies in docs/architecture.md", () => {
  it("name every folder of the server", () => {
    expect(serverRooms.length).toBeGreaterThan(6);
  });

  it("are the only ones the linter allows between the server's folders", () => {
    const imports = [
      ...serverRooms,
      "language",
      "word-index",
      "evidence",
      "consent",
      "client",
      "mcp",
      "console",
      "importers",
      "app",
      "main",
    ].map(formatImport);
    const found = listRejected(serverRooms.map((room) => ({ file: planted(room), imports })));
    for (const room of serverRooms) {
      const may = [...listAllowed(`server/src/${room}`), room].map(formatImport);
      const wrong = imports.filter((from) => !may.includes(from));
      expect([room, found.get(planted(room))?.sort()]).toEqual([room, wrong.sort()]);
    }
  });

  it.each([
    "contract",
    "language",
    "word-index",
    "evidence",
    "consent",
    "agent-setup",
    "client",
    "mcp",
    "console",
    "importers",
    "threads",
    "collecting",
    "connectors",
    "cli",
  ])("match the dependencies of package %s", (name) => {
    const { dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`)) as { dependencies?: object };
    const ours = Object.keys(dependencies).flatMap((key) => /^@pdpp\/(.+)$/.exec(key)?.[1] ?? []);
    expect(ours.sort()).toEqual([...listAllowed(name)].sort());
  });

  it("reach other packages by name, and never import a test", () => {
    const file = "packages/cli/src/planted.ts";
    const wrong = [
      "../../server/src/store/store.ts",
      "../../../tests/support/vaults/sample.ts",
      "../../../programs/x.ts",
      "@pdpp/test-support/vaults/sample",
    ];
    const found = listRejected([{ file, imports: ["./vault.ts", "@pdpp/contract/errors", ...wrong] }]);
    expect(found.get(file)).toEqual(wrong);
  });
});

describe("the exports of a package", () => {
  const sources = globSync("packages/*/{src,bin}/**/*.{ts,tsx,mjs}", { cwd: repository });
  const texts = sources.map((file) => ({ name: file.split("/")[1], text: read(file) }));

  it.each([
    "contract",
    "language",
    "word-index",
    "evidence",
    "consent",
    "agent-setup",
    "client",
    "mcp",
    "console",
    "server",
    "importers",
    "threads",
    "collecting",
    "connectors",
    "cli",
  ])("are listed and used by another package: %s", (name) => {
    const { exports } = JSON.parse(read(`packages/${name}/package.json`)) as { exports: Record<string, string> };
    const elsewhere = texts.filter((source) => source.name !== name).map(({ text }) => text);
    const unused = Object.keys(exports).filter((door) => {
      const spelled = `"@pdpp/${name}${door.slice(1)}"`;
      return door.includes("*") || !elsewhere.some((text) => text.includes(spelled));
    });
    expect(unused).toEqual([]);
  });
});
