import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRegistryName } from "./registry-name.ts";
import { root } from "./root.ts";

/** The modules that other programs import, by the name of their bundle. */
export const publicModules = { client: "contract/src/http/client.ts", contract: "contract/src/public.ts" };

/** Writes the declarations of the public modules, in the folders of their sources. */
export function writeTypes(folder: string): void {
  const place = mkdtempSync(join(tmpdir(), "pdpp-types-"));
  const config = join(place, "tsconfig.json");
  try {
    writeFileSync(
      config,
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          allowJs: false,
          rewriteRelativeImportExtensions: true,
          rootDir: join(root, "packages"),
          outDir: folder,
          typeRoots: [join(root, "node_modules/@types")],
        },
        include: [],
        files: Object.values(publicModules).map((path) => join(root, "packages", path)),
      }),
    );
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config], { stdio: "inherit" });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The package's own package.json. `repository`: where it is published from, such as https://github.com/OWNER/pdpp. */
export function buildPackageJson(version: string, repository: string | undefined): object {
  const read = (path: string): Record<string, unknown> => JSON.parse(readFileSync(join(root, path), "utf8"));
  const { description, license } = read("package.json");
  const { zod } = read("packages/contract/package.json").dependencies as Record<string, string>;
  const { peerDependencies, peerDependenciesMeta } = read("packages/collecting/package.json");
  const describeExport = (name: string, path: string) => ({
    types: `./types/${path.replace(/\.ts$/, ".d.ts")}`,
    default: `./dist/${name}.mjs`,
  });
  return {
    name: "pdpp",
    version,
    description,
    license,
    ...(repository === undefined
      ? {}
      : {
          repository: { type: "git", url: `git+${repository}.git` },
          homepage: repository,
          mcpName: buildRegistryName(repository),
        }),
    type: "module",
    bin: { pdpp: "dist/pdpp.mjs" },
    engines: { node: ">=24" },
    files: ["dist", "types", "CHANGELOG.md", "THIRD-PARTY-NOTICES.txt"],
    exports: {
      ...Object.fromEntries(
        Object.entries(publicModules).map(([name, path]) => [`./${name}`, describeExport(name, path)]),
      ),
      "./package.json": "./package.json",
    },
    // Its types are part of ours.
    dependencies: { zod },
    // For the system's keychain: used if it is installed next to us.
    peerDependencies,
    peerDependenciesMeta,
  };
}
