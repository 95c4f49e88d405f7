import type { JsonObject } from "@pdpp/contract/declaration";
import type { CatalogStream } from "../catalog/catalog.ts";
import type { WriteTransaction } from "../engine/engine.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import { addWords, indexedFields, removeWords, type SearchPlan } from "../search/word-index.ts";

/** The word indexes hold the current version of each record. */

/** A stored record's name in the word index: the version it came with, also when it has another one now. */
interface IndexedRecord {
  readonly version: number;
  readonly doc: number | null;
}

/** It keeps it while it lives: what is equally good stays in its order, whatever changes in it. */
export const getDocId = ({ doc, version }: IndexedRecord): number => doc ?? version;

export interface WrittenRecord {
  readonly outcome: "created" | "updated" | "unchanged" | "deleted" | undefined;
  readonly data: JsonObject;
  readonly before: IndexedRecord | undefined;
  readonly version: number;
  /** The fields that an update changed; null for all of them. */
  readonly changed: readonly string[] | null;
}

export async function updateWords(
  on: WriteTransaction,
  place: { readonly ownerNo: number; readonly connectionNo: number; readonly stream: CatalogStream },
  records: readonly WrittenRecord[],
): Promise<void> {
  const { ownerNo, connectionNo, stream } = place;
  for (const plan of stream.searchPlans) {
    const isWhole = plan.name === stream.activeSearchPlan?.name;
    const touched = records.filter((record) => !(isWhole && isIndexUnaffected(plan, record)));
    const gone = touched.flatMap(({ outcome, before }) =>
      before !== undefined && (outcome === "updated" || outcome === "deleted") ? [getDocId(before)] : [],
    );
    const added = touched.flatMap(({ outcome, before, version, data }) =>
      outcome === "created" || outcome === "updated"
        ? [{ ownerNo, connectionNo, doc: before === undefined ? version : getDocId(before), data }]
        : [],
    );
    if (gone.length > 0) {
      await noteWordsRemoved(on, stream.streamNo);
      await removeWords(on, plan, { ownerNo, connectionNo }, gone);
    }
    if (added.length > 0) await addWords(on, plan, added);
  }
}

/** An index that is still being filled may not have the record at all, so it is not asked there. */
const isIndexUnaffected = (plan: SearchPlan, { outcome, changed }: WrittenRecord): boolean => {
  const fields = indexedFields(plan);
  return outcome === "updated" && changed !== null && !changed.some((field) => fields.includes(field));
};
