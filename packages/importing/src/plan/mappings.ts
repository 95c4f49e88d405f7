import { existsSync } from "node:fs";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import type { Importer, RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { inferMapping } from "@pdpp/importers/tables/infer";
import { createMappingImporter } from "@pdpp/importers/tables/mapping";
import { type MappingDraft, MappingError, parseMapping } from "@pdpp/importers/tables/mapping-file";
import type { Entry, Tree } from "@pdpp/importers/tree";
import { ImportOptionsError } from "../import-options-error.ts";

/** The user edits the proposed mapping, and later imports of the same folder use it. */
const ending = ".pdpp.json";

/** Builds importers from the mapping files next to `paths` and from the named ones. */
export async function loadMappings(paths: readonly string[], named: readonly string[]): Promise<Importer[]> {
  const files = new Set(named);
  for (const path of paths) {
    const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
    const folder = isFolder ? path : dirname(path);
    for (const item of await readdir(folder, { withFileTypes: true }).catch(() => []))
      if (item.isFile() && item.name.endsWith(ending)) files.add(join(folder, item.name));
  }
  const importers: Importer[] = [];
  for (const file of files) {
    try {
      importers.push(createMappingImporter(parseMapping(await readFile(file, "utf8"))));
    } catch (error) {
      if (error instanceof MappingError)
        throw new PdppError("invalid_argument", `cannot use ${file}: ${error.message}`);
      throw new PdppError("invalid_argument", `cannot read ${file}; check the path`);
    }
  }
  return importers;
}

export const isTableFile = ({ path, code }: { readonly path: string; readonly code: string }): boolean =>
  code === "unknown" && /\.(csv|tsv|json|ndjson|jsonl|sqlite|sqlite3|db)$/i.test(path);

const maxPreviewRecords = 5;

export interface ProposedMapping {
  readonly path: string;
  readonly written: string;
  readonly manifest: MappingDraft["manifest"];
  readonly preview: readonly RecordItem["data"][];
}

/** Writes a mapping file for each unrecognized table, with a preview of what it makes of the first rows. */
export async function proposeMappings(
  tree: Tree,
  importers: readonly Importer[],
  paths: readonly string[],
  target: string | undefined,
): Promise<ProposedMapping[]> {
  const { unrecognized: notUnderstood } = await detect(tree, importers);
  const unknown = new Set(notUnderstood.flatMap(({ path, code }) => (code === "unknown" ? [path] : [])));
  const inferred: { entry: Entry; mapping: MappingDraft }[] = [];
  for (const entry of tree.entries) {
    const mapping = unknown.has(entry.path) && !entry.path.endsWith(ending) ? await inferMapping(entry) : undefined;
    if (mapping !== undefined) inferred.push({ entry, mapping });
  }
  if (target !== undefined && inferred.length > 1)
    throw new ImportOptionsError(`there are ${inferred.length} tables; name one of them, or drop --out`);
  const [first = "."] = paths;
  const isFolder = (await lstat(first).catch(() => undefined))?.isDirectory() === true;
  const proposed: ProposedMapping[] = [];
  for (const { entry, mapping } of inferred) {
    const beside = isFolder ? join(first, entry.path) : join(dirname(first), basename(entry.path));
    const written = target ?? `${beside}${ending}`;
    if (existsSync(written))
      throw new PdppError(
        "invalid_argument",
        `${written} already exists; edit it, delete it, or choose another file with --out`,
      );
    const content = `${JSON.stringify(mapping, null, 2)}\n`;
    const preview = await readFirstRecords(content, entry);
    await writeFile(written, content, { flag: "wx" });
    proposed.push({ path: entry.path, written, manifest: mapping.manifest, preview });
  }
  return proposed;
}

async function readFirstRecords(mapping: string, entry: Entry): Promise<RecordItem["data"][]> {
  const importer = createMappingImporter(parseMapping(mapping));
  const records: RecordItem["data"][] = [];
  const tree = { entries: [entry], unreadable: [], close: async () => undefined };
  for (const claim of await importer.createClaims([entry], tree)) {
    for await (const item of importer.read(claim, { attachments: false })) {
      if (item.kind === "record") records.push(item.data);
      if (records.length >= maxPreviewRecords) return records;
    }
  }
  return records;
}
