import type { ReadFiles, RememberedFile } from "@pdpp/contract/imports";
import type { Claim, Importer } from "@pdpp/importers/importer";
import type { Entry } from "@pdpp/importers/tree";
import type { PlannedPart } from "../plan/plan-part.ts";
import { describeFile, describeFiles } from "./files.ts";
import type { Recalled, Recollection } from "./recall.ts";

export interface FinishedReading {
  readonly importer: Importer;
  readonly claim: Claim;
  /** Undefined if everything was read. */
  readonly recalled: Recalled | undefined;
  /** When the files were listed. */
  readonly lookedAt: number;
  readonly ends: ReadonlyMap<Entry, string>;
  /** Paths of files from which something was rejected; another attempt may succeed. */
  readonly rejectedPaths: ReadonlySet<string>;
}

/** Lists the files to remember after reading a part; undefined if none. */
export function listReadFiles(reading: FinishedReading): ReadFiles | undefined {
  const { importer, claim, recalled, lookedAt, ends, rejectedPaths } = reading;
  if (!importer.readsFilesAlone && rejectedPaths.size > 0) return undefined;
  const isGood = ({ path }: Entry): boolean => !rejectedPaths.has(path);
  if (recalled === undefined) {
    const { companions } = claim;
    const added = describeFiles({ entries: claim.entries.filter(isGood), companions }, lookedAt, ends);
    return added === undefined || added.length === 0 ? undefined : { added, dropped: [] };
  }
  const read = new Set(recalled.rest.flatMap((rest) => rest.claim.entries));
  const added = describeFiles({ entries: [...read].filter(isGood), companions: [] }, lookedAt, ends);
  if (added === undefined) return undefined;
  const companions = new Set(claim.companions);
  const refreshed = [...recalled.same].flatMap(([entry, file]) => {
    const now = describeFile(entry, lookedAt, file, companions.has(entry) && !claim.entries.includes(entry));
    return isOutdated(file, now) ? [now] : [];
  });
  return { added: [...added, ...refreshed], dropped: recalled.dropped };
}

/** Its content is the same, but next time it should be recognized without reading it. */
const isOutdated = (file: RememberedFile, now: RememberedFile): boolean =>
  file.name !== now.name || file.crc !== now.crc || (now.stamp !== "" && file.stamp !== now.stamp);

/** Whether storing a planned part would change anything: its records, or what is remembered of its files. */
export function hasNews(
  { importer, claim, recalled }: PlannedPart,
  { lookedAt, detection }: Pick<Recollection, "lookedAt" | "detection">,
): boolean {
  if (recalled === undefined || recalled.rest.length > 0 || recalled.remembered.detection !== detection) return true;
  const none = { ends: new Map<Entry, string>(), rejectedPaths: new Set<string>() };
  const files = listReadFiles({ importer, claim, recalled, lookedAt, ...none });
  return files !== undefined && files.added.length + files.dropped.length > 0;
}
