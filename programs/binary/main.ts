import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, sep } from "node:path";
import { parseArgs } from "node:util";
import { version } from "@pdpp/server/version";
import { rolldown } from "rolldown";
import { buildArchive } from "#cli/executable/archive";
import { assetNames } from "#cli/executable/assets";
import { writeBundle } from "../pack/bundle.ts";
import { writeNotices } from "../pack/notices.ts";
import { root } from "../pack/root.ts";

/** `npm run build:binary [-- --into FOLDER]` writes dist/pdpp-VERSION-PLATFORM-ARCH: the whole product as one executable for this platform. */

const { into = join(root, "dist") } = parseArgs({ options: { into: { type: "string" } } }).values;
mkdirSync(into, { recursive: true });
const place = mkdtempSync(join(into, "binary-"));
const suffix = process.platform === "win32" ? ".exe" : "";
const output = join(into, `pdpp-${version}-${process.platform}-${process.arch}${suffix}`);
try {
  const assets = await writeAssets();
  const main = await bundleMain();
  const config = join(place, "config.json");
  writeFileSync(
    config,
    JSON.stringify({
      main,
      mainFormat: "commonjs",
      executable: copyNode(),
      output,
      disableExperimentalSEAWarning: true,
      // For the import of unpacked modules, an experimental function of node:vm.
      execArgv: ["--disable-warning=ExperimentalWarning"],
      // Flags of child processes; see packages/threads/src/node-arguments.ts.
      execArgvExtension: "cli",
      assets,
    }),
  );
  execFileSync(process.execPath, ["--build-sea", config], { stdio: ["ignore", "ignore", "inherit"] });
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", "--force", output]);
  chmodSync(output, 0o755);
} finally {
  rmSync(place, { recursive: true, force: true });
}
console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(1)} MB`);

/** Returns the paths of the archive and its index. */
async function writeAssets(): Promise<Record<string, string>> {
  const program = join(place, "program");
  await writeBundle(program);
  writeNotices(root, join(program, "THIRD-PARTY-NOTICES.txt"));
  for (const name of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, name), join(program, name));
  const files = readdirSync(program, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(program, path)).isFile())
    .toSorted()
    .map((path) => ({ path: path.split(sep).join("/"), content: readFileSync(join(program, path)) }));
  const { index, archive } = buildArchive(version, files);
  const paths = { [assetNames.index]: join(place, "index"), [assetNames.archive]: join(place, "archive") };
  writeFileSync(paths[assetNames.index]!, index);
  writeFileSync(paths[assetNames.archive]!, archive);
  return paths;
}

async function bundleMain(): Promise<string> {
  const file = join(place, "executable.cjs");
  const bundle = await rolldown({ input: join(root, "packages/cli/bin/executable.mjs"), platform: "node" });
  await bundle.write({ file, format: "cjs" });
  await bundle.close();
  return file;
}

/** Node without the symbols of its functions, a fifth of its size. They cannot be removed once the program is in it. */
function copyNode(): string {
  const node = join(place, `node${suffix}`);
  cpSync(process.execPath, node);
  chmodSync(node, 0o755);
  if (process.platform === "linux") execFileSync("strip", ["--strip-all", node]);
  if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", node]);
  return node;
}
