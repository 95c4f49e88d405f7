import type { CatalogStream } from "../catalog/catalog.ts";
import type { WriteTransaction } from "../engine/engine.ts";
import { addWords, listIndexedFields, removeWords, type SearchPlan } from "../search/indexing.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import type { RecordWrite } from "./classify-writes.ts";

/** Keeps the word indexes at the current version of each record. */

interface IndexedRecord {
  readonly version: number;
  readonly doc: number | null;
}

/** A record keeps the id of its first version while it exists, so equally good results keep their order when it changes. */
export const getDocId = ({ doc, version }: IndexedRecord): number => doc ?? version;

export async function updateWords(
  on: WriteTransaction,
  place: { readonly ownerNo: number; readonly connectionNo: number; readonly stream: CatalogStream },
  writes: readonly RecordWrite[],
): Promise<void> {
  const { ownerNo, connectionNo, stream } = place;
  for (const plan of stream.searchPlans) {
    const isComplete = plan.name === stream.activeSearchPlan?.name;
    const affected = writes.filter((write) => !(isComplete && isIndexUnaffected(plan, write)));
    const removed = affected.flatMap(({ outcome, before }) =>
      before !== undefined && (outcome === "updated" || outcome === "deleted") ? [getDocId(before)] : [],
    );
    const added = affected.flatMap(({ outcome, before, version, record: { data } }) =>
      outcome === "created" || outcome === "updated"
        ? [{ ownerNo, connectionNo, doc: before === undefined ? version : getDocId(before), data }]
        : [],
    );
    if (removed.length > 0) {
      await noteWordsRemoved(on, stream.streamNo);
      await removeWords(on, plan, { ownerNo, connectionNo }, removed);
    }
    if (added.length > 0) await addWords(on, plan, added);
  }
}

/** For complete indexes only: one that is still being filled may not have the record at all. */
const isIndexUnaffected = (plan: SearchPlan, { outcome, changedFields }: RecordWrite): boolean => {
  const fields = listIndexedFields(plan);
  return outcome === "updated" && changedFields !== null && !changedFields.some((field) => fields.includes(field));
};
