import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { ImportDocument } from "@pdpp/contract/imports";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { ConnectionDetail, DailyReads, OwnerApi } from "@pdpp/contract/owner";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames, type Names } from "../frame/names.ts";
import { countByDay, formatDay } from "../frame/reading-days.ts";
import { formatMonth } from "../frame/render/times.tsx";
import type { ConsoleParts } from "../frame/session.ts";
import { loadTimeSpan, mergeTimeSpans, type TimeSpan } from "../frame/span.ts";
import { type Attention, type HomeReader, type HomeSource, renderHomePage } from "./home-page.tsx";
import { listUnreadItems } from "./unread-items.ts";

/** The home page. */

const day = 86_400_000;
const monthsShown = 24;
const maxSources = 200;
const maxRefusals = 100;
/** A source that keeps changing is recounted at most this often. */
const recountAfterMs = 60_000;
const maxCached = 1000;
/** How long the page waits for its charts. */
const maxWaitMs = 250;

interface CachedSpread {
  readonly state: string;
  readonly at: number;
  readonly spread: Spread;
}

/** How a stream's records are distributed over time. */
interface Spread extends TimeSpan {
  /** Keyed by month, such as 2026-11. */
  readonly months: ReadonlyMap<string, number>;
}

export function addHomeRoutes({ page }: Guard, parts: ConsoleParts): void {
  const { now, getOwner } = parts;
  const cache = new Map<string, CachedSpread>();
  const underWay = new Map<string, Promise<Spread>>();
  /**
   * Continues after the request ends, so that the next one finds the result. A failed count is not repeated until the
   * data changes.
   */
  const startCounting = (key: string, state: string, count: () => Promise<Spread>): Promise<Spread> => {
    const counting = count()
      .catch((): Spread => ({ from: undefined, to: undefined, months: new Map() }))
      .then((spread) => {
        underWay.delete(key);
        cache.delete(key);
        cache.set(key, { state, at: now(), spread });
        const [oldest] = cache.keys();
        if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
        return spread;
      });
    underWay.set(key, counting);
    return counting;
  };
  page("/", async (c, session, viewer) => {
    const owner = getOwner(session);
    const [reader, names] = [await owner.reader(), await loadNames(owner)];
    const at = now();
    const waited = new Promise<undefined>((over) => setTimeout(over, maxWaitMs, undefined).unref());
    const loadSpread = (stream: TimedStream, state: string): Promise<Spread | undefined> => {
      const key = `${session.ownerNo} ${stream.connection} ${stream.declaration.name}`;
      const held = cache.get(key);
      const isOld = held === undefined || (held.state !== state && at - held.at >= recountAfterMs);
      const counting =
        underWay.get(key) ?? (isOld ? startCounting(key, state, () => readSpread(reader, stream, at)) : undefined);
      // A slightly outdated count is shown at once; the next request gets the new one.
      if (held !== undefined || counting === undefined) return Promise.resolve(held?.spread);
      return Promise.race([counting, waited]);
    };
    const connections = (await owner.connections.list()).slice(0, maxSources);
    const imports = await owner.imports.list();
    const lastImports = findLastImports(imports);
    const sources = await Promise.all(
      connections.map((connection) =>
        loadSource(connection, names, at, lastImports.get(connection.connection_id), loadSpread),
      ),
    );
    const read = await owner.log.countByDay(at - 30 * day);
    const attention = await listAttention(owner, imports, at);
    const { database_bytes, files } = await owner.storage();
    const bytes = (database_bytes ?? 0) + files.bytes;
    const view = { sources, readers: listReaders(read, at), days: countByDay(read, at), attention, bytes };
    return c.html(renderHomePage({ ...view, viewer, now: at }), 200, {
      ...buildPageHeaders(undefined, sources.some(({ isCounting }) => isCounting) ? "is live" : undefined),
      vary: "accept",
    });
  });
}

interface TimedStream {
  readonly connection: string;
  readonly declaration: StreamDeclaration;
  readonly field: FieldDeclaration;
}

/** The time field that a stream's records are counted by, if the manifest allows it. */
function findTimeField({ fields, consentTimeField, cursorField }: StreamDeclaration): FieldDeclaration | undefined {
  const usable = fields.filter(
    ({ aggregations, rangeOperators }) => aggregations.includes("group_by_time") && rangeOperators.includes("gte"),
  );
  return (
    usable.find(({ role }) => role === "event-time") ??
    usable.find(({ name }) => name === consentTimeField || name === cursorField)
  );
}

async function loadSource(
  { connection_id: id, record_count, streams }: ConnectionDetail,
  names: Names,
  now: number,
  imported: number | undefined,
  spreadOf: (stream: TimedStream, state: string) => Promise<Spread | undefined>,
): Promise<HomeSource> {
  const spreads: Spread[] = [];
  let isCounting = false;
  for (const { name, record_count: count, last_updated } of streams) {
    const declaration = names.declaration(id, name);
    const field = declaration && findTimeField(declaration);
    if (declaration === undefined || field === undefined || count === 0) continue;
    const spread = await spreadOf({ connection: id, declaration, field }, `${count} ${last_updated}`);
    if (spread === undefined) isCounting = true;
    else spreads.push(spread);
  }
  const stored = streams.flatMap(({ last_updated }) =>
    last_updated === null ? [] : (parseInstant(last_updated) ?? []),
  );
  const largest = streams.reduce(
    (most, stream) => (stream.record_count > (most?.record_count ?? -1) ? stream : most),
    streams[0],
  );
  return {
    id,
    stream: largest?.name,
    label: names.source(id),
    records: record_count,
    isCounting,
    ...mergeTimeSpans(spreads),
    imported,
    stored: stored.length === 0 ? undefined : Math.max(...stored),
    months:
      spreads.length === 0
        ? []
        : listMonths(now).map(({ key, at }) => ({
            label: formatMonth(at),
            count: spreads.reduce((sum, { months }) => sum + (months.get(key) ?? 0), 0),
          })),
  };
}

function listMonths(now: number): { readonly key: string; readonly at: number }[] {
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  return Array.from({ length: monthsShown }, (_, i) => {
    const at = Date.UTC(year, month - (monthsShown - 1 - i), 1);
    return { key: formatInstant(at).slice(0, 7), at };
  });
}

async function readSpread(
  reader: ReadApi,
  { connection, declaration, field }: TimedStream,
  now: number,
): Promise<Spread> {
  const place = { stream: declaration.name, connection_id: connection };
  const since = formatInstant(listMonths(now)[0]?.at ?? now);
  const counted = await reader.aggregate({
    ...place,
    metric: "count",
    group_by_time: field.name,
    granularity: "month",
    limit: monthsShown + 1,
    filter: { [field.name]: { gte: field.kind === "date" ? since.slice(0, 10) : since } },
  });
  const months = new Map((counted.groups ?? []).map(({ key, count }) => [String(key).slice(0, 7), count]));
  return { ...(await loadTimeSpan(reader, place)), months };
}

const maxReaders = 50;

function listReaders(read: readonly DailyReads[], now: number): HomeReader[] {
  const weekAgo = formatDay(now - 7 * day);
  const sum = (days: readonly DailyReads[]) => ({
    reads: days.reduce((total, { reads }) => total + reads, 0),
    records: days.reduce((total, { records }) => total + records, 0),
  });
  return [...Map.groupBy(read, ({ client }) => client)]
    .map(([client, days]) => ({ client, week: sum(days.filter((each) => each.day > weekAgo)), month: sum(days) }))
    .sort((a, b) => b.month.records - a.month.records)
    .slice(0, maxReaders);
}

function findLastImports(imports: readonly ImportDocument[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { started_at, parts } of imports)
    for (const { connection_id, finished_at } of parts) {
      const at = parseInstant(finished_at ?? started_at) ?? 0;
      if (at > (last.get(connection_id) ?? 0)) last.set(connection_id, at);
    }
  return last;
}

/** Grants that end soon, imports with rejected items, and refused agents; recent ones only, and at most a few of each. */
async function listAttention(owner: OwnerApi, imports: readonly ImportDocument[], now: number): Promise<Attention[]> {
  const ending = new Map<string, Attention>();
  for (const { status, expires_at, client, package_id, grant_id } of await owner.grants.list()) {
    const until = expires_at === undefined ? null : parseInstant(expires_at);
    if (status !== "active" || until === null || until - now > 7 * day) continue;
    const id = package_id ?? grant_id;
    ending.set(id, { about: "grant", client: client.name, id, until });
  }
  const unread = await listUnreadItems(owner, imports, now - 30 * day, 2);
  const { entries } = await owner.log.page({ kind: "refusal", limit: maxRefusals });
  const lately = entries.filter(({ at }) => now - (parseInstant(at) ?? 0) < 7 * day);
  const refused = [...Map.groupBy(lately, ({ client }) => client)].map(
    ([client, all]): Attention => ({
      about: "refusal",
      client,
      at: parseInstant(all[0]?.at ?? "") ?? 0,
      times: all.reduce((sum, { times = 1 }) => sum + times, 0),
    }),
  );
  return [
    ...[...ending.values()].slice(0, 3),
    ...unread.map((each) => ({ about: "import" as const, ...each })),
    ...refused.slice(0, 3),
  ];
}
