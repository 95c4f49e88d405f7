import { PdppError } from "@pdpp/contract/errors";
import type { ImportTally } from "@pdpp/contract/imports";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers } from "@pdpp/importers/importer";
import { openTree, type Tree, TreeError } from "@pdpp/importers/tree";
import type { ChosenConnection, PlannedPart } from "./planning.ts";
import { prepare, storePart } from "./storing.ts";

/** A whole import, from the files to the last part: what the command and the console's desk have in common. */

export async function openPaths(paths: readonly string[]): Promise<Tree> {
  try {
    return await openTree(paths);
  } catch (error) {
    if (error instanceof TreeError) throw new PdppError("invalid_argument", error.message);
    throw error;
  }
}

export interface Work {
  readonly part: PlannedPart;
  readonly answers: Answers;
}

export interface Stored {
  readonly part: PlannedPart;
  readonly tally: ImportTally;
}

const bytesOf = ({ claim }: PlannedPart): number => claim.entries.reduce((bytes, { size }) => bytes + size, 0);

export const bytesIn = (work: readonly Work[]): number => work.reduce((sum, { part }) => sum + bytesOf(part), 0);

/** Stores part after part. Answers the id of the import, which is an earlier one's where that goes on. */
export async function storeParts(
  owner: OwnerApi,
  work: readonly Work[],
  options: {
    readonly only: readonly string[];
    readonly importId: string;
    readonly onProgress: (bytes: number) => void;
  },
): Promise<{ report: Stored[]; importId: string }> {
  const report: Stored[] = [];
  const made = new Map<string, ChosenConnection>();
  let { importId } = options;
  let before = 0;
  for (const { part: planned, answers } of work) {
    const part = await prepare(owner, planned, made);
    const onProgress = (bytes: number) => options.onProgress(before + bytes);
    const begun = await storePart(owner, part, { answers, only: options.only, importId, onProgress });
    importId = begun.importId;
    report.push({ part, tally: begun.tally });
    before += bytesOf(part);
  }
  return { report, importId };
}
