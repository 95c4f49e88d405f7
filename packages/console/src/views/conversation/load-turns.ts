import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { WireRecord } from "@pdpp/contract/wire";
import type { ConversationShape } from "./shape.ts";
import { createTurn, type Turn } from "./turn.ts";

/** One page of a conversation. Its cost doesn't depend on the length of the conversation. */

export interface ConversationPlace {
  readonly shape: ConversationShape;
  /** The value that identifies the conversation. */
  readonly conversation: string | undefined;
  /** Turns before and from this instant; undefined shows the newest. */
  readonly around: number | undefined;
}

export interface TurnPage {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** Cursors; undefined at the end of the conversation. */
  readonly earlier: string | undefined;
  readonly later: string | undefined;
}

export type Direction = { readonly way: "earlier" | "later"; readonly cursor: string };

const [turnsAtOnce, turnsEachWay] = [60, 30];
/** Ends a page before long texts make it too large. */
const maxPageChars = 60_000;
const maxFilesPerTurn = 4;

export async function loadTurns(
  reader: ReadApi,
  place: ConversationPlace,
  direction: Direction | undefined,
  zone: string,
): Promise<TurnPage> {
  if (direction !== undefined) {
    const { turns, next } = await loadOneWay(reader, place, direction.way, turnsAtOnce, direction.cursor, zone);
    return {
      turns,
      earlier: direction.way === "earlier" ? next : undefined,
      later: direction.way === "later" ? next : undefined,
    };
  }
  if (place.around === undefined) {
    const { turns, next } = await loadOneWay(reader, place, "earlier", turnsAtOnce, undefined, zone);
    return { turns, earlier: next, later: undefined };
  }
  const before = await loadOneWay(reader, place, "earlier", turnsEachWay, undefined, zone);
  const after = await loadOneWay(reader, place, "later", turnsEachWay, undefined, zone);
  return { turns: [...before.turns, ...after.turns], earlier: before.next, later: after.next };
}

async function loadOneWay(
  reader: ReadApi,
  place: ConversationPlace,
  way: Direction["way"],
  limit: number,
  cursor: string | undefined,
  zone: string,
): Promise<{ readonly turns: readonly Turn[]; readonly next: string | undefined }> {
  const { shape, around } = place;
  const bound = around === undefined ? undefined : formatInstant(around);
  const filter: NonNullable<Input<"queryRecords">["filter"]> = {
    ...buildConversationFilter(place),
    ...(bound === undefined ? {} : { [shape.time]: way === "earlier" ? { lt: bound } : { gte: bound } }),
  };
  const found = await readPage(reader, shape, {
    stream: shape.declaration.name,
    connection_id: shape.source,
    order: way === "earlier" ? "desc" : "asc",
    limit,
    filter,
    fields: listTurnFields(shape),
    max_chars: maxPageChars,
    count: "none",
    ...(cursor === undefined ? {} : { cursor }),
  });
  const records = found.data.filter((item): item is WireRecord => item.object === "record" && "data" in item);
  const sorted = sortTurns(shape, way === "earlier" ? records.reverse() : records);
  return { turns: sorted.map((record) => createTurn(shape, record, zone)), next: found.next_cursor };
}

/** With the files of the turns, if the reader can follow the relationship. */
async function readPage(reader: ReadApi, { files }: ConversationShape, input: Input<"queryRecords">) {
  if (files === undefined) return reader.queryRecords(input);
  const { relationship: name } = files;
  try {
    return await reader.queryRecords({ ...input, expand: [name], expand_limit: { [name]: maxFilesPerTurn } });
  } catch (error) {
    // A grant may not include the files.
    if (error instanceof PdppError && error.status < 500) return reader.queryRecords(input);
    throw error;
  }
}

export const buildConversationFilter = ({ shape, conversation }: Omit<ConversationPlace, "around">) =>
  shape.within === undefined || conversation === undefined ? {} : { [shape.within]: conversation };

const listTurnFields = (shape: ConversationShape): string[] => {
  const { primaryKey } = shape.declaration;
  const { within, by, time, body, actor, own, generated, reactions, attachments, replyTo } = shape;
  const named = [
    within,
    by,
    time,
    body?.name,
    actor?.name,
    own?.field,
    generated?.field,
    reactions,
    attachments,
    replyTo,
  ];
  return [...new Set([...primaryKey, ...named.filter((name) => name !== undefined)])];
};

/** Lists are sorted by time; turns of the same time are sorted by their declared order. */
function sortTurns({ by, time }: ConversationShape, records: readonly WireRecord[]): WireRecord[] {
  const getOrder = ({ data }: WireRecord): number => (typeof data[by] === "number" ? data[by] : 0);
  return records.toSorted((a, b) => (a.data[time] === b.data[time] ? getOrder(a) - getOrder(b) : 0));
}
