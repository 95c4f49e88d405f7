import type { JsonObject } from "@pdpp/contract/declaration";
import { canSee, listVisibleChanges, projectRecord, type Source } from "./grant.ts";
import { compareTexts } from "./order.ts";
import type { ModelRecord, Snapshot } from "./vault.ts";
import { getIdentity, type World } from "./world.ts";

/**
 * Predicts the changes a grant sees between two moments. A record whose visible fields are equal is absent, and one
 * that left the grant is a deletion. Ordered by when the grant last saw the record change; from the beginning, by
 * connection and key.
 */
export function listChangesBetween(
  world: World,
  source: Source,
  before: Snapshot,
  after: Snapshot,
  fields?: readonly string[],
): JsonObject[] {
  const shownFields = fields === undefined ? source.fields : new Set(fields);
  const shown = (record: ModelRecord | undefined): JsonObject | undefined =>
    canSee(source, record) ? projectRecord(source, record, shownFields) : undefined;
  const listSeen = (record: ModelRecord) => listVisibleChanges(source, record);
  const compare = (a: ModelRecord, b: ModelRecord): number => {
    if (before.size > 0) return listSeen(a).changed - listSeen(b).changed;
    return a.connectionId === b.connectionId ? compareTexts(a.key, b.key) : a.connectionId < b.connectionId ? -1 : 1;
  };
  const changed = [...after]
    .filter(([place, record]) => record.states.length !== before.get(place)?.states.length)
    .sort(([, a], [, b]) => compare(a, b));
  return changed.flatMap(([place, record]): JsonObject[] => {
    const [was, is] = [shown(before.get(place)), shown(record)];
    if (is !== undefined) {
      return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ ...getIdentity(world, source, record), data: is }];
    }
    if (was === undefined) return [];
    const last = listSeen(record);
    const deletedAt = new Date(last.deletedAt ?? last.emittedAt).toISOString();
    return [{ ...getIdentity(world, source, record), deleted: true, deleted_at: deletedAt }];
  });
}
