import type { JsonObject } from "@pdpp/contract/declaration";
import type { StreamScope } from "../access/scope.ts";
import { parseJsonObject, parseStoredJson } from "../engine/json.ts";

/**
 * A summary of a record's changes, so that each grant learns only of those it can see: how often and when readable fields changed,
 * and when the record entered or left the grant's time range. Kept from the first change on; a record that never changed has none.
 */
interface RecordChanges {
  /** Changes that count for every grant: those from before this was recorded, and the oldest and rarest if there are too many. */
  readonly base: number;
  readonly spans: readonly Span[];
}

/** A period in which the record existed (or did not) and had the same consent time. */
interface Span {
  readonly isThere: boolean;
  readonly time: number | null;
  /** The revision floor when the period began. */
  readonly floor: number;
  /** The change that began it. */
  readonly from: Change;
  /** Further changes, grouped by the fields that changed together. */
  readonly within: readonly RepeatedChange[];
}

interface Change {
  /** Null means all fields. */
  readonly fields: readonly string[] | null;
  readonly version: number;
  readonly emittedAt: number;
}

interface RepeatedChange extends Change {
  readonly count: number;
}

export interface StoredState {
  readonly version: number;
  readonly revision: number;
  readonly emitted_at: number;
  readonly changes: string | null;
}

/** Changes are counted per set of fields. Beyond this many sets, the rarest count for every grant. */
const maxKinds = 32;
/** Beyond this many spans (changes of consent time, deletions, re-creations), the oldest count for every grant. */
const maxSpans = 16;

export interface NewState {
  readonly version: number;
  readonly emittedAt: number;
  /** Null if the record is deleted. */
  readonly data: JsonObject | null;
  readonly time: number | null;
  readonly floor: number;
}

/** Adds a change. Returns the new summary and the fields that changed; null means all of them. */
export function addChange(
  before: StoredState & { readonly data: string | null },
  timeOf: (data: JsonObject) => number | null,
  state: NewState,
): { changes: string; fields: readonly string[] | null } {
  const was = before.data === null ? null : parseJsonObject(before.data);
  const { base, spans } = loadChanges(before, was, timeOf);
  const { version, emittedAt, data, time, floor } = state;
  const change = { fields: was === null || data === null ? null : diffFields(was, data), version, emittedAt };
  const last = spans.at(-1);
  if (last?.isThere && data !== null && last.time === time) {
    const within = addRepeated(last.within, change);
    return {
      fields: change.fields,
      changes: encodeChanges({ base, spans: [...spans.slice(0, -1), { ...last, within }] }),
    };
  }
  const all = [...spans, { isThere: data !== null, time, floor, from: change, within: [] }];
  const dropped = all.slice(0, Math.max(0, all.length - maxSpans));
  const forgotten = dropped.reduce((sum, span) => sum + countChanges(span), 0);
  return {
    fields: change.fields,
    changes: encodeChanges({ base: base + forgotten, spans: all.slice(dropped.length) }),
  };
}

const countChanges = ({ within }: Span): number => within.reduce((sum, { count }) => sum + count, 1);

function loadChanges(
  { version, revision, emitted_at: emittedAt, changes }: StoredState,
  data: JsonObject | null,
  timeOf: (data: JsonObject) => number | null,
): RecordChanges {
  if (changes !== null) return decodeChanges(changes);
  const time = data === null ? null : timeOf(data);
  const from = { fields: null, version, emittedAt };
  return { base: revision - 1, spans: [{ isThere: data !== null, time, floor: revision - 1, from, within: [] }] };
}

/**
 * Fields that were added, removed or changed. A change in the order of fields counts as a change of all, because the order is
 * visible.
 */
function diffFields(was: JsonObject, is: JsonObject): string[] | null {
  const kept = Object.keys(was).filter((name) => Object.hasOwn(is, name));
  const inOrder = Object.keys(is).filter((name) => Object.hasOwn(was, name));
  if (kept.some((name, n) => name !== inOrder[n])) return null;
  const all = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...all].filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name])).sort();
}

function addRepeated(within: readonly RepeatedChange[], change: Change): RepeatedChange[] {
  const hasSameFields =
    ({ fields }: Change) =>
    ({ fields: other }: Change) =>
      String(fields) === String(other);
  const held = within.find(hasSameFields(change));
  const others = within.filter((each) => each !== held);
  const all = [...others, { ...change, count: (held?.count ?? 0) + 1 }];
  if (all.length <= maxKinds) return all;
  const [rarest, ...rest] = [...all].sort((a, b) => a.count - b.count || a.version - b.version);
  if (rarest === undefined) return all;
  const everybody = rest.find(({ fields }) => fields === null);
  const newer = everybody === undefined || everybody.version < rarest.version ? rarest : everybody;
  return [
    ...rest.filter((each) => each !== everybody),
    { ...newer, fields: null, count: rarest.count + (everybody?.count ?? 0) },
  ];
}

type EncodedKind = [fields: readonly string[] | null, version: number, emittedAt: number, count: number];
type EncodedSpan = [isThere: 0 | 1, time: number | null, floor: number, ...kinds: EncodedKind[]];

const encodeChanges = ({ base, spans }: RecordChanges): string =>
  JSON.stringify([
    base,
    ...spans.map(
      ({ isThere, time, floor, from, within }): EncodedSpan => [
        isThere ? 1 : 0,
        time,
        floor,
        ...[{ ...from, count: 1 }, ...within].map(
          ({ fields, version, emittedAt, count }): EncodedKind => [fields, version, emittedAt, count],
        ),
      ],
    ),
  ]);

function decodeChanges(text: string): RecordChanges {
  const [base, ...spans] = parseStoredJson<[number, ...EncodedSpan[]]>(text);
  return {
    base,
    spans: spans.flatMap(([isThere, time, floor, ...kinds]) => {
      const [from, ...within] = kinds.map(([fields, version, emittedAt, count]) => ({
        fields,
        version,
        emittedAt,
        count,
      }));
      return from === undefined ? [] : [{ isThere: isThere === 1, time, floor, from, within }];
    }),
  };
}

export interface VisibleChanges {
  readonly revision: number;
  readonly version: number;
  readonly emittedAt: number;
  readonly isThere: boolean;
}

/** The changes visible to a scope. `isThere`: whether the record exists, if no changes are recorded. */
export function computeVisibleChanges(scope: StreamScope, stored: StoredState, isThere = true): VisibleChanges {
  const { version, revision, emitted_at: emittedAt, changes } = stored;
  if (changes === null || scope.fields === null) return { version, revision, emittedAt, isThere };
  const { base, spans } = decodeChanges(changes);
  const seen = { revision: base, version: 0, emittedAt: 0, isThere: false };
  const note = (change: Change, count: number) => {
    seen.revision += count;
    if (change.version < seen.version) return;
    seen.version = change.version;
    seen.emittedAt = change.emittedAt;
  };
  const touchesGrantedField = ({ fields }: Change) => fields === null || fields.some((name) => scope.fields?.has(name));
  for (const { isThere, time, floor, from, within } of spans) {
    const isSeen = isThere && isInBounds(scope, time);
    // When first seen, it counts like a record created at that time.
    if (isSeen && seen.version === 0) seen.revision = Math.max(base, floor);
    if (isSeen !== seen.isThere || (isSeen && touchesGrantedField(from))) note(from, 1);
    if (isSeen) for (const each of within) if (touchesGrantedField(each)) note(each, each.count);
    seen.isThere = isSeen;
  }
  return seen;
}

/**
 * Grants are limited by the stream's consent time. If a newer manifest uses another field, the recorded times say nothing about the
 * limits.
 */
function isInBounds({ time: bounds, stream }: StreamScope, time: number | null): boolean {
  if (bounds === undefined || bounds.field !== stream.declaration.consentTimeField) return true;
  return time !== null && time >= (bounds.since ?? time) && (bounds.until === undefined || time < bounds.until);
}
