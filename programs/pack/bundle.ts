import { cpSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { filesFolder, relocateFiles } from "./relocate.ts";
import { root } from "./root.ts";
import { shortenSourceMaps, skipDependencies } from "./source-maps.ts";
import { publicModules } from "./types.ts";

const packages = join(root, "packages");

interface Source {
  readonly path: string;
  readonly code: string;
}

/** Files that sources read while running, as globs below packages/. */
const ownFiles = ["console/assets/**/*", "demo/data/**/*", "importers/src/formats/recipes/*.json"];

/** Writes the bundle, with the files it reads, to `folder`. */
export async function writeBundle(folder: string): Promise<void> {
  const sources = globSync("*/src/**/*.{ts,tsx}", { cwd: packages })
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => ({ path, code: readFileSync(join(packages, path), "utf8") }));
  const entries = { pdpp: "cli/bin/installed.mjs", ...publicModules, ...findStartedModules(sources) };
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(packages, path)])),
    platform: "node",
    // Optional parts of pg, of debug and of ours, which are not installed.
    external: ["pg-native", "supports-color", "@napi-rs/keyring"],
    // Dependencies in CommonJS read these, and an ES module has neither.
    transform: { define: { __filename: "import.meta.filename", __dirname: "import.meta.dirname" } },
    resolve: { alias: { "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    plugins: [relocateFiles(packages), skipDependencies],
    onLog: (level, log, report) => {
      if (level === "warn" && log.code !== "EVAL" && log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") report("error", log);
    },
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunk-[hash].mjs",
    sourcemap: true,
    // Names stay, so that stack traces can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  shortenSourceMaps(folder, root);
  copyFiles(join(folder, filesFolder), sources);
}

/** Modules that sources start in threads and processes of their own; each becomes an entry. */
function findStartedModules(sources: readonly Source[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, code } of sources) {
    for (const [, target] of code.matchAll(/new URL\("([^"]+\.ts)", import\.meta\.url\)/g)) {
      const name = basename(target!, ".ts");
      if (found[name] !== undefined) throw new Error(`two modules of the bundle are called ${name}`);
      found[name] = join(dirname(path), target!);
    }
  }
  return found;
}

function copyFiles(folder: string, sources: readonly Source[]): void {
  const copy = (from: string, path: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(from, join(folder, path));
  };
  for (const path of ownFiles.flatMap((glob) => globSync(glob, { cwd: packages })))
    if (statSync(join(packages, path)).isFile()) copy(join(packages, path), path);
  for (const { specifier, file } of sources.flatMap(findModuleFiles)) copy(file, join("modules", specifier));
}

/** Files of dependencies that a source finds with import.meta.resolve. */
function findModuleFiles({ path, code }: Source): { readonly specifier: string; readonly file: string }[] {
  if (!code.includes("import.meta.resolve(")) return [];
  const require = createRequire(join(packages, path));
  return [...code.matchAll(/"([^"./][^"]*\.(?:wasm|json))"/g)].map(([, specifier]) => ({
    specifier: specifier!,
    file: require.resolve(specifier!),
  }));
}
