import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { Day } from "@pdpp/language/dates/time-span";
import { getDayRange, parseDay, toDay } from "./calendar.ts";
import type { TimedStream } from "./timed-streams.ts";

/** The nearest days before and after one that have records. */

export interface Neighbours {
  readonly previous: Day | undefined;
  readonly next: Day | undefined;
}

/** Streams asked for their nearest record when the counts don't tell. */
const maxAsked = 60;

/** `counts`: of the year of that day; undefined while counting. */
export async function findNeighbours(
  reader: ReadApi,
  streams: readonly TimedStream[],
  counts: ReadonlyMap<string, number> | undefined,
  day: Day,
  zone: string,
): Promise<Neighbours> {
  const key = day.toString();
  const counted = [...(counts?.keys() ?? [])].sort();
  const previous = parseDay(counted.findLast((each) => each < key) ?? "");
  const next = parseDay(counted.find((each) => each > key) ?? "");
  return {
    previous: previous ?? (await findNearest(reader, streams, day, zone, "desc")),
    next: next ?? (await findNearest(reader, streams, day, zone, "asc")),
  };
}

/** Lists are ordered by the cursor field, so only streams whose time is their cursor can answer. */
async function findNearest(
  reader: ReadApi,
  streams: readonly TimedStream[],
  day: Day,
  zone: string,
  order: "asc" | "desc",
): Promise<Day | undefined> {
  const days: Day[] = [];
  const { start, end } = getDayRange(day, zone);
  for (const { connection, declaration, field } of streams.slice(0, maxAsked)) {
    if (declaration.cursorField !== field.name) continue;
    const isDate = field.kind === "date";
    const limits =
      order === "desc"
        ? { lt: isDate ? day.toString() : formatInstant(start) }
        : { gte: isDate ? day.add({ days: 1 }).toString() : formatInstant(end) };
    const { data } = await reader.queryRecords({
      stream: declaration.name,
      connection_id: connection,
      filter: { [field.name]: limits },
      fields: [field.name],
      order,
      limit: 1,
    });
    const [first] = data;
    const value = first?.object === "record" && isObject(first.data) ? first.data[field.name] : undefined;
    const found = typeof value === "string" ? readDay(value, zone) : undefined;
    if (found !== undefined) days.push(found);
  }
  const sorted = days.sort((a, b) => (a.toString() < b.toString() ? -1 : 1));
  return order === "desc" ? sorted.at(-1) : sorted[0];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function readDay(written: string, zone: string): Day | undefined {
  if (written.length === 10) return parseDay(written);
  const at = parseInstant(written);
  return at === null ? undefined : toDay(at, zone);
}

/** The neighbour with fewer days in between. */
export function findNearer(day: Day, { previous, next }: Neighbours): Day | undefined {
  if (previous === undefined || next === undefined) return previous ?? next;
  return previous.until(day).days <= day.until(next).days ? previous : next;
}
