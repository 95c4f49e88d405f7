import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpbManifestSchema } from "@anthropic-ai/mcpb/schemas/0.4";
import { serve } from "@pdpp/server/main";
import { repository } from "@pdpp/test-support/repository/requirements";
import Ajv, { type AnySchema } from "ajv";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { readWhole } from "#importers/tree/damage";
import { openTree } from "#importers/tree/open-tree";
import { settings, skillText } from "../../programs/shelves/description.ts";
import { writeShelves } from "../../programs/shelves/write-shelves.ts";

const published = "https://github.com/example/pdpp";
const root = mkdtempSync(join(tmpdir(), "pdpp-shelves-"));
const into = join(root, "shelves");
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(() => {
  // The real bundle is packed and started by tests/scenarios/installed/package.test.ts.
  const bundle = join(root, "bundle");
  mkdirSync(join(bundle, "files"), { recursive: true });
  writeFileSync(join(bundle, "pdpp.mjs"), "export {};");
  writeFileSync(join(bundle, "files", "data.json"), "{}");
  writeShelves(into, bundle, published);
});

const maxBytes = 100e6;
const read = (path: string): unknown => JSON.parse(readFileSync(join(into, path), "utf8"));
const mcpbName = (): string => readdirSync(into).find((name) => name.endsWith(".mcpb"))!;

async function readMcpb(): Promise<Map<string, string>> {
  const tree = await openTree([join(into, mcpbName())]);
  const files = new Map<string, string>();
  for (const entry of tree.entries) {
    files.set(entry.path, (await readWhole(entry, maxBytes)).toString());
  }
  await tree.close();
  return files;
}

describe("the shelves' files", () => {
  it("[PKG-11] have the program, and start it from their own folder", async () => {
    const mcpb = await readMcpb();
    expect([...mcpb.keys()].sort()).toEqual(["icon.png", "manifest.json", "server/files/data.json", "server/pdpp.mjs"]);
    const manifest = JSON.parse(mcpb.get("manifest.json")!);
    expect(manifest.server.mcp_config).toEqual({
      command: "node",
      args: ["$" + "{__dirname}/server/pdpp.mjs", "mcp"],
      env: {
        PDPP_PROVIDER_URL: "$" + "{user_config.provider_url}",
        PDPP_ACCESS_TOKEN: "$" + "{user_config.access_token}",
      },
    });
    expect(Object.keys(manifest.user_config)).toEqual(settings.map(({ key }) => key));
    expect(manifest.user_config.access_token.sensitive).toBe(true);
    const plugin = "marketplace/plugins/pdpp";
    for (const folder of [plugin, "gemini-extension"]) {
      expect(existsSync(join(into, folder, "server/files/data.json"))).toBe(true);
      expect(readFileSync(join(into, folder, "skills/pdpp/SKILL.md"), "utf8")).toBe(skillText);
    }
    expect(read(`${plugin}/.codex-mcp.json`)).toMatchObject({ mcpServers: { pdpp: { cwd: "." } } });
  });

  it("[PKG-11] agree on name, version and description, and lead to each other", () => {
    const { name, version, description } = read("gemini-extension/gemini-extension.json") as Record<string, string>;
    const shared = { name, version, description };
    expect(read("server.json")).toMatchObject({ title: name, version, description });
    const claude = read("marketplace/.claude-plugin/marketplace.json") as {
      plugins: { name: string; source: string }[];
    };
    const codex = read("marketplace/.agents/plugins/marketplace.json") as { plugins: { source: { path: string } }[] };
    for (const source of [claude.plugins[0]!.source, codex.plugins[0]!.source.path]) {
      for (const manifest of [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"])
        expect(read(join("marketplace", source, manifest))).toMatchObject(shared);
    }
    const registry = read("server.json") as {
      name: string;
      description: string;
      packages: { fileSha256: string; identifier: string }[];
    };
    expect(registry.name).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(registry.description.length).toBeLessThanOrEqual(100);
    const digest = createHash("sha256")
      .update(readFileSync(join(into, mcpbName())))
      .digest("hex");
    expect(registry.packages).toMatchObject([{ registryType: "mcpb", fileSha256: digest }]);
    expect(registry.packages[0]!.identifier).toMatch(
      /^https:\/\/github\.com\/example\/pdpp\/releases\/download\/v.*\.mcpb$/,
    );
  });

  it("[PKG-11] tell nobody to run a package of our name from a registry", async () => {
    const texts = readdirSync(into, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(into, path)).isFile() && !path.endsWith(".mcpb"))
      .map((path) => readFileSync(join(into, path), "utf8"));
    texts.push(...(await readMcpb()).values());
    for (const text of texts) expect(text).not.toMatch(/npx|npm (exec|install|i) |bunx|pnpm dlx|"registryType": "npm"/);
  });

  it("[PKG-11] need no registry entry without a repository", () => {
    const made = writeShelves(join(root, "private"), join(root, "bundle"), undefined);
    expect(made.some((path) => path.endsWith("server.json"))).toBe(false);
    expect(existsSync(join(root, "private/server.json"))).toBe(false);
  });
});

it("[PKG-11] the MCPB manifest and its icon are valid", async () => {
  const files = await readMcpb();
  const manifest = JSON.parse(files.get("manifest.json")!) as { readonly icon: string };
  expect(McpbManifestSchema.safeParse(manifest)).toMatchObject({ success: true });
  expect(McpbManifestSchema.safeParse({ ...manifest, manifest_version: "9" })).toMatchObject({ success: false });
  expect(McpbManifestSchema.safeParse({ ...manifest, unknown: 1 })).toMatchObject({ success: false });
  const icon = readFileSync(join(into, "marketplace/plugins/pdpp/.claude-plugin/icon.png"));
  expect(files.get(manifest.icon)).toBe(icon.toString());
  expect(icon.toString("latin1", 1, 4)).toBe("PNG");
  const [width, height] = [icon.readUInt32BE(16), icon.readUInt32BE(20)];
  expect([width, height]).toEqual([512, 512]);
});

const registrySchema = join(repository, "../shared/schemas/mcp-server-2025-12-11.schema.json");

it("[PKG-11] the registry's entry is valid", async (context) => {
  if (!existsSync(registrySchema))
    return context.skip("no npm package has the schema; put it at shared/schemas next to the repository");
  const ajv = addFormats.default(new Ajv.default({ strict: false, allErrors: true }));
  const isValid = ajv.compile(JSON.parse(readFileSync(registrySchema, "utf8")) as AnySchema);
  const entry = read("server.json") as object;
  expect([isValid(entry), isValid.errors]).toEqual([true, null]);
  expect(isValid({ ...entry, name: "no-slash" })).toBe(false);
});

it("[PKG-10] the skill is served to everybody and explains every tool", async () => {
  const server = await serve({ dataDir: join(root, "vault"), port: 0, host: "127.0.0.1" });
  try {
    const index = await fetch(`${server.url}/.well-known/skills/index.json`);
    const { skills } = (await index.json()) as { skills: { name: string; description: string; files: string[] }[] };
    expect(skills).toMatchObject([{ name: "pdpp", files: ["SKILL.md"] }]);
    const file = await fetch(`${server.url}/.well-known/skills/pdpp/SKILL.md`);
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    const text = await file.text();
    expect(text).toBe(skillText);
    const [, front = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
    expect(yaml.parse(front)).toEqual({ name: skills[0]!.name, description: skills[0]!.description });
    expect(skills[0]!.description.length).toBeLessThan(1024);
    const tools = JSON.parse(readFileSync(new URL("../mcp/golden/tools.txt", import.meta.url), "utf8")) as {
      name: string;
    }[];
    for (const { name } of tools) expect(text).toContain(`\`${name}\``);
    expect(text.split("\n").length).toBeLessThan(500);
  } finally {
    await server.close();
  }
});
