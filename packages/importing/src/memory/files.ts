import { hash } from "node:crypto";
import type { RememberedFile } from "@pdpp/contract/imports";
import type { Claim } from "@pdpp/importers/importer";
import { computeDigest, damageOf, type Entry, getReadDigest } from "@pdpp/importers/tree";

/** Compares files with what was remembered of them. */

const maxNameChars = 400;

/** The path, or a digest of a path that is too long for an index. */
export const getStoredName = ({ path }: Pick<Entry, "path">): string =>
  path.length <= maxNameChars ? path : `${path.slice(0, 100)}~${hash("sha256", path, "hex")}`;

/** The coarsest clock of a file system: a file that was just written may be written again without a visible change. */
const clockResolutionMs = 2000;

const trustStamp = ({ stamp }: Entry, lookedAt: number): string =>
  stamp !== undefined && lookedAt - stamp.changedAt > clockResolutionMs ? stamp.text : "";

/** Whether a file is the same, without opening it. */
export const isEvidentlySame = (entry: Entry, file: RememberedFile): boolean =>
  entry.size === file.size_bytes &&
  (entry.crc === undefined ? file.stamp !== "" && entry.stamp?.text === file.stamp : entry.crc === file.crc);

/** Whether a file is the same, by its content if nothing else says so. */
export async function isSame(entry: Entry, file: RememberedFile): Promise<boolean> {
  if (isEvidentlySame(entry, file)) return true;
  if (entry.size !== file.size_bytes || file.digest === "") return false;
  return (await computeDigest(entry)) === file.digest && damageOf(entry) === undefined;
}

/** Whether the file is still the beginning of what it was, and longer. */
export const isBeginning = async (entry: Entry, file: RememberedFile): Promise<boolean> =>
  entry.size > file.size_bytes &&
  file.size_bytes > 0 &&
  file.digest !== "" &&
  (await computeDigest(entry, file.size_bytes)) === file.digest;

export const describeFile = (
  entry: Entry,
  lookedAt: number,
  { digest, ends }: Pick<RememberedFile, "digest" | "ends">,
  isCompanion: boolean,
): RememberedFile => ({
  name: getStoredName(entry),
  size_bytes: entry.size,
  stamp: trustStamp(entry, lookedAt),
  crc: entry.crc ?? null,
  digest,
  ends,
  is_companion: isCompanion,
});

/**
 * The files of a claim after it was read; undefined if they cannot be recognized later. A file that was not read as a whole has no
 * digest: it is the same only if the file system or the archive says so.
 */
export function describeFiles(
  { entries, companions }: Pick<Claim, "entries" | "companions">,
  lookedAt: number,
  ends: ReadonlyMap<Entry, string>,
): RememberedFile[] | undefined {
  const describe = (entry: Entry, isCompanion: boolean): RememberedFile =>
    describeFile(entry, lookedAt, { digest: getReadDigest(entry) ?? "", ends: ends.get(entry) ?? "" }, isCompanion);
  const files = [
    ...entries.map((entry) => describe(entry, false)),
    ...companions.filter((entry) => !entries.includes(entry)).map((entry) => describe(entry, true)),
  ];
  const isAmbiguous = new Set(files.map(({ name }) => name)).size < files.length;
  const isRecognizable = files.every(({ stamp, crc, digest }) => stamp !== "" || crc !== null || digest !== "");
  return isAmbiguous || !isRecognizable ? undefined : files;
}
