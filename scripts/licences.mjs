// Writes docs/dependencies.md: every package that runs in production, from the lockfile, with its licence and its size on disk. With
// --check, only reports whether the page is current; sizes differ between platforms and are ignored.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "docs/dependencies.md");
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

const production = Object.entries(packages)
  .filter(([path, { dev, devOptional, link }]) => path.startsWith("node_modules/") && !dev && !devOptional && !link)
  .map(([path, { version, license = "unknown", os }]) => ({
    path,
    name: path.split("node_modules/").at(-1),
    version,
    license,
    platform: os !== undefined,
  }))
  .sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1));

function measureBytes(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + measureBytes(join(path, name)), 0);
}

const formatSize = (path) =>
  existsSync(join(root, path)) ? `${Math.ceil(measureBytes(join(root, path)) / 1000)}` : "other platform";

const formatRow = ({ name, version, license }, size) => `| ${name} | ${version} | ${license} | ${size} |`;
const counts = Object.entries(Object.groupBy(production, ({ license }) => license))
  .map(([license, held]) => `${license} ${held.length}`)
  .sort()
  .join(", ");

const text = `# Dependencies

Every package that runs in production, pinned by digest in the lockfile. \`npm run licences\` writes this page, and a test compares it with the
lockfile. The list includes Node for each platform, for machines with a Node older than 24; npm installs only the matching one.

${production.length} packages: ${counts}.

| package | version | licence | kB |
|---|---|---|---|
${production.map((each) => formatRow(each, formatSize(each.path))).join("\n")}
`;

if (process.argv.includes("--check")) {
  const removeSizes = (held) => held.replace(/\| [^|\n]+ \|$/gm, "|");
  const isSame = existsSync(page) && removeSizes(readFileSync(page, "utf8")) === removeSizes(text);
  if (!isSame) console.error("docs/dependencies.md is out of date. Run npm run licences.");
  process.exitCode = isSame ? 0 : 1;
} else writeFileSync(page, text);
