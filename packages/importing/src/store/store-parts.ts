import { PdppError } from "@pdpp/contract/errors";
import type { ImportTally } from "@pdpp/contract/imports";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers } from "@pdpp/importers/importer";
import { openTree, type Tree, TreeError } from "@pdpp/importers/tree";
import type { ChosenConnection, PlannedPart } from "../plan/plan-part.ts";
import { prepareConnection, type StoringOptions, storePart } from "./store-part.ts";

export async function openImportTree(paths: readonly string[], skips?: (file: string) => boolean): Promise<Tree> {
  try {
    return await openTree(paths, undefined, skips);
  } catch (error) {
    if (error instanceof TreeError) throw new PdppError("invalid_argument", error.message);
    throw error;
  }
}

export interface PartToStore {
  readonly part: PlannedPart;
  readonly answers: Answers;
}

export interface StoredPart {
  readonly part: PlannedPart;
  readonly tally: ImportTally;
}

const countPartBytes = ({ claim }: PlannedPart): number => claim.entries.reduce((bytes, { size }) => bytes + size, 0);

export const countBytes = (work: readonly PartToStore[]): number =>
  work.reduce((sum, { part }) => sum + countPartBytes(part), 0);

/** Stores each part. Returns the id of the import, or of the earlier import that it continues. */
export async function storeParts(
  owner: OwnerApi,
  work: readonly PartToStore[],
  options: {
    readonly only: readonly string[];
    readonly importId: string;
    readonly recollection: StoringOptions["recollection"];
    readonly onProgress: (bytes: number) => void;
  },
): Promise<{ report: StoredPart[]; importId: string }> {
  const report: StoredPart[] = [];
  const made = new Map<string, ChosenConnection>();
  let { importId } = options;
  let before = 0;
  for (const { part: planned, answers } of work) {
    const part = await prepareConnection(owner, planned, made);
    const onProgress = (bytes: number) => options.onProgress(before + bytes);
    const { only, recollection } = options;
    const begun = await storePart(owner, part, {
      answers,
      only,
      importId,
      onProgress,
      ...(recollection && { recollection }),
    });
    importId = begun.importId;
    report.push({ part, tally: begun.tally });
    before += countPartBytes(part);
  }
  return { report, importId };
}
