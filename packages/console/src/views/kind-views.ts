import type { StreamKind } from "@pdpp/contract/declaration";
import { buildUrl, getRecordUrl, getStreamUrl } from "../frame/addresses.ts";
import type { Names } from "../frame/names.ts";
import { getEventsUrl } from "./calendar/calendar-question.ts";
import { getConversationsUrl, getTurnUrl } from "./conversation/addresses.ts";
import { getDocumentUrl } from "./document/document-url.ts";
import { getMailUrl } from "./mail/addresses.ts";
import { getTransactionsUrl } from "./money/money-question.ts";
import { getPhotosUrl, getPhotoUrl } from "./photos/photo-urls.ts";
import { getPlacesUrl } from "./places/place-urls.ts";

/** The pages that show records of a kind as what they are. Their URLs are relative, like those of Explore. */

interface KindView {
  /** The name of the view beside "Table". */
  readonly label: string;
  /** The page with all records of a stream. */
  getStreamUrl?(source: string, stream: string): string;
  /** The page that opens one record; the words of `q` are marked in it. */
  getRecordUrl?(id: string, q?: string): string;
}

const kindViews: { readonly [kind in StreamKind]?: KindView } = {
  event: { label: "Calendar", getStreamUrl: getEventsUrl },
  conversation: { label: "Conversations", getStreamUrl: getConversationsUrl, getRecordUrl: getTurnUrl },
  transaction: { label: "Money", getStreamUrl: getTransactionsUrl },
  photo: {
    label: "Photos",
    getStreamUrl: (source, stream) => getPhotosUrl({ source, stream }),
    getRecordUrl: (id) => getPhotoUrl(id),
  },
  mail: { label: "Mail", getRecordUrl: getMailUrl },
  track: {
    label: "Map",
    getStreamUrl: (source, stream) => getPlacesUrl({ show: "tracks", source, stream }),
    getRecordUrl: (id) => getPlacesUrl({ show: "tracks", id }),
  },
  place: {
    label: "Map",
    getStreamUrl: (source, stream) => getPlacesUrl({ show: "places", source, stream }),
    getRecordUrl: (id) => getPlacesUrl({ show: "places", id }),
  },
  document: { label: "Documents", getRecordUrl: getDocumentUrl },
  person: { label: "People", getRecordUrl: (id) => buildUrl("person", { id }) },
};

export function findKindView(names: Names, source: string, stream: string): KindView | undefined {
  const declaration = names.declaration(source, stream);
  // A source whose manifest is older says only that its records are turns.
  const kind = declaration?.presentation?.kind ?? (declaration?.conversation && "conversation");
  return kind === undefined ? undefined : kindViews[kind];
}

/** All records of a stream: in the view of their kind, else as a table. */
export const getRecordsUrl = (names: Names, source: string, stream: string): string =>
  findKindView(names, source, stream)?.getStreamUrl?.(source, stream) ?? getStreamUrl(source, stream);

/** Where a link to a source leads: to its first stream with a view, else to the table of its first. */
export function getSourceUrl(names: Names, source: string, streams: readonly string[]): string | undefined {
  const shown = streams.find((stream) => findKindView(names, source, stream)?.getStreamUrl !== undefined) ?? streams[0];
  return shown === undefined ? undefined : getRecordsUrl(names, source, shown);
}

interface Place {
  readonly id: string;
  readonly connection_id: string;
  readonly stream: string;
}

/** Where a link to a record leads: to the view of its kind, else to its own page. */
export const getOpenUrl = (names: Names, { id, connection_id, stream }: Place, q?: string): string =>
  findKindView(names, connection_id, stream)?.getRecordUrl?.(id, q) ?? getRecordUrl(id);
