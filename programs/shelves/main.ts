import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeBundle } from "../pack/bundle.ts";
import { root } from "../pack/root.ts";
import { writeShelves } from "./write-shelves.ts";

/**
 * `npm run shelves [-- --repository https://github.com/OWNER/pdpp] [--into FOLDER]` writes what agents' own tools install: an MCPB bundle,
 * a marketplace for Claude Code and Codex, a Gemini extension, and, with a repository whose releases have the bundle, the MCP registry's entry.
 */

const { into = join(root, "dist/shelves"), repository } = parseArgs({
  options: { into: { type: "string" }, repository: { type: "string" } },
}).values;
const bundle = mkdtempSync(join(tmpdir(), "pdpp-bundle-"));
try {
  await writeBundle(bundle);
  for (const path of writeShelves(into, bundle, repository)) console.log(path);
  if (repository === undefined) console.log("server.json was not made: it names a release; add --repository URL");
} finally {
  rmSync(bundle, { recursive: true, force: true });
}
