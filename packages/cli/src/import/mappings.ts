import { existsSync } from "node:fs";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import type { Importer, RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { inferMapping } from "@pdpp/importers/tables/infer";
import { type Mapping, MappingFault, mappingImporter, parseMapping } from "@pdpp/importers/tables/mapping";
import type { Entry, Tree } from "@pdpp/importers/tree";
import { UsageError } from "../failure.ts";
import type { Output } from "../output.ts";
import { harmless } from "../render/style.ts";

/** Tables that pdpp does not know: a proposal is written beside them, its owner changes it, and from then on it is used. */

const ending = ".pdpp.json";

/** Importers for the mappings that lie beside the files, and for those that are named. */
export async function mappingsFor(paths: readonly string[], named: readonly string[]): Promise<Importer[]> {
  const files = new Set(named);
  for (const path of paths) {
    const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
    const folder = isFolder ? path : dirname(path);
    // A folder or a pipe of such a name is none.
    for (const item of await readdir(folder, { withFileTypes: true }).catch(() => []))
      if (item.isFile() && item.name.endsWith(ending)) files.add(join(folder, item.name));
  }
  const importers: Importer[] = [];
  for (const file of files) {
    try {
      importers.push(mappingImporter(parseMapping(await readFile(file, "utf8"))));
    } catch (error) {
      if (error instanceof MappingFault)
        throw new PdppError("invalid_argument", `cannot use ${file}: ${error.message}`);
      throw new PdppError("invalid_argument", `cannot read ${file}; check the path`);
    }
  }
  return importers;
}

export const mayBeTable = ({ path, code }: { readonly path: string; readonly code: string }): boolean =>
  code === "unknown" && /\.(csv|tsv|json|ndjson|jsonl|sqlite|sqlite3|db)$/i.test(path);

const previewed = 5;

/** Writes a proposal for each table that nobody knows, and shows what it would make of the first rows. */
export async function proposeMappings(
  tree: Tree,
  importers: readonly Importer[],
  paths: readonly string[],
  target: string | undefined,
  out: Output,
): Promise<number> {
  const { notUnderstood } = await detect(tree, importers);
  const unknown = new Set(notUnderstood.flatMap(({ path, code }) => (code === "unknown" ? [path] : [])));
  const proposed: { entry: Entry; mapping: Mapping }[] = [];
  for (const entry of tree.entries) {
    const mapping = unknown.has(entry.path) && !entry.path.endsWith(ending) ? await inferMapping(entry) : undefined;
    if (mapping !== undefined) proposed.push({ entry, mapping });
  }
  if (target !== undefined && proposed.length > 1)
    throw new UsageError(`there are ${proposed.length} tables; name one of them, or leave --out out`);
  const [first = "."] = paths;
  const isFolder = (await lstat(first).catch(() => undefined))?.isDirectory() === true;
  const data: {
    path: string;
    written: string;
    manifest: Mapping["manifest"];
    preview: readonly RecordItem["data"][];
  }[] = [];
  for (const { entry, mapping } of proposed) {
    const beside = isFolder ? join(first, entry.path) : join(dirname(first), basename(entry.path));
    const written = target ?? `${beside}${ending}`;
    if (existsSync(written))
      throw new PdppError(
        "invalid_argument",
        `${written} is there already; change it, delete it, or name another file with --out`,
      );
    const preview = await firstRecords(mapping, entry);
    await writeFile(written, `${JSON.stringify(mapping, null, 2)}\n`, { flag: "wx" });
    data.push({ path: entry.path, written, manifest: mapping.manifest, preview });
  }
  out.result({ object: "list", data }, () =>
    data.length === 0
      ? "no table here that pdpp could make something of"
      : data
          .flatMap(({ path, written, preview }) => [
            `${harmless(path)} -> ${harmless(written)}`,
            ...preview.map((record) => `  ${harmless(JSON.stringify(record))}`),
          ])
          .join("\n"),
  );
  if (data.length > 0)
    out.remark("look at what was written and change it; then the same command without --infer imports it");
  return data.length === 0 ? 1 : 0;
}

async function firstRecords(mapping: Mapping, entry: Entry): Promise<RecordItem["data"][]> {
  const importer = mappingImporter(mapping);
  const records: RecordItem["data"][] = [];
  const tree = { entries: [entry], faults: [], close: async () => undefined };
  for (const claim of await importer.claims([entry], tree)) {
    for await (const item of importer.read(claim, { attachments: false })) {
      if (item.kind === "record") records.push(item.data);
      if (records.length >= previewed) return records;
    }
  }
  return records;
}
