import { PdppError } from "@pdpp/contract/errors";
import type { EvidenceCard } from "@pdpp/contract/wire";
import type { Context } from "hono";
import { readName, readText } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { getStreamUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { renderConversationsPage } from "./conversations-page.tsx";
import { findConversationShape, findTurnsOf } from "./shape.ts";

/** The conversations of a source, newest first. */

const conversationsAtOnce = 50;

export async function respondWithConversations(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const { reader, names, impersonatedGrant } = viewpoint;
  const [source, stream] = [readName(c, "source"), readName(c, "stream")];
  if (names.declaration(source, stream) === undefined)
    throw new PdppError("not_found", "this link doesn't point to a source");
  const shape = findTurnsOf(names, source, stream) ?? findConversationShape(names, source, stream);
  const listed = shape?.conversations;
  if (shape === undefined || listed === undefined || names.declaration(source, listed) === undefined)
    return c.redirect(getStreamUrl(source, stream), 303);
  const found = await reader.queryRecords({
    stream: listed,
    connection_id: source,
    order: "desc",
    limit: conversationsAtOnce,
    view: "evidence",
    cursor: readText(c, "cursor"),
  });
  const view = {
    source,
    stream: shape.declaration.name,
    cards: found.data.filter((item): item is EvidenceCard => item.object === "evidence_card"),
    next: found.next_cursor,
    names,
    impersonatedGrant,
    viewer,
  };
  return c.html(renderConversationsPage(view), 200, buildPageHeaders());
}
