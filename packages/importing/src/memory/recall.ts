import { hash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { RememberedExport, RememberedFile } from "@pdpp/contract/imports";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers, Claim, Importer, Mark } from "@pdpp/importers/importer";
import type { Entry, Tree } from "@pdpp/importers/tree";
import type { ChosenConnection } from "../plan/plan-part.ts";
import { getStoredName, isBeginning, isEvidentlySame, isSame } from "./files.ts";

/** Finds out what of an export was imported before and is the same, so that only the rest is read. */

/** How an export was read, apart from its files. */
export interface ReadingMode {
  readonly answers: Answers;
  /** Only these streams; all when empty. */
  readonly only: readonly string[];
}

/** A part of an export that remains to be read. */
export interface Remainder {
  readonly claim: Claim;
  readonly from?: Mark;
}

export interface Recalled {
  readonly remembered: RememberedExport;
  /** Empty if nothing changed. */
  readonly rest: readonly Remainder[];
  readonly unchangedFiles: number;
  /** Files that are the same as remembered, maybe under another name. */
  readonly same: ReadonlyMap<Entry, RememberedFile>;
  /** Names of remembered files that no longer exist. */
  readonly dropped: readonly string[];
}

export interface Recollection {
  /** When the files were listed. */
  readonly lookedAt: number;
  /** Identifies the importers that were offered the files. */
  readonly detection: string;
  /** The importer of a file that is the same as when it was recognized. */
  recallImporter(entry: Entry): Importer | undefined;
  recallClaim(
    importer: Importer,
    claim: Claim,
    connection: ChosenConnection,
    mode: ReadingMode,
  ): Promise<Recalled | undefined>;
}

/** `again` recalls nothing, so that everything is read. */
export async function recallTree(
  owner: OwnerApi,
  tree: Tree,
  importers: readonly Importer[],
  lookedAt: number,
  again = false,
): Promise<Recollection> {
  const names = again ? [] : tree.entries.map(getStoredName);
  const remembered = names.length === 0 ? [] : await owner.imports.recall(names);
  const detection = identifyImporters(importers);
  const recognized = indexRecognized(remembered, importers, detection);
  return {
    lookedAt,
    detection,
    recallImporter: (entry) =>
      recognized.get(getStoredName(entry))?.find(({ file }) => isEvidentlySame(entry, file))?.importer,
    async recallClaim(importer, claim, connection, mode) {
      const known = formatKnown(claim);
      for (const each of remembered) {
        const isSameReading =
          each.format === importer.key &&
          each.importer_version === importer.version &&
          each.connection_id === connection.id &&
          each.label === claim.label &&
          each.known === known &&
          isCompatible(each.answers, importer, mode);
        const recalled = isSameReading ? await compareFiles(importer, claim, each) : undefined;
        if (recalled !== undefined) return recalled;
      }
      return undefined;
    },
  };
}

const identifyImporters = (importers: readonly Importer[]): string =>
  hash("sha256", JSON.stringify(importers.map(({ key, version, variant }) => [key, version, variant])), "hex").slice(
    0,
    32,
  );

export const formatKnown = ({ known = {} }: Claim): string => JSON.stringify(Object.entries(known).sort());

function indexRecognized(
  remembered: readonly RememberedExport[],
  importers: readonly Importer[],
  detection: string,
): Map<string, { readonly file: RememberedFile; readonly importer: Importer }[]> {
  const recognized = new Map<string, { file: RememberedFile; importer: Importer }[]>();
  for (const { format, answers, files, ...each } of remembered) {
    const importer = importers.find(
      ({ key, variant }) => key === format && (variant ?? null) === (answers.variant ?? null),
    );
    // An importer that takes leftovers did not recognize all of its files.
    if (importer === undefined || importer.claimLeftovers !== undefined || each.detection !== detection) continue;
    for (const file of files) {
      if (file.is_companion) continue;
      const others = recognized.get(file.name);
      if (others === undefined) recognized.set(file.name, [{ file, importer }]);
      else others.push({ file, importer });
    }
  }
  return recognized;
}

/** Whether nothing that was said contradicts how the export was read before. */
export function isCompatible(
  answers: JsonObject,
  { variant }: Pick<Importer, "variant">,
  { answers: said, only }: ReadingMode,
): boolean {
  const isSaid = (key: "time_zone" | "date_order" | "me"): boolean =>
    said[key] === undefined || said[key] === (answers[key] ?? undefined);
  return (
    isSaid("time_zone") &&
    isSaid("date_order") &&
    isSaid("me") &&
    said.attachments === answers.attachments &&
    (variant ?? null) === (answers.variant ?? null) &&
    JSON.stringify(only) === JSON.stringify(answers.only ?? [])
  );
}

function compareFiles(importer: Importer, claim: Claim, remembered: RememberedExport): Promise<Recalled | undefined> {
  return importer.readsFilesAlone && claim.companions.length === 0
    ? compareEachFile(importer, claim, remembered)
    : compareWhole(importer, claim, remembered);
}

/** All files must be the same; a single file may also have grown. */
async function compareWhole(
  importer: Importer,
  claim: Claim,
  remembered: RememberedExport,
): Promise<Recalled | undefined> {
  const files = new Map(remembered.files.map((file) => [file.name, file]));
  const companions = claim.companions.filter((entry) => !claim.entries.includes(entry));
  if (files.size !== claim.entries.length + companions.length) return undefined;
  const same = new Map<Entry, RememberedFile>();
  const grown: { entry: Entry; offset: number }[] = [];
  for (const entry of [...companions, ...claim.entries]) {
    const file = files.get(getStoredName(entry));
    if (file === undefined || file.is_companion !== companions.includes(entry)) return undefined;
    if (await isSame(entry, file)) same.set(entry, file);
    else if (claim.entries.length === 1 && (await hasGrown(importer, entry, file)))
      grown.push({ entry, offset: file.size_bytes });
    else return undefined;
  }
  const rest = grown.map(({ offset }) => ({ claim, from: { kind: "mark" as const, entry: 0, offset } }));
  return { remembered, rest, unchangedFiles: same.size, same, dropped: [] };
}

const hasGrown = async (importer: Importer, entry: Entry, file: RememberedFile): Promise<boolean> =>
  importer.canContinueAt !== undefined &&
  (await isBeginning(entry, file)) &&
  (await importer.canContinueAt(entry, file.size_bytes));

/** If fewer of the remembered files exist, it is another folder with a few files of the same name. */
const minKeptShare = 0.5;

/** Files may be added, removed, renamed and extended. A file that changed otherwise may replace items of the earlier one. */
async function compareEachFile(
  importer: Importer,
  claim: Claim,
  remembered: RememberedExport,
): Promise<Recalled | undefined> {
  const missing = new Map(remembered.files.map((file) => [file.name, file]));
  const same = new Map<Entry, RememberedFile>();
  const rest: Remainder[] = [];
  const unknown: Entry[] = [];
  for (const entry of claim.entries) {
    const file = missing.get(getStoredName(entry));
    if (file === undefined) {
      unknown.push(entry);
      continue;
    }
    missing.delete(file.name);
    if (await isSame(entry, file)) same.set(entry, file);
    else if (await hasGrown(importer, entry, file))
      rest.push({ claim: { ...claim, entries: [entry] }, from: { kind: "mark", entry: 0, offset: file.size_bytes } });
    else return undefined;
  }
  const added: Entry[] = [];
  const bySize = Map.groupBy(missing.values(), ({ size_bytes }) => size_bytes);
  for (const entry of unknown) {
    const described = importer.describeName?.(getStoredName(entry));
    const candidates = bySize.get(entry.size)?.filter(({ name }) => importer.describeName?.(name) === described);
    const renamed = await findSame(entry, candidates ?? []);
    if (renamed === undefined) added.push(entry);
    else same.set(entry, renamed);
  }
  if (same.size + rest.length < remembered.files.length * minKeptShare) return undefined;
  if (added.length > 0) rest.push({ claim: { ...claim, entries: added } });
  return { remembered, rest, unchangedFiles: same.size, same, dropped: [...missing.keys()] };
}

/** Mail programs rename a mail when it was read. */
async function findSame(entry: Entry, files: readonly RememberedFile[]): Promise<RememberedFile | undefined> {
  for (const file of files) if (await isSame(entry, file)) return file;
  return undefined;
}
