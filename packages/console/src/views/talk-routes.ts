import type { Context } from "hono";
import type { Viewpoint } from "../explore/viewpoint.tsx";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { respondWithConversation } from "./conversation/conversation.ts";
import { createCountsLoader } from "./conversation/conversation-counts.ts";
import { respondWithMail, respondWithMailHtml } from "./mail/mail.ts";

/** Pages of what people wrote to each other. */
export function addTalkPages(
  { page }: Guard,
  { now, loadThumbnail }: ConsoleParts,
  base: string,
  getViewpoint: (c: Context, session: OwnerSession) => Promise<Viewpoint>,
): void {
  const loadCounts = createCountsLoader(now);
  page(`${base}/conversation`, async (c, session, viewer) =>
    respondWithConversation(c, await getViewpoint(c, session), viewer, loadCounts),
  );
  page(`${base}/mail`, async (c, session, viewer) => respondWithMail(c, await getViewpoint(c, session), viewer, now()));
  page(`${base}/mail/html`, async (c, session) =>
    respondWithMailHtml(c, await getViewpoint(c, session), (blob) => loadThumbnail(session, blob)),
  );
}
