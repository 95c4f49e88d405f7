import type { JsonObject } from "@pdpp/contract/declaration";
import { projected, type Source, sees } from "./model-grant.ts";
import type { ModelRecord, Snapshot } from "./model-vault.ts";
import { identity, type World } from "./model-world.ts";

/**
 * What a reader of the grant sees change between two moments: a record whose shown fields are the same is not there, and one that
 * left the grant's bounds is a deletion. In the order in which the records last changed.
 */
export function changesBetween(
  world: World,
  source: Source,
  before: Snapshot,
  after: Snapshot,
  fields?: readonly string[],
): JsonObject[] {
  const shownFields = fields === undefined ? source.fields : new Set(fields);
  const shown = (record: ModelRecord | undefined): JsonObject | undefined =>
    sees(source, record) ? projected(source, record, shownFields) : undefined;
  const changed = [...after]
    .filter(([place, record]) => record.changed !== before.get(place)?.changed)
    .sort(([, a], [, b]) => a.changed - b.changed);
  return changed.flatMap(([place, record]): JsonObject[] => {
    const [was, is] = [shown(before.get(place)), shown(record)];
    if (is !== undefined) {
      return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ ...identity(world, record), data: is }];
    }
    if (was === undefined) return [];
    const deletedAt = new Date(record.deletedAt ?? record.emittedAt).toISOString();
    return [{ ...identity(world, record), deleted: true, deleted_at: deletedAt }];
  });
}
