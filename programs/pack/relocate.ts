import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "rolldown";

/** Files of the sources are copied here, at their path below packages/; files of dependencies below modules/. */
export const filesFolder = "files";

/** Source files that differ in an installed package, by their path below packages/; returns what replaces them. */
const replacements: Readonly<Record<string, (packagesFolder: string) => string>> = {
  // Pages are compiled by the bundler, so the compiler is not part of the package.
  "console/src/compile-jsx.ts": () => "export function compileJsxOnImport() {}",
  "agent-setup/src/command-name.ts": (folder) =>
    readFileSync(join(folder, "agent-setup/src/installed-command-name.ts"), "utf8"),
};

/** All modules of a bundle are in one folder, so addresses relative to a source file no longer hold. This rewrites them. */
export function relocateFiles(packagesFolder: string): Plugin {
  const getPath = (id: string): string => relative(packagesFolder, id).split(sep).join("/");
  const unused = new Set(Object.keys(replacements));
  return {
    name: "relocate-files",
    load(id) {
      const path = getPath(id);
      unused.delete(path);
      return replacements[path]?.(packagesFolder);
    },
    transform(code, id) {
      const path = getPath(id);
      if (path.startsWith("..") || !code.includes("import.meta.")) return undefined;
      // Lines stay where they are, so the source map still holds.
      return { code: relocateSource(code, path), map: null };
    },
    buildEnd(error) {
      if (error === undefined && unused.size > 0)
        throw new Error(`source files are missing: ${[...unused].join(", ")}`);
    },
  };
}

/** `path` is the source's path below packages/. Placeholders keep a later replacement from changing an earlier one's result. */
function relocateSource(code: string, path: string): string {
  const here = `new URL("./${filesFolder}/${path}", <url>)`;
  return (
    code
      // A dependency that is loaded when first needed; the bundler puts it into the bundle and keeps it waiting.
      .replace(/createRequire\(import\.meta\.url\)\(("[^"]+")\)/g, "require($1)")
      // Modules that run in threads and processes are entries of the bundle.
      .replace(/new URL\("[^"]*?([\w-]+)\.(?:ts|mjs)", import\.meta\.url\)/g, 'new URL("./$1.mjs", <url>)')
      .replace(/import\.meta\.resolve\(([^()]+)\)/g, `new URL("./${filesFolder}/modules/" + $1, <url>).href`)
      .replaceAll("import.meta.url", `${here}.href`)
      .replaceAll("import.meta.dirname", `process.getBuiltinModule("url").fileURLToPath(new URL(".", ${here}))`)
      .replaceAll("<url>", "import.meta.url")
  );
}
