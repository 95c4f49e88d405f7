import { buildUrl } from "../../frame/addresses.ts";

/** Which pictures a page shows. */
export interface PhotosQuestion {
  readonly source?: string | undefined;
  readonly stream?: string | undefined;
  /** The month that the overview starts with. */
  readonly at?: string | undefined;
  /** The month that is shown whole, or `undatedMonth`. */
  readonly month?: string | undefined;
  /** Within that month: pictures at or before this instant. */
  readonly before?: number | undefined;
  /** Among pictures without a date: the page, from 1. */
  readonly page?: number | undefined;
}

export const getPhotosUrl = ({ source, stream, at, month, before, page }: PhotosQuestion): string =>
  buildUrl("photos", { source, stream, at, month, before, page });

/** `question` is what the grid showed, for the way back and for the neighbours. */
export const getPhotoUrl = (id: string, { source, stream, at, month, before, page }: PhotosQuestion = {}): string =>
  buildUrl("photo", { id, source, stream, at, month, before, page });
