import type { StreamScope } from "../access/scope.ts";
import { parseStoredJson } from "../engine/json.ts";

/**
 * When a stream of a connection last changed, by the fields that changed together, so that a grant learns only of changes it can
 * see. Kept from the first update of a record on; before that all changes are creations and deletions, which every grant sees.
 */
type Updates = readonly (readonly [fields: readonly string[] | null, at: number])[];

/** Beyond this many sets of fields, the oldest count for every grant. */
const maxKinds = 64;

export interface StoredUpdates {
  readonly updated_at: number;
  readonly changes: string | null;
}

/** `kinds`: the fields of each change; null for created and deleted records. */
export function addUpdates(
  held: StoredUpdates | undefined,
  kinds: readonly (readonly string[] | null)[],
  now: number,
): string | null {
  if (held?.changes == null && kinds.every((fields) => fields === null)) return null;
  const before: Updates = held === undefined ? [] : decodeUpdates(held);
  const all = new Map(before.map((each) => [String(each[0]), each]));
  for (const fields of kinds) {
    all.delete(String(fields));
    all.set(String(fields), [fields, now]);
  }
  const inOrder = [...all.values()];
  const merged = inOrder.slice(0, Math.max(0, inOrder.length - maxKinds));
  const kept = inOrder.slice(merged.length);
  if (merged.length === 0) return JSON.stringify(kept);
  const everybody = [...merged, ...kept.filter(([fields]) => fields === null)];
  const at = Math.max(...everybody.map(([, time]) => time));
  return JSON.stringify([[null, at], ...kept.filter(([fields]) => fields !== null)]);
}

const decodeUpdates = ({ updated_at, changes }: StoredUpdates): Updates =>
  changes === null ? [[null, updated_at]] : parseStoredJson(changes);

/** The last change visible to the scope; null if none is recorded. */
export function findLastUpdate({ fields: granted }: StreamScope, held: StoredUpdates): number | null {
  if (granted === null) return held.updated_at;
  const seen = decodeUpdates(held).filter(([fields]) => fields === null || fields.some((name) => granted.has(name)));
  return seen.length === 0 ? null : Math.max(...seen.map(([, at]) => at));
}
