import { createHash } from "node:crypto";
import type { Json } from "@pdpp/contract/declaration";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import type { PictureStream } from "./picture-streams.ts";

export interface Picture {
  readonly id: string;
  readonly connection: string;
  readonly stream: PictureStream;
  readonly card: EvidenceCard;
  readonly title: string;
  readonly at: number | undefined;
  readonly blob: string | undefined;
  readonly mediaType: string;
  readonly sizeBytes: number | undefined;
}

export interface DatedPicture extends Picture {
  readonly at: number;
}

/** Instants: `from` included; `to` included only if `isClosed`. */
export interface PictureRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly isClosed?: boolean;
}

/** The newest pictures of the streams in a range, or the oldest; at most `limit` of each stream. */
export async function loadPictures(
  reader: ReadApi,
  streams: readonly PictureStream[],
  range: PictureRange,
  limit: number,
  order: "asc" | "desc" = "desc",
): Promise<DatedPicture[]> {
  const asked = streams.flatMap((stream) => stream.filters.map((filter) => ({ stream, filter })));
  const pages = await Promise.all(
    asked.map(async ({ stream, filter }) => {
      const { connection, declaration } = stream;
      const { data } = await reader.queryRecords({
        stream: declaration.name,
        connection_id: connection,
        filter: { ...filter, ...formatRange(stream, range) },
        view: "evidence",
        order,
        limit,
      });
      return data.flatMap((card) => (card.object === "evidence_card" ? toPicture(card, stream) : [])).filter(hasDate);
    }),
  );
  const sign = order === "desc" ? -1 : 1;
  return pages.flat().sort((a, b) => sign * comparePictures(a, b));
}

export const hasDate = (picture: Picture): picture is DatedPicture => picture.at !== undefined;

export const comparePictures = (a: DatedPicture, b: DatedPicture): number => a.at - b.at || (a.id < b.id ? -1 : 1);

function formatRange({ field }: PictureStream, { from, to, isClosed }: PictureRange) {
  const format = (at: number): string => (field.kind === "date" ? formatInstant(at).slice(0, 10) : formatInstant(at));
  const bounds = {
    ...(from === undefined ? {} : { gte: format(from) }),
    ...(to === undefined ? {} : { [isClosed ? "lte" : "lt"]: format(to) }),
  };
  return Object.keys(bounds).length === 0 ? {} : { [field.name]: bounds };
}

export function toPicture(card: EvidenceCard, stream: PictureStream): Picture {
  const fields = listPresentedFields(card);
  const [file] = fields.flatMap((each) => (each.shown === "blob" ? each.references : []));
  const { media_type: type } = stream.declaration.presentation?.fields ?? {};
  const declared = fields.find(({ field_path }) => field_path === type);
  const mediaType = declared?.shown === "inline" ? declared.value : undefined;
  return {
    id: card.id,
    connection: card.connection_id,
    stream,
    card,
    title: card.title,
    at: parseTime(card.event_time),
    blob: file?.blob_id,
    mediaType: (asText(mediaType) ?? file?.mime_type ?? "").toLowerCase(),
    sizeBytes: file?.size_bytes,
  };
}

const asText = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

export function parseTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? parseInstant(value) : typeof value === "number" ? value : null;
  return at === null || Math.abs(at) > 8.64e15 ? undefined : at;
}

/** Types that a thumbnail can be made of. */
const thumbnailTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/jpg", "image/png", "image/webp"]);
/** Types that browsers show. The server checks the bytes again. */
const shownTypes: ReadonlySet<string> = new Set([...thumbnailTypes, "image/gif"]);

export const hasThumbnail = ({ blob, mediaType }: Picture): boolean =>
  blob !== undefined && thumbnailTypes.has(mediaType);
export const isShown = ({ blob, mediaType }: Picture): boolean => blob !== undefined && shownTypes.has(mediaType);

/** HEIC, MP4: what a tile says in place of a picture. */
export function formatKind(mediaType: string): string {
  const [, kind = ""] = /^[\w.-]+\/(?:x-)?([\w.-]{1,20})/.exec(mediaType) ?? [];
  return kind === "" ? "File" : kind.toUpperCase();
}

/** The id of a picture's tile, to return to it. */
export const getTileId = (id: string): string =>
  `p-${createHash("sha256").update(id).digest("base64url").slice(0, 10)}`;
