import { formatInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { Day } from "@pdpp/language/dates/time-span";
import { getDayRange } from "../days/calendar.ts";
import { type DayItem, toItem } from "../days/day-records.ts";
import { type Entry, groupItems } from "../days/entries.ts";
import type { TimedStream } from "../days/timed-streams.ts";

/** The newest items of all sources, up to today: a calendar also has the future. */

/** The streams that changed last are asked, for so many records each. */
const [maxStreams, perStream] = [24, 6];

export async function loadRecentEntries(
  reader: ReadApi,
  streams: readonly TimedStream[],
  today: Day,
  zone: string,
  most: number,
): Promise<Entry<DayItem>[]> {
  const tomorrow = today.add({ days: 1 }).toString();
  const end = formatInstant(getDayRange(today, zone).end);
  const changed = streams.toSorted((a, b) => ((b.lastUpdated ?? "") < (a.lastUpdated ?? "") ? -1 : 1));
  const items: DayItem[] = [];
  for (const stream of changed.slice(0, maxStreams)) {
    const { connection, declaration, field } = stream;
    const { data } = await reader.queryRecords({
      stream: declaration.name,
      connection_id: connection,
      filter: { [field.name]: { lt: field.kind === "date" ? tomorrow : end } },
      view: "evidence",
      order: "desc",
      limit: perStream,
    });
    for (const card of data) {
      const item = card.object === "evidence_card" ? toItem(card, stream, zone) : undefined;
      if (item !== undefined) items.push(item);
    }
  }
  const newest = keepLatestOfSeries(items.sort((a, b) => b.at - a.at)).slice(0, most * perStream);
  return groupItems(newest).reverse().slice(0, most);
}

/** A weekly event would otherwise be all that is recent. Not every calendar says which events are one series. */
function keepLatestOfSeries(newestFirst: readonly DayItem[]): DayItem[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ kind, card }) => {
    const key = JSON.stringify([card.connection_id, card.stream, card.title]);
    if (kind !== "event" || !seen.has(key)) {
      seen.add(key);
      return true;
    }
    return false;
  });
}
