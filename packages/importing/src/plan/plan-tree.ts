import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers, Importer } from "@pdpp/importers/importer";
import { type Detection, detect } from "@pdpp/importers/plan";
import type { Tree } from "@pdpp/importers/tree";
import { type Recollection, recallTree } from "../memory/recall.ts";
import { type ChosenConnection, type PlannedPart, planPart } from "./plan-part.ts";

export interface PlanRequest {
  readonly importers: readonly Importer[];
  /** When the files were listed. */
  readonly lookedAt: number;
  readonly answers: Answers;
  /** Only these streams; all when empty. */
  readonly only: readonly string[];
  /** Reads unchanged files again. */
  readonly again?: boolean;
  /** Undefined leaves the export out. */
  readonly choose: (importer: Importer) => ChosenConnection | undefined;
  /** Called with the number of records seen so far. */
  readonly onSeen?: (records: number) => void;
}

export interface TreePlan {
  readonly parts: PlannedPart[];
  readonly unrecognized: Detection["unrecognized"];
  readonly recollection: Recollection;
}

/** Recognizes the exports in a tree and counts what is new in them. */
export async function planTree(
  owner: OwnerApi,
  tree: Tree,
  { importers, lookedAt, answers, only, again, choose, onSeen = () => undefined }: PlanRequest,
): Promise<TreePlan> {
  const recollection = await recallTree(owner, tree, importers, lookedAt, again);
  const { claims, unrecognized } = await detect(tree, importers, recollection.recallImporter);
  const parts: PlannedPart[] = [];
  let before = 0;
  for (const { importer, claim } of claims) {
    const connection = choose(importer);
    if (connection === undefined) continue;
    const recalled = await recollection.recallClaim(importer, claim, connection, { answers, only });
    const seen = (records: number): void => onSeen(before + records);
    const part = await planPart(owner, importer, claim, answers, connection, seen, recalled);
    before += part.streams.reduce((sum, { records }) => sum + records, 0);
    parts.push(part);
  }
  return { parts, unrecognized, recollection };
}
