import type { Mention } from "./mentions.ts";

/** Records about an identity in one stream of one connection. Traces can be added and subtracted, so that a changed record is exact. */
export interface Trace {
  readonly count: number;
  readonly cards: number;
  readonly days: Readonly<Record<string, number>>;
  /** Identities that records call the same person. */
  readonly joined: Readonly<Record<string, number>>;
  readonly names: Readonly<Record<string, number>>;
}

/** A record in which the identity appears: when, and its key. */
export type TraceRecord = readonly [at: number, key: string];

export interface TraceChange {
  readonly trace: Counters;
  added: TraceRecord[];
  readonly removed: Set<string>;
}

type Counts = Record<string, number>;
type Counters = { -readonly [K in keyof Trace]: Trace[K] extends number ? number : Counts };

// A null prototype: names come from records, and one may be called `__proto__`.
const createCounts = (from: Readonly<Counts> = {}): Counts => Object.assign(Object.create(null), from);

const createCounters = (from?: Trace): Counters => ({
  count: from?.count ?? 0,
  cards: from?.cards ?? 0,
  days: createCounts(from?.days),
  joined: createCounts(from?.joined),
  names: createCounts(from?.names),
});

/** The newest records kept for a page; older ones are counted only. */
const maxTraceRecords = 60;
const maxNames = 20;
const maxJoined = 50;
const maxDays = 20_000;

/** Counts one record: once for each identity in it, however often it names them. */
export function collectMentions(
  changes: Map<string, TraceChange>,
  mentions: readonly Mention[],
  record: { readonly day: string | undefined; readonly at: number; readonly key: string },
  sign: 1 | -1,
): void {
  const seen = new Map<string, Mention>();
  for (const mention of mentions)
    for (const identity of mention.identities)
      if (!seen.has(identity) || mention.name !== "") seen.set(identity, mention);
  for (const [identity, { identities, name, isCard }] of seen) {
    const change = changes.get(identity) ?? { trace: createCounters(), added: [], removed: new Set<string>() };
    changes.set(identity, change);
    const { trace } = change;
    trace.count += sign;
    if (isCard) trace.cards += sign;
    if (record.day !== undefined) addCount(trace.days, record.day, sign);
    if (name !== "") addCount(trace.names, name, sign);
    for (const other of identities) if (other !== identity) addCount(trace.joined, other, sign);
    if (sign === -1) {
      change.removed.add(record.key);
      change.added = change.added.filter(([, key]) => key !== record.key);
    } else {
      change.added.push([record.at, record.key]);
      if (change.added.length > maxTraceRecords * 4) change.added = keepNewest(change.added);
    }
  }
}

function addCount(counts: Counts, key: string, n: number): void {
  const sum = (counts[key] ?? 0) + n;
  if (sum === 0) delete counts[key];
  else counts[key] = sum;
}

function addCounts(counts: Counts, more: Readonly<Counts>, max: number): void {
  let room = max - Object.keys(counts).length;
  for (const [key, n] of Object.entries(more)) {
    if (counts[key] === undefined && room-- <= 0) continue;
    addCount(counts, key, n);
  }
}

const keepNewest = (records: readonly TraceRecord[]): TraceRecord[] =>
  [...records].sort(([a, aKey], [b, bKey]) => b - a || (aKey < bKey ? -1 : 1)).slice(0, maxTraceRecords);

export interface StoredTrace {
  readonly trace: Trace;
  readonly records: readonly TraceRecord[];
}

/** The stored trace after a change; undefined when nothing is left of it. */
export function applyChange(
  held: StoredTrace | undefined,
  { trace, added, removed }: TraceChange,
): StoredTrace | undefined {
  const sum = createCounters(held?.trace);
  sum.count += trace.count;
  sum.cards += trace.cards;
  addCounts(sum.days, trace.days, maxDays);
  addCounts(sum.joined, trace.joined, maxJoined);
  addCounts(sum.names, trace.names, maxNames);
  if (sum.count <= 0) return undefined;
  const fresh = new Set(added.map(([, key]) => key));
  const kept = (held?.records ?? []).filter(([, key]) => !removed.has(key) && !fresh.has(key));
  return { trace: sum, records: keepNewest([...kept, ...added]) };
}
