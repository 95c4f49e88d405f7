import { PdppError } from "@pdpp/contract/errors";
import { parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { SingleCard } from "@pdpp/contract/wire";
import { formatHandle, type RecordHandle } from "@pdpp/evidence/handles/handle";
import { parseLocalInstant } from "@pdpp/evidence/text/local-time";
import type { Context } from "hono";
import { readHandle, readText, toReadInput } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { getRecordUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { readString } from "../field-values.ts";
import type { LoadCounts } from "./conversation-counts.ts";
import { renderConversationPage } from "./conversation-page.tsx";
import { respondWithConversations } from "./conversations.ts";
import { type ConversationPlace, type Direction, loadTurns } from "./load-turns.ts";
import { findMatches } from "./matches.ts";
import { loadReplied } from "./replied-turns.ts";
import { type ConversationShape, findConversationShape, findTurnsOf } from "./shape.ts";

/** A conversation as turns, opened at a turn or at its end. */

export async function respondWithConversation(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  loadCounts: LoadCounts,
): Promise<Response> {
  if (c.req.query("id") === undefined) return respondWithConversations(c, viewpoint, viewer);
  const { reader, names, impersonatedGrant, timeZone } = viewpoint;
  const handle = readHandle(c);
  const opened = await openConversation(viewpoint, handle);
  if (opened === undefined) return c.redirect(getRecordUrl(formatHandle(handle)), 303);
  const { shape, conversation } = opened;
  const month = readText(c, "month");
  const from = month === undefined ? null : parseLocalInstant(`${month.slice(0, 7)}-01`, timeZone);
  const place: ConversationPlace = { shape, conversation, around: from ?? opened.at };
  const direction = readDirection(c);
  const q = readText(c, "q");
  const page = await loadTurns(reader, place, direction, timeZone);
  const isTurn = opened.at !== undefined;
  const isStart = c.req.query("start") === "1" || from !== null || direction !== undefined || !isTurn;
  const matches = await findMatches(reader, place, q);
  const view = {
    id: formatHandle(handle),
    q,
    month: from === null ? undefined : month,
    shape,
    page,
    direction: direction?.way,
    isEnd: page.later === undefined && direction?.way !== "earlier",
    openedId: isStart ? undefined : formatHandle(handle),
    head: await loadHead(reader, shape, conversation),
    conversation,
    matches,
    replied: await loadReplied(reader, shape, page.turns),
    counts: direction === undefined ? await loadCounts(viewpoint.viewKey, reader, place, timeZone) : undefined,
    readers: isStart ? undefined : await viewpoint.renderReaders(handle, undefined),
    names,
    timeZone,
    impersonatedGrant,
    viewer,
  };
  return c.html(renderConversationPage(view), 200, buildPageHeaders(undefined, "reads on"));
}

function readDirection(c: Context): Direction | undefined {
  const [earlier, later] = [readText(c, "earlier"), readText(c, "later")];
  if (earlier !== undefined) return { way: "earlier", cursor: earlier };
  return later === undefined ? undefined : { way: "later", cursor: later };
}

interface OpenedConversation {
  readonly shape: ConversationShape;
  readonly conversation: string | undefined;
  /** The time of the opened turn; undefined for a record of the whole conversation. */
  readonly at: number | undefined;
}

/** Undefined if the record is no turn, or the grant doesn't include what a conversation needs. */
async function openConversation(
  { reader, names }: Viewpoint,
  handle: RecordHandle,
): Promise<OpenedConversation | undefined> {
  const { connectionId: source, stream, recordId } = handle;
  const turns = findTurnsOf(names, source, stream);
  if (turns !== undefined) return { shape: turns, conversation: recordId, at: undefined };
  const shape = findConversationShape(names, source, stream);
  if (shape === undefined) return undefined;
  const fields = [shape.time, ...(shape.within === undefined ? [] : [shape.within])];
  const record = await reader.fetch({ ...toReadInput(handle), fields });
  if (record.object !== "record") return undefined;
  const conversation = readString(record.data, shape.within);
  const at = parseInstant(readString(record.data, shape.time) ?? "");
  if (at === null || (shape.within !== undefined && conversation === undefined)) return undefined;
  return { shape, conversation, at };
}

/** The record of the conversation, if there is one to read. */
async function loadHead(
  reader: ReadApi,
  { source, conversations }: ConversationShape,
  conversation: string | undefined,
): Promise<SingleCard | undefined> {
  if (conversations === undefined || conversation === undefined) return undefined;
  try {
    const card = await reader.fetch({
      stream: conversations,
      connection_id: source,
      record_id: conversation,
      view: "evidence",
    });
    return card.object === "evidence_card" ? card : undefined;
  } catch (error) {
    if (error instanceof PdppError && error.status < 500) return undefined;
    throw error;
  }
}
