import { PdppError } from "@pdpp/contract/errors";
import type { Context } from "hono";
import { readHandle, toReadInput } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { getRecordUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { findGrid, findUndatedPlace } from "./find-grid.ts";
import { renderPhotoPage } from "./photo-page.tsx";
import { type PictureCounters, readPhotosQuestion, selectStreams } from "./photos.ts";
import { listPictureStreams, type PictureStream } from "./picture-streams.ts";
import { comparePictures, type DatedPicture, hasDate, loadPictures, type Picture, toPicture } from "./pictures.ts";

/** One picture, with the one before and the one after it. */

/** Pictures taken at the same instant, such as a burst. */
const maxAtOnce = 40;

export async function respondWithPhoto(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  counters: PictureCounters,
): Promise<Response> {
  const { reader, names, timeZone: zone, impersonatedGrant } = viewpoint;
  const place = readHandle(c);
  const asked = readPhotosQuestion(c);
  const card = await reader.fetch({ ...toReadInput(place), view: "evidence" });
  if (card.object !== "evidence_card") throw new PdppError("not_found", "this record doesn't exist");
  const all = await listPictureStreams(reader, names);
  const own = all.find(
    ({ connection, declaration: { name } }) => connection === place.connectionId && name === place.stream,
  );
  if (own === undefined) return c.redirect(getRecordUrl(card.id), 303);
  const picture = toPicture(card, own);
  const selected = selectStreams(all, asked);
  const opened = { viewpoint, streams: selected.length === 0 ? [own] : selected, counters, question: asked };
  const { question, ...neighbours } = hasDate(picture)
    ? { question: await findGrid(opened, picture), ...(await findNeighbours(viewpoint, opened.streams, picture)) }
    : await findUndatedPlace(opened, picture);
  const page = renderPhotoPage({ picture, question, neighbours, zone, names, viewer, impersonatedGrant });
  return c.html(page, 200, buildPageHeaders());
}

export interface Neighbours {
  readonly newer: Picture | undefined;
  readonly older: Picture | undefined;
}

async function findNeighbours(
  { reader }: Viewpoint,
  streams: readonly PictureStream[],
  picture: DatedPicture,
): Promise<Neighbours> {
  const [later, earlier] = await Promise.all([
    loadPictures(reader, streams, { from: picture.at }, maxAtOnce, "asc"),
    loadPictures(reader, streams, { to: picture.at, isClosed: true }, maxAtOnce, "desc"),
  ]);
  return {
    newer: later.find((each) => comparePictures(each, picture) > 0 && each.id !== picture.id),
    older: earlier.find((each) => comparePictures(each, picture) < 0 && each.id !== picture.id),
  };
}
