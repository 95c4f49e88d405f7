import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { InvalidManifestError, parseManifest } from "@pdpp/contract/manifest";
import { openTree, type Tree, TreeError } from "@pdpp/importers/tree";

/** The files of a connector, with a digest over all of them. */
export interface ConnectorPackage {
  readonly declaration: ConnectorDeclaration;
  /** Paths within the package. */
  readonly manifest: string;
  readonly entry: string;
  readonly digest: string;
}

export interface PackagePaths {
  readonly manifest?: string | undefined;
  readonly entry?: string | undefined;
}

const manifestPaths = ["collection-profile.json", "profile/collection-profile.json", "manifest.json"];
const entryPaths = ["dist/collection-profile.mjs", "index.mjs", "index.js", "index.ts"];
const maxFiles = 20_000;
const maxBytes = 256 * 1024 * 1024;

/** Opens the connector in a folder or an archive, and closes it after the work. */
export async function withPackage<T>(
  path: string,
  paths: PackagePaths,
  work: (found: ConnectorPackage, tree: Tree) => Promise<T>,
): Promise<T> {
  const tree = await openFiles(path);
  try {
    const files = await readFiles(tree);
    const pick = (given: string | undefined, usual: readonly string[], what: string): string => {
      const found = given === undefined ? usual.find((one) => files.has(one)) : given;
      if (found !== undefined && files.has(found)) return found;
      const looked = given ?? usual.join(", ");
      throw new PdppError("connector_invalid", `${path} has no ${what} (${looked}); name it with --${what}`);
    };
    const manifest = pick(paths.manifest, manifestPaths, "manifest");
    const entry = pick(paths.entry, entryPaths, "entry");
    const lines = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { sha256 }]) => `${sha256} ${name}\n`);
    const digest = createHash("sha256").update(lines.join("")).digest("hex");
    const declaration = readDeclaration(files.get(manifest)?.text ?? "");
    return await work({ declaration, manifest, entry, digest }, tree);
  } finally {
    await tree.close();
  }
}

async function openFiles(path: string): Promise<Tree> {
  try {
    return await openTree([path]);
  } catch (error) {
    if (error instanceof TreeError) throw new PdppError("invalid_argument", error.message);
    throw error;
  }
}

/** Only small files can be manifests. */
const maxManifestBytes = 4 * 1024 * 1024;

async function readFiles(tree: Tree): Promise<Map<string, { readonly sha256: string; readonly text: string }>> {
  const size = tree.entries.reduce((sum, entry) => sum + entry.size, 0);
  if (tree.entries.length > maxFiles || size > maxBytes)
    throw new PdppError("connector_invalid", `a connector may have at most ${maxFiles} files and ${maxBytes} bytes`);
  const files = new Map<string, { sha256: string; text: string }>();
  for (const entry of tree.entries) {
    const hash = createHash("sha256");
    const isSmall = entry.path.endsWith(".json") && entry.size <= maxManifestBytes;
    let text = "";
    for await (const chunk of entry.bytes()) {
      hash.update(chunk);
      if (isSmall) text += Buffer.from(chunk).toString("latin1");
    }
    const decoded = Buffer.from(text, "latin1").toString("utf8");
    files.set(entry.path, { sha256: hash.digest("hex"), text: decoded });
  }
  return files;
}

function readDeclaration(text: string): ConnectorDeclaration {
  try {
    return parseManifest(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InvalidManifestError)) throw error;
    throw new PdppError("connector_invalid", `the connector's manifest is not valid: ${error.message.slice(0, 500)}`);
  }
}

const getFolder = (dataDir: string, digest: string): string => join(dataDir, "connectors", digest);

/** Copies the files into the vault's folder. Links are not copied. */
export async function installPackage(dataDir: string, { digest }: ConnectorPackage, tree: Tree): Promise<void> {
  const folder = getFolder(dataDir, digest);
  if (await isFolder(folder)) return;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const partial = await mkdtemp(join(dirname(folder), ".partial-"));
  try {
    for (const entry of tree.entries) {
      const file = resolve(partial, entry.path);
      if (!file.startsWith(partial + sep)) throw new PdppError("connector_invalid", "a file is outside the package");
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, entry.bytes(), { mode: 0o600 });
    }
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process has installed it in the meantime.
    if (!(await isFolder(folder))) throw error;
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Finds an installed connector, and checks that its files are the ones that the owner approved. */
export async function loadInstalled(
  dataDir: string,
  digest: string,
  paths: PackagePaths,
): Promise<{ readonly declaration: ConnectorDeclaration; readonly folder: string; readonly entry: string }> {
  const folder = getFolder(dataDir, digest);
  const nextStep = "remove the source and add it again from the connector's file; its records stay";
  if (!(await isFolder(folder)))
    throw new PdppError("not_found", "the connector is not installed on this machine", { next_step: nextStep });
  return withPackage(folder, paths, async (found) => {
    if (found.digest !== digest)
      throw new PdppError("connector_invalid", "the connector's files have changed since you approved them", {
        next_step: nextStep,
      });
    return { declaration: found.declaration, folder, entry: found.entry };
  });
}
