import { findField, type JsonObject, type Role, type StreamDeclaration } from "@pdpp/contract/declaration";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { WireRecord } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { Names } from "../../frame/names.ts";
import { describeRecurrence } from "../../frame/render/recurrence.ts";
import { addDays, getDayStart } from "./days.ts";
import { type CalendarEvent, compareEvents, getFirstDay, getLastDay } from "./layout.ts";

/** Reads the events of some days through the API, bounded whatever the vault holds. */

export interface EventStream {
  readonly source: string;
  readonly declaration: StreamDeclaration;
  /** The time field that selects events. */
  readonly start: string;
}

export interface LoadedEvents {
  readonly events: readonly CalendarEvent[];
  /** All events of these days; undefined if they were all loaded. */
  readonly total: number | undefined;
}

const maxStreams = 20;
const [pageSize, maxPages] = [100, 4];
/** Events that began up to this long before are looked at, because they may still be going on. */
const lookBackDays = 62;
const maxTextChars = 200;

/** All streams of events, or those of one source or stream, whose times can be read. */
export function listEventStreams(names: Names, source?: string, stream?: string): EventStream[] {
  const all = names.sources
    .filter(({ id }) => source === undefined || id === source)
    .flatMap(({ id, streams }) =>
      streams.flatMap(({ name }): EventStream[] => {
        const declaration = names.declaration(id, name);
        if (declaration?.presentation?.kind !== "event" || (stream !== undefined && stream !== name)) return [];
        const start = declaration.fields.find(({ role }) => role === "event-time");
        const isRanged = start?.rangeOperators.includes("gte") && start.rangeOperators.includes("lt");
        return start !== undefined && isRanged ? [{ source: id, declaration, start: start.name }] : [];
      }),
    );
  return all.slice(0, maxStreams);
}

interface Span {
  /** Days, the last one excluded. */
  readonly first: string;
  readonly after: string;
  readonly zone: string;
}

export async function loadEvents(reader: ReadApi, streams: readonly EventStream[], span: Span): Promise<LoadedEvents> {
  const loaded = await Promise.all(streams.map((stream) => loadStreamEvents(reader, stream, span)));
  const isWithin = (event: CalendarEvent): boolean =>
    getFirstDay(event, span.zone) < span.after && getLastDay(event, span.zone) >= span.first;
  const events = loaded.flatMap((each) => each.events.filter(isWithin)).sort(compareEvents);
  const cut = loaded.filter(({ total }) => total !== undefined);
  if (cut.length === 0) return { events, total: undefined };
  return {
    events,
    total: loaded.reduce((sum, each) => sum + (each.total ?? each.events.filter(isWithin).length), 0),
  };
}

async function loadStreamEvents(
  reader: ReadApi,
  stream: EventStream,
  { first, after, zone }: Span,
): Promise<LoadedEvents> {
  const { declaration, start } = stream;
  // A day earlier and later, because all-day events are in UTC.
  const [from, to] = [getDayStart(addDays(first, -1), zone), getDayStart(addDays(after, 1), zone)];
  const within = { [start]: { gte: write(stream, start, from), lt: write(stream, start, to) } };
  const begun = await readEvents(reader, stream, within, "asc", maxPages);
  const { end } = declaration.presentation?.fields ?? {};
  const isRanged = end !== undefined && findField(declaration, end)?.rangeOperators.includes("gte");
  const lookBack = getDayStart(addDays(first, -lookBackDays), zone);
  const earlier = {
    [start]: { gte: write(stream, start, lookBack), lt: write(stream, start, from) },
    ...(isRanged ? { [end]: { gte: write(stream, end, from) } } : {}),
  };
  // Where the end cannot be asked for, the latest to begin are the likeliest to be still going on.
  const running =
    end === undefined ? { events: [] } : await readEvents(reader, stream, earlier, "desc", isRanged ? maxPages : 1);
  const events = [...running.events, ...begun.events];
  return { events, total: begun.total };
}

const write = ({ declaration }: EventStream, field: string, instant: number): string =>
  findField(declaration, field)?.kind === "date" ? formatInstant(instant).slice(0, 10) : formatInstant(instant);

async function readEvents(
  reader: ReadApi,
  stream: EventStream,
  filter: NonNullable<Input<"queryRecords">["filter"]>,
  order: "asc" | "desc",
  pages: number,
): Promise<LoadedEvents> {
  const { source, declaration } = stream;
  const place = { stream: declaration.name, connection_id: source, filter };
  const fields = listShownFields(stream);
  const events: CalendarEvent[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const input = {
      ...place,
      fields,
      order,
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    } as const;
    const { data, next_cursor } = await reader.queryRecords(input);
    for (const item of data)
      if (item.object === "record" && !("deleted" in item)) events.push(...toEvent(stream, item as WireRecord));
    cursor = next_cursor;
    if (cursor === undefined) return { events, total: undefined };
  }
  const counted = declaration.countable ? await reader.aggregate({ ...place, metric: "count" }) : undefined;
  return { events, total: typeof counted?.value === "number" ? counted.value : events.length + 1 };
}

const findRole = ({ fields }: StreamDeclaration, role: Role): string | undefined =>
  fields.find((field) => field.role === role)?.name;

function listShownFields({ declaration, start }: EventStream): string[] {
  const { end, all_day, place, recurrence, series, status } = declaration.presentation?.fields ?? {};
  const all = [start, findRole(declaration, "primary-title"), end, all_day, place, recurrence, series, status];
  return [...new Set(all.filter((name) => name !== undefined))];
}

function toEvent({ source, declaration, start: startField }: EventStream, { id, data }: WireRecord): CalendarEvent[] {
  const parts = declaration.presentation?.fields ?? {};
  const read = (field: string | undefined) => (field === undefined ? undefined : data[field]);
  const written = read(startField);
  const start = typeof written === "string" ? parseInstant(written) : null;
  if (start === null) return [];
  const isDate = typeof written === "string" && written.length === 10;
  const endText = read(parts.end);
  const end = typeof endText === "string" ? parseInstant(endText) : null;
  const isAllDay = isDate || read(parts.all_day) === true;
  const status = read(parts.status);
  const title = findRole(declaration, "primary-title");
  return [
    {
      id: formatHandle({ connectionId: source, stream: declaration.name, recordId: id }),
      source,
      stream: declaration.name,
      title: title === undefined ? "Busy" : (readText(data, title) ?? "Untitled event"),
      start,
      end: end === null || end < start ? start : end,
      isAllDay,
      isCancelled: typeof status === "string" && /^cancell?ed$/i.test(status),
      place: readText(data, parts.place),
      recurrence: describeRecurrence(read(parts.recurrence)),
      series: readText(data, parts.series),
    },
  ];
}

function readText(data: JsonObject, field: string | undefined): string | undefined {
  const value = field === undefined ? undefined : data[field];
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return value.length > maxTextChars ? `${value.slice(0, maxTextChars).toWellFormed()}…` : value;
}

export interface Neighbours {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The days of the last event before and the first event after. */
export async function findNeighbours(
  reader: ReadApi,
  streams: readonly EventStream[],
  { first, after, zone }: Span,
): Promise<Neighbours> {
  const find = async (stream: EventStream, order: "asc" | "desc"): Promise<string[]> => {
    const { declaration, start, source } = stream;
    const bound =
      order === "desc"
        ? { lt: write(stream, start, getDayStart(first, zone)) }
        : { gte: write(stream, start, getDayStart(after, zone)) };
    const place = { stream: declaration.name, connection_id: source, filter: { [start]: bound } };
    const { data } = await reader.queryRecords({ ...place, fields: [start], order, limit: 1 });
    return data.flatMap((item) =>
      item.object === "record" && !("deleted" in item)
        ? toEvent(stream, item as WireRecord).map((event) => getFirstDay(event, zone))
        : [],
    );
  };
  const [before, later] = await Promise.all(
    (["desc", "asc"] as const).map(async (order) =>
      (await Promise.all(streams.map((each) => find(each, order)))).flat(),
    ),
  );
  return { before: before?.sort().at(-1), after: later?.sort()[0] };
}
