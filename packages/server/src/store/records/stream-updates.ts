import type { StreamScope } from "../access/scope.ts";
import { parseStoredJson } from "../engine/json.ts";

/**
 * When a stream of a connection last changed, by the fields that changed together, so that a grant is told of what it sees. Kept
 * from the first change of a record on; until then all changes are records that came or went, which everybody sees.
 */
type Updates = readonly (readonly [fields: readonly string[] | null, at: number])[];

/** Of more kinds of changes than these, the oldest count for everybody. */
const maxKinds = 64;

export interface StoredUpdates {
  readonly updated_at: number;
  readonly changes: string | null;
}

/** `kinds`: the fields of each change that was made now; null for records that came or went. */
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

/** When something that the scope sees last changed; null when nothing of it is kept. */
export function findLastUpdate({ fields: granted }: StreamScope, held: StoredUpdates): number | null {
  if (granted === null) return held.updated_at;
  const seen = decodeUpdates(held).filter(([fields]) => fields === null || fields.some((name) => granted.has(name)));
  return seen.length === 0 ? null : Math.max(...seen.map(([, at]) => at));
}
