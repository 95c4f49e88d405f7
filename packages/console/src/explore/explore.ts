import { citationPath } from "@pdpp/evidence/handles/citation";
import type { Context } from "hono";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { createFileResponse } from "./files.ts";
import { getCitedUrl } from "./record/cited-passage.tsx";
import { respondWithRecord, respondWithText } from "./record/record.ts";
import { readName } from "./request.ts";
import { respondWithSearch } from "./search/search.ts";
import { respondWithRaw, respondWithStream } from "./stream/stream.ts";
import {
  createImpersonatedViewpoint,
  createOwnerViewpoint,
  impersonationPattern,
  type Viewpoint,
} from "./viewpoint.tsx";

/** The owner's pages for browsing the vault, using the same reader as every client. */
export function addExploreRoutes(guard: Guard, parts: ConsoleParts): void {
  addExplorePages(guard, parts, "", (_, session) => createOwnerViewpoint(parts, session));
  // Links on a record's page are relative, so a citation redirects to the page.
  guard.page(`${citationPath}*`, async (c) => c.redirect(getCitedUrl(c), 303));
  // The same pages with the scope of a grant.
  addExplorePages(guard, parts, impersonationPattern, (c, session) =>
    createImpersonatedViewpoint(parts, session, c.req.param("grant") ?? "", parts.getOrigin(c.req.raw)),
  );
}

type GetViewpoint = (c: Context, session: OwnerSession) => Promise<Viewpoint>;

function addExplorePages({ page }: Guard, { now }: ConsoleParts, base: string, getViewpoint: GetViewpoint): void {
  page(`${base}/explore`, async (c, session, viewer) =>
    respondWithSearch(c, await getViewpoint(c, session), viewer, now()),
  );
  page(`${base}/record`, async (c, session, viewer) => respondWithRecord(c, await getViewpoint(c, session), viewer));
  page(`${base}/text`, async (c, session, viewer) => respondWithText(c, await getViewpoint(c, session), viewer));
  page(`${base}/stream`, async (c, session, viewer) => respondWithStream(c, await getViewpoint(c, session), viewer));
  page(`${base}/stream/raw`, async (c, session) => respondWithRaw(c, await getViewpoint(c, session)));
  page(`${base}/file`, async (c, session) => {
    const { reader } = await getViewpoint(c, session);
    const blobId = readName(c, "blob");
    const blob = await reader.readBlob({ blob_id: blobId, connection_id: readName(c, "connection") });
    return createFileResponse(blob, c.req.query("show") === "1", blobId);
  });
}
