import type { ImportDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import type { ConnectionDetail } from "@pdpp/contract/owner";
import type { Day } from "@pdpp/language/dates/time-span";
import { getDayRange, getYearStart, listDays, toDay } from "../days/calendar.ts";
import { type CountedView, type DayCounter, sumCounts } from "../days/day-counts.ts";
import { loadThreadTitles } from "../days/thread-titles.ts";
import { listTimedStreams, type TimedStream } from "../days/timed-streams.ts";
import { startWaiting } from "../frame/background-cache.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames, type Names } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { isTroubled, type LiveSource, loadSources } from "../sources/load-sources.ts";
import { listAgentReads } from "./agent-reads.ts";
import { listAttention } from "./attention.ts";
import { type HomeSource, renderHomePage } from "./home-page.tsx";
import { loadOnThisDay } from "./on-this-day.ts";
import { loadRecentEntries } from "./recent.ts";

/** The home page: today, the last year, what is new, and what agents read. */

const entriesShown = 6;
const readsShown = 5;

export function addHomeRoutes({ page }: Guard, { now, getOwner }: ConsoleParts, counter: DayCounter): void {
  page("/", async (c, session, viewer) => {
    const owner = getOwner(session);
    const [reader, names, { time_zone: zone }] = [await owner.reader(), await loadNames(owner), await owner.self()];
    const at = now();
    const today = toDay(at, zone);
    const streams = await listTimedStreams(reader, names);
    const view: CountedView = {
      reader,
      zone,
      key: String(session.ownerNo),
      canBeOutdated: true,
      waited: startWaiting(),
    };
    const lastYear = await countLastYear(view, counter, streams, today);
    const onThisDay = await loadOnThisDay(view, counter, streams, today);
    const recent = await loadRecentEntries(reader, streams, today, zone, entriesShown);
    const shown = [...recent, ...onThisDay.years.flatMap(({ entries }) => entries)];
    const [grants, imports] = [await owner.grants.list(), await owner.imports.list()];
    const { live } = await loadSources(owner, names, at);
    const agents = await listAgentReads(owner, getDayRange(today, zone).start, readsShown);
    const { database_bytes, files } = await owner.storage();
    const isCounting = lastYear.isCounting || onThisDay.isCounting;
    const html = renderHomePage({
      now: at,
      today,
      zone,
      names,
      viewer,
      isCounting,
      lastYear,
      recent,
      onThisDay: onThisDay.years,
      threadTitles: await loadThreadTitles(reader, names, shown),
      sources: listSources(await owner.connections.list(), names, imports, live),
      bytes: (database_bytes ?? 0) + files.bytes,
      attention: await listAttention(owner, { grants, imports, live }, at),
      reads: agents.reads,
      steps: { hasAgent: grants.length > 0, hasReads: agents.hasAny },
    });
    return c.html(html, 200, {
      ...buildPageHeaders(undefined, isCounting ? "is live" : undefined),
      vary: "accept",
    });
  });
}

/** Up to today, from the counts of two calendar years that the pages of days use as well. */
async function countLastYear(view: CountedView, counter: DayCounter, streams: readonly TimedStream[], today: Day) {
  const years = [
    await counter.countYear(view, streams, getYearStart(today)),
    await counter.countYear(view, streams, getYearStart(today).subtract({ years: 1 })),
  ];
  return {
    days: listDays(today.subtract({ days: 364 }), today.add({ days: 1 })),
    counts: sumCounts(years.map(({ days }) => days)),
    isCounting: years.some((year) => year.isCounting),
  };
}

/** Those that need the owner, and those whose last import left something out, come first. */
function listSources(
  connections: readonly ConnectionDetail[],
  names: Names,
  imports: readonly ImportDocument[],
  live: readonly LiveSource[],
): HomeSource[] {
  const collected = new Map(live.map((each) => [each.source.connection_id, each]));
  const last = findLastImports(imports);
  const added = new Set(names.sources.filter(({ isDerived }) => !isDerived).map(({ id }) => id));
  return connections
    .filter(({ connection_id }) => added.has(connection_id))
    .map(({ connection_id: id, record_count: records, streams }) => {
      const largest = streams.toSorted((a, b) => b.record_count - a.record_count)[0];
      const stored = streams.flatMap(({ last_updated }) =>
        last_updated === null ? [] : (parseInstant(last_updated) ?? []),
      );
      return {
        id,
        label: names.source(id),
        stream: largest?.name,
        records,
        stored: stored.length === 0 ? undefined : Math.max(...stored),
        ...last.get(id),
        live: collected.get(id),
      };
    })
    .sort((a, b) => weigh(b) - weigh(a) || (b.rejected ?? 0) - (a.rejected ?? 0) || a.label.localeCompare(b.label));
}

const weigh = ({ live }: HomeSource): number => (live !== undefined && isTroubled(live.status) ? 1 : 0);

function findLastImports(imports: readonly ImportDocument[]) {
  const last = new Map<string, { readonly imported: number; readonly importId: string; readonly rejected: number }>();
  for (const { import_id, started_at, parts } of imports)
    for (const { connection_id, finished_at, tally } of parts) {
      const imported = parseInstant(finished_at ?? started_at) ?? 0;
      const rejected = Object.values(tally.streams).reduce((sum, { aside }) => sum + aside, 0);
      if (imported > (last.get(connection_id)?.imported ?? 0))
        last.set(connection_id, { imported, importId: import_id, rejected });
    }
  return last;
}
