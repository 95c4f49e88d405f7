import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface InstalledPackage {
  readonly folder: string;
  /** The program that npm would link as `pdpp`. */
  readonly program: string;
  readonly manifest: PackageManifest;
  remove(): void;
}

interface PackageManifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts?: unknown;
  readonly optionalDependencies?: unknown;
}

/** Packs the sources and unpacks the tarball in a new folder, with its dependencies copied from the repository, so that no registry is needed. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-package-"));
  execFileSync(process.execPath, [join(root, "programs/pack/main.ts"), "--into", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [tarball] = readdirSync(folder);
  const modules = join(folder, "node_modules");
  const place = join(modules, "pdpp");
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, tarball!), "-C", place, "--strip-components=1"]);
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as PackageManifest;
  for (const name of Object.keys(manifest.dependencies))
    cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
  return {
    folder,
    program: join(place, manifest.bin.pdpp!),
    manifest,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function listFiles(folder: string): { readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => ({ path, found: statSync(join(folder, path)) }))
    .filter(({ found }) => found.isFile())
    .map(({ path, found }) => ({ path, bytes: found.size }));
}
