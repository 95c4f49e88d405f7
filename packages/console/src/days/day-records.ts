import type { StreamKind } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import type { Day } from "@pdpp/language/dates/time-span";
import { getDayRange, parseDay, toDay } from "./calendar.ts";
import type { GroupableItem } from "./entries.ts";
import { filterByDays, findThreadField, hasAllDayRecords, type TimedStream } from "./timed-streams.ts";

/** Records as items of a day. */

export interface DayItem extends GroupableItem {
  readonly card: EvidenceCard;
  readonly stream: TimedStream;
  readonly kind: StreamKind | undefined;
  readonly isAllDay: boolean;
  /** When it ended, if it has a length. */
  readonly end: number | undefined;
  /** The id of its conversation or mail thread. */
  readonly thread: string | undefined;
  /** The owner wrote it. */
  readonly isOwn: boolean;
}

export interface DayRecords {
  readonly items: readonly DayItem[];
  /** Streams with more records on that day than are shown. */
  readonly cut: readonly { readonly stream: TimedStream; readonly more: number }[];
}

/** Records of one stream and of all, on a page. */
const maxPerStream = 60;
const maxRecords = 200;

/** The first records of a day, without counting the rest. */
export async function loadFirstRecords(
  reader: ReadApi,
  stream: TimedStream,
  day: Day,
  zone: string,
  limit: number,
): Promise<DayItem[]> {
  const { cards } = await loadPage(reader, buildQuery(stream, day, zone), limit);
  return toItemsOfDay(cards, stream, day, zone);
}

const buildQuery = (stream: TimedStream, day: Day, zone: string) => ({
  stream: stream.declaration.name,
  connection_id: stream.connection,
  filter: filterByDays(stream, ...getSearchedDays(stream, day), zone),
});

const toItemsOfDay = (cards: readonly EvidenceCard[], stream: TimedStream, day: Day, zone: string): DayItem[] =>
  cards.flatMap((card) => {
    const item = toItem(card, stream, zone);
    return item !== undefined && toDay(item.at, zone).equals(day) ? [item] : [];
  });

/** `getCount`: how many records of that day a stream has, if that is known without counting again. */
export async function loadDayRecords(
  reader: ReadApi,
  streams: readonly TimedStream[],
  day: Day,
  zone: string,
  getCount: (stream: TimedStream) => number | undefined,
): Promise<DayRecords> {
  const items: DayItem[] = [];
  const cut: { stream: TimedStream; more: number }[] = [];
  for (const stream of streams) {
    const room = Math.min(maxPerStream, maxRecords - items.length);
    const asked = buildQuery(stream, day, zone);
    const page = room <= 0 ? undefined : await loadPage(reader, asked, room);
    items.push(...toItemsOfDay(page?.cards ?? [], stream, day, zone));
    if (page?.hasMore === false) continue;
    // Days are counted by instants, which all-day records may not belong to.
    const known = hasAllDayRecords(stream) ? undefined : getCount(stream);
    const more = (known ?? (await countRecords(reader, asked))) - (page?.cards.length ?? 0);
    if (more > 0) cut.push({ stream, more });
  }
  return { items, cut };
}

async function countRecords(reader: ReadApi, asked: Parameters<ReadApi["queryRecords"]>[0]): Promise<number> {
  const { meta } = await reader.queryRecords({ ...asked, limit: 1, count: "exact" });
  return meta.count?.value ?? 0;
}

async function loadPage(reader: ReadApi, asked: Parameters<ReadApi["queryRecords"]>[0], limit: number) {
  const { data, has_more } = await reader.queryRecords({ ...asked, view: "evidence", order: "asc", limit });
  return { cards: data.filter((item) => item.object === "evidence_card"), hasMore: has_more };
}

/** All-day records of the day may be stored in the neighbouring ones. */
const getSearchedDays = (stream: TimedStream, day: Day): [from: Day, to: Day] =>
  hasAllDayRecords(stream) && stream.field.kind !== "date"
    ? [day.subtract({ days: 1 }), day.add({ days: 2 })]
    : [day, day.add({ days: 1 })];

/** Undefined if the record has no time. */
export function toItem(card: EvidenceCard, stream: TimedStream, zone: string): DayItem | undefined {
  const { declaration, connection } = stream;
  const { presentation } = declaration;
  const { event_time: written, local_time: local } = card;
  const date = [local, written].find((time) => typeof time === "string" && time.length === 10);
  const day = typeof date === "string" ? parseDay(date) : undefined;
  const at = day !== undefined ? getDayRange(day, zone).start : parseTime(written);
  if (at === undefined) return undefined;
  const kind = presentation?.kind ?? (declaration.conversation === undefined ? undefined : "conversation");
  const values = new Map(listPresentedFields(card).map((field) => [field.field_path, field]));
  const getValue = (name: string | undefined) => getInlineValue(name === undefined ? undefined : values.get(name));
  const thread = getValue(findThreadField(declaration));
  const own = presentation?.own;
  const ownValue = getValue(own?.field);
  const end = parseTime(getValue(presentation?.fields.end));
  const groups = getGroup(kind, end, thread);
  return {
    card,
    stream,
    kind,
    at,
    isAllDay: day !== undefined,
    end: day === undefined && end !== undefined && end > at ? end : undefined,
    thread: typeof thread === "string" ? thread : undefined,
    isOwn: own?.values.some((value) => value === ownValue) ?? false,
    groupKey: groups === undefined ? undefined : JSON.stringify([connection, declaration.name, groups]),
  };
}

/** What an item may be joined by: its conversation, or merely its kind for photos and positions. */
function getGroup(kind: StreamKind | undefined, end: number | undefined, thread: unknown): string | undefined {
  if (kind === "conversation" || kind === "mail") return typeof thread === "string" ? thread : undefined;
  return kind === "photo" || (kind === "place" && end === undefined) ? "" : undefined;
}

const getInlineValue = (field: FieldPresentation | undefined) => (field?.shown === "inline" ? field.value : undefined);

function parseTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? parseInstant(value) : typeof value === "number" ? value : null;
  return at === null || Math.abs(at) > 8.64e15 ? undefined : at;
}
