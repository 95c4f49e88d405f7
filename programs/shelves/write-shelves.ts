import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeZip } from "../../tests/importers/archives/zip-writer.ts";
import { name, programFolder, version } from "./description.ts";
import { buildGeminiFiles, buildMarketplaceFiles, buildMcpbFiles, buildRegistryEntry, type Files } from "./files.ts";

/** Writes every shelf's files to `into`, with the program of `bundle`. Returns their paths. */
export function writeShelves(into: string, bundle: string, repository: string | undefined): string[] {
  const mcpbName = `${name}-${version}.mcpb`;
  const mcpb = writeZip([
    ...Object.entries(buildMcpbFiles(repository)).map(([path, content]) => ({ name: path, content })),
    ...listFiles(bundle).map((path) => ({
      name: `${programFolder}/${path}`,
      content: readFileSync(join(bundle, path)),
    })),
  ]);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, mcpbName), mcpb);
  const marketplace = join(into, "marketplace");
  const gemini = join(into, "gemini-extension");
  for (const folder of [marketplace, gemini]) rmSync(folder, { recursive: true, force: true });
  writeFiles(marketplace, buildMarketplaceFiles(repository));
  cpSync(bundle, join(marketplace, "plugins", name, programFolder), { recursive: true });
  writeFiles(gemini, buildGeminiFiles());
  cpSync(bundle, join(gemini, programFolder), { recursive: true });
  const made = [join(into, mcpbName), marketplace, gemini];
  if (repository === undefined) return made;
  const sha256 = createHash("sha256").update(mcpb).digest("hex");
  const entry = buildRegistryEntry({ repository, file: mcpbName, sha256 });
  writeFiles(into, { "server.json": `${JSON.stringify(entry, null, 2)}\n` });
  return [...made, join(into, "server.json")];
}

function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
