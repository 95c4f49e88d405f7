import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** pdpp as a user has it, in a folder of its own. */
export interface InstalledProgram {
  readonly folder: string;
  /** What starts it. */
  readonly command: string;
  readonly args: readonly string[];
  /** A file that starts it with Node. */
  readonly program: string;
  remove(): void;
}

export interface InstalledPackage extends InstalledProgram {
  readonly tarball: string;
  readonly manifest: PackageManifest;
}

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly mcpName?: string;
  readonly repository?: unknown;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts?: unknown;
  readonly optionalDependencies?: unknown;
}

/** Where the package says that it is published from. */
export const exampleRepository = "https://github.com/example/pdpp";

/** Packs the sources and unpacks the tarball in a new folder, with its dependencies copied from the repository, so that no registry is needed. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-package-"));
  execFileSync(
    process.execPath,
    [join(root, "programs/pack/main.ts"), "--into", folder, "--repository", exampleRepository],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const tarball = join(folder, readdirSync(folder)[0]!);
  const modules = join(folder, "node_modules");
  const place = join(modules, "pdpp");
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", place, "--strip-components=1"]);
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as PackageManifest;
  for (const name of Object.keys(manifest.dependencies))
    cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
  const program = join(place, manifest.bin.pdpp!);
  return {
    folder,
    command: process.execPath,
    args: [program],
    program,
    tarball,
    manifest,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Builds the single executable in a new folder. */
export function buildExecutable(): InstalledProgram {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-executable-"));
  execFileSync(process.execPath, [join(root, "programs/binary/main.ts"), "--into", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [name] = readdirSync(folder);
  const command = join(folder, process.platform === "win32" ? "pdpp.exe" : "pdpp");
  renameSync(join(folder, name!), command);
  const program = join(folder, "start.mjs");
  writeFileSync(
    program,
    `const command = ${JSON.stringify(command)}; process.execve(command, [command, ...process.argv.slice(2)]);`,
  );
  return { folder, command, args: [], program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function listFiles(folder: string): { readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => ({ path, found: statSync(join(folder, path)) }))
    .filter(({ found }) => found.isFile())
    .map(({ path, found }) => ({ path, bytes: found.size }));
}
