import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "@pdpp/server/version";
import { writeBundle } from "./bundle.ts";
import { writeNotices } from "./notices.ts";
import { root } from "./root.ts";
import { buildPackageJson, writeTypes } from "./types.ts";

/** `npm run pack [-- --repository https://github.com/OWNER/pdpp] [--into FOLDER]` writes dist/pdpp-VERSION.tgz: the whole product as one npm package. */

interface PackResult {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const { into = join(root, "dist"), repository } = parseArgs({
  options: { into: { type: "string" }, repository: { type: "string" } },
}).values;
mkdirSync(into, { recursive: true });
const folder = mkdtempSync(join(into, "package-"));

await writeBundle(join(folder, "dist"));
writeTypes(join(folder, "types"));
for (const name of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, name), join(folder, name));
cpSync(join(root, "packages/cli/README.md"), join(folder, "README.md"));
writeNotices(root, join(folder, "THIRD-PARTY-NOTICES.txt"));
writeFileSync(join(folder, "package.json"), JSON.stringify(buildPackageJson(version, repository), null, 2));
const made = packFolder();
rmSync(folder, { recursive: true, force: true });
console.log(
  `${join(into, made.filename)}: ${formatMb(made.size)}, ${formatMb(made.unpackedSize)} unpacked, ${made.entryCount} files`,
);

function packFolder(): PackResult {
  const output = execFileSync("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", into], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [result] = JSON.parse(output) as readonly PackResult[];
  if (result === undefined) throw new Error("npm pack made nothing");
  return result;
}

function formatMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
