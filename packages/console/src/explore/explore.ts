import { citationPath } from "@pdpp/evidence/handles/citation";
import type { Context } from "hono";
import { respondWithDay, respondWithNewestDay } from "../days/day.ts";
import type { DayCounter } from "../days/day-counts.ts";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { respondWithCalendar } from "../views/calendar/calendar.ts";
import { respondWithDocument } from "../views/document/document.ts";
import { respondWithMoney } from "../views/money/money.ts";
import type { MonthCounter } from "../views/month-counts.ts";
import { respondWithPhoto } from "../views/photos/photo.ts";
import { respondWithPhotos } from "../views/photos/photos.ts";
import type { UndatedFinder } from "../views/photos/undated.ts";
import { respondWithPlaces } from "../views/places/places.ts";
import type { UndatedLoader } from "../views/places/undated.ts";
import { addTalkPages } from "../views/talk-routes.ts";
import { createFileResponse, createThumbnailResponse } from "./files.ts";
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

/** Counts that outlive requests. */
interface Counters {
  readonly days: DayCounter;
  readonly months: MonthCounter;
  readonly undated: UndatedFinder;
  readonly undatedPlaces: UndatedLoader;
}

/** The owner's pages for browsing the vault, using the same reader as every client. */
export function addExploreRoutes(guard: Guard, parts: ConsoleParts, counters: Counters): void {
  addExplorePages(guard, parts, counters, "", (_, session) => createOwnerViewpoint(parts, session));
  // Links on a record's page are relative, so a citation redirects to the page.
  guard.page(`${citationPath}*`, async (c) => c.redirect(getCitedUrl(c), 303));
  // The same pages with the scope of a grant.
  addExplorePages(guard, parts, counters, impersonationPattern, (c, session) =>
    createImpersonatedViewpoint(parts, session, c.req.param("grant") ?? "", parts.getOrigin(c.req.raw)),
  );
}

type GetViewpoint = (c: Context, session: OwnerSession) => Promise<Viewpoint>;

function addExplorePages(
  guard: Guard,
  parts: ConsoleParts,
  counters: Counters,
  base: string,
  getViewpoint: GetViewpoint,
): void {
  const { page } = guard;
  const { now, loadThumbnail } = parts;
  const { days, months } = counters;
  addTalkPages(guard, parts, base, getViewpoint);
  page(`${base}/day`, async (c, session) => respondWithNewestDay(c, await getViewpoint(c, session), now()));
  page(`${base}/day/:day`, async (c, session, viewer) =>
    respondWithDay(c, await getViewpoint(c, session), viewer, days, now()),
  );
  page(`${base}/photos`, async (c, session, viewer) =>
    respondWithPhotos(c, await getViewpoint(c, session), viewer, counters),
  );
  page(`${base}/places`, async (c, session, viewer) =>
    respondWithPlaces(c, await getViewpoint(c, session), viewer, { months, undated: counters.undatedPlaces }),
  );
  page(`${base}/photo`, async (c, session, viewer) =>
    respondWithPhoto(c, await getViewpoint(c, session), viewer, counters),
  );
  page(`${base}/document`, async (c, session, viewer) =>
    respondWithDocument(c, await getViewpoint(c, session), viewer),
  );
  page(`${base}/explore`, async (c, session, viewer) =>
    respondWithSearch(c, await getViewpoint(c, session), viewer, now()),
  );
  page(`${base}/record`, async (c, session, viewer) => respondWithRecord(c, await getViewpoint(c, session), viewer));
  page(`${base}/text`, async (c, session, viewer) => respondWithText(c, await getViewpoint(c, session), viewer));
  page(`${base}/stream`, async (c, session, viewer) => respondWithStream(c, await getViewpoint(c, session), viewer));
  page(`${base}/stream/raw`, async (c, session) => respondWithRaw(c, await getViewpoint(c, session)));
  page(`${base}/calendar`, async (c, session, viewer) =>
    respondWithCalendar(c, await getViewpoint(c, session), viewer, now()),
  );
  page(`${base}/money`, async (c, session, viewer) => respondWithMoney(c, await getViewpoint(c, session), viewer));
  page(`${base}/file`, async (c, session) => {
    const { reader } = await getViewpoint(c, session);
    const blobId = readName(c, "blob");
    const blob = await reader.readBlob({ blob_id: blobId, connection_id: readName(c, "connection") });
    return createFileResponse(blob, c.req.query("show") === "1", blobId);
  });
  page(`${base}/thumbnail`, async (c, session) => {
    const { reader } = await getViewpoint(c, session);
    const id = readName(c, "blob");
    const { sizeBytes, bytes } = await reader.readBlob({ blob_id: id, connection_id: readName(c, "connection") });
    return createThumbnailResponse(await loadThumbnail(session, { id, sizeBytes, bytes }));
  });
}
