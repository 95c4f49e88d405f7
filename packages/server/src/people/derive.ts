import { maxPersonIdentities, peopleConnectorKey } from "@pdpp/contract/people";
import { loadOwnerScope } from "../auth/authenticate.ts";
import type { StreamScope } from "../store/access/scope.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { parseJsonObject, parseStoredJson } from "../store/engine/json.ts";
import { yieldToEventLoop } from "../store/engine/yield-to-event-loop.ts";
import { listChangedRecords, listRecordsAt, loadHorizon } from "../store/records/changes.ts";
import type { Store } from "../store/store.ts";
import {
  countTraces,
  deleteTraces,
  listTracesExcept,
  loadProgress,
  loadTraces,
  type Progress,
  replaceTraces,
  saveProgress,
  type TracePlace,
} from "../store/traces/person-traces.ts";
import { createMentionReader, type MentionReader } from "./mentions.ts";
import { applyChange, collectMentions, type TraceChange } from "./trace.ts";

/** Follows the changes of every stream that names people. Each step is one transaction with its place in the stream. */

const pageRecords = 100;
const stepRecords = 2000;

export interface FollowOptions {
  readonly ownerNo: number;
  readonly signal?: AbortSignal | undefined;
  /** Awaited between two pages, so that reads go first. */
  readonly rest?: () => Promise<void>;
}

interface Source extends TracePlace {
  readonly scope: StreamScope;
  readonly reader: MentionReader;
  readonly plan: string;
}

/** Returns whether anything that people are derived from has changed. */
export async function followSources(store: Store, options: FollowOptions): Promise<boolean> {
  const { ownerNo, signal } = options;
  const { streams, timeZone } = await loadOwnerScope(store, ownerNo);
  const sources = streams
    .filter(({ connectorKey }) => connectorKey !== peopleConnectorKey)
    .flatMap((scope) => listSources(scope, timeZone));
  const formatDay = createDayFormat(timeZone);
  let hasChanged = await dropRemovedSources(store, ownerNo, sources);
  const idle: { source: Source; held: Progress; next: Progress }[] = [];
  for (const source of sources) {
    for (;;) {
      if (signal?.aborted) return hasChanged;
      const step = await readStep(store, source, formatDay, options);
      if (step === undefined) break;
      if (step.changes.size === 0 && step.held !== undefined && step.next.afterKey === null) {
        idle.push({ source, held: step.held, next: step.next });
        break;
      }
      const isStored = await storeStep(store, source, step);
      if (!isStored) break;
      hasChanged ||= step.changes.size > 0;
      await store.engine.yieldToWriters();
      if (step.isLast) break;
    }
  }
  if (idle.length > 0)
    await store.engine.write(async (on) => {
      await lockOwner(on, ownerNo);
      for (const { source, held, next } of idle)
        if (isSame(await loadProgress(on, source), held)) await saveProgress(on, source, next);
    });
  return hasChanged;
}

async function dropRemovedSources({ engine }: Store, ownerNo: number, sources: readonly Source[]): Promise<boolean> {
  const stale = await engine.read((on) => listTracesExcept(on, ownerNo, sources));
  if (stale.length === 0) return false;
  await engine.write(async (on) => {
    for (const place of stale) await deleteTraces(on, place);
  });
  return true;
}

const isSame = (a: Progress | undefined, b: Progress): boolean => JSON.stringify(a) === JSON.stringify(b);

function listSources(scope: StreamScope, timeZone: string): Source[] {
  const reader = createMentionReader(scope.stream.declaration);
  if (reader === undefined) return [];
  const plan = JSON.stringify([reader.plan, timeZone]);
  const { ownerNo, stream } = scope;
  return scope.connections.map((connection) => ({
    ownerNo,
    connectionNo: connection.no,
    streamNo: stream.streamNo,
    scope: { ...scope, connections: [connection] },
    reader,
    plan,
  }));
}

/** Days in the owner's zone. */
function createDayFormat(timeZone: string): (at: number) => string | undefined {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  return (at) => {
    const day = Math.abs(at) < 8.64e15 ? format.format(at) : "";
    return /^\d{4}-\d\d-\d\d$/.test(day) ? day : undefined;
  };
}

interface Step {
  /** What the transaction must still find; undefined if nothing was read yet, or must be read again. */
  readonly held: Progress | undefined;
  readonly next: Progress;
  readonly changes: ReadonlyMap<string, TraceChange>;
  readonly isLast: boolean;
}

async function readStep(
  store: Store,
  source: Source,
  formatDay: (at: number) => string | undefined,
  { signal, rest }: FollowOptions,
): Promise<Step | undefined> {
  const { engine } = store;
  const { horizon, stored } = await engine.read(async (on) => ({
    horizon: await loadHorizon(on, source.ownerNo),
    stored: await loadProgress(on, source),
  }));
  const isUsable = stored?.plan === source.plan && (stored.version === 0 || stored.version >= horizon.pruned);
  const held = isUsable ? stored : undefined;
  const from = held ?? { plan: source.plan, version: 0, upTo: horizon.current, afterKey: null };
  const isIdle = from.version > 0 && from.afterKey === null;
  if (from.upTo === 0 || (isIdle && from.version === horizon.current)) return undefined;
  let walk: Progress = isIdle ? { ...from, upTo: horizon.current } : from;
  const changes = new Map<string, TraceChange>();
  const connectionId = source.scope.connections[0]!.id;
  const collect = (text: string | null, key: string, sign: 1 | -1): void => {
    if (text === null) return;
    const { mentions, at } = source.reader.read(parseJsonObject(text), connectionId);
    collectMentions(changes, mentions, { day: at === null ? undefined : formatDay(at), at: at ?? 0, key }, sign);
  };
  for (let records = 0; ; records += pageRecords) {
    const page = await engine.read((on) => readPage(on, source.scope, walk), "heavy");
    for (const { before, after, key } of page.records) {
      await yieldToEventLoop();
      if (before === after) continue;
      collect(before, key, -1);
      collect(after, key, 1);
    }
    if (page.next === null) {
      const next = { ...walk, version: walk.upTo, afterKey: null };
      return { held, next, changes, isLast: true };
    }
    walk = { ...walk, afterKey: page.next };
    if (records + pageRecords >= stepRecords || signal?.aborted) return { held, next: walk, changes, isLast: false };
    await rest?.();
  }
}

interface Page {
  readonly records: readonly { readonly key: string; readonly before: string | null; readonly after: string | null }[];
  /** Null at the end. */
  readonly next: string | null;
}

async function readPage(on: ReadTransaction, scope: StreamScope, walk: Progress): Promise<Page> {
  const { version: since, upTo, afterKey } = walk;
  if (since === 0) {
    const connectionId = scope.connections[0]!.id;
    const after = afterKey === null ? undefined : { connectionId, key: afterKey };
    const found = await listRecordsAt(on, scope, { upTo, after, limit: pageRecords });
    return {
      records: found.map(({ key, data }) => ({ key, before: null, after: data })),
      next: found.length < pageRecords ? null : found.at(-1)!.place.key,
    };
  }
  const after = afterKey === null ? since : Number(afterKey);
  const found = await listChangedRecords(on, scope, { since, upTo, after, limit: pageRecords });
  return { records: found, next: found.length < pageRecords ? null : String(found.at(-1)!.version) };
}

/** Returns false if another server was faster; its step is as good. */
async function storeStep({ engine }: Store, source: Source, { held, next, changes }: Step): Promise<boolean> {
  return engine.write(async (on) => {
    await lockOwner(on, source.ownerNo);
    const stored = await loadProgress(on, source);
    if (held === undefined) await deleteTraces(on, source);
    else if (!isSame(stored, held)) return false;
    const identities = [...changes.keys()];
    const known = new Map((await loadTraces(on, source, identities)).map((row) => [row.identity, row]));
    let room = Math.max(0, maxPersonIdentities - (await countTraces(on, source.ownerNo)));
    const traces = identities.flatMap((identity) => {
      const row = known.get(identity);
      if (row === undefined && room-- <= 0) return [];
      const before = row && { trace: parseStoredJson<never>(row.trace), records: parseStoredJson<never>(row.records) };
      const after = applyChange(before, changes.get(identity)!);
      return {
        identity,
        held: after && { trace: JSON.stringify(after.trace), records: JSON.stringify(after.records) },
      };
    });
    if (traces.length > 0) await replaceTraces(on, source, traces);
    await saveProgress(on, source, next);
    return true;
  });
}
