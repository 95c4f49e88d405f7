import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { InstantRange } from "../../days/calendar.ts";
import { toPosition } from "../geography/position.ts";
import { isScattered, type LinePoint, measureAlong, toLine } from "./line-points.ts";
import type { PlaceStream } from "./place-streams.ts";

/** A record with a position or a line. */
export interface Located {
  readonly id: string;
  readonly connection: string;
  readonly stream: PlaceStream;
  readonly title: string | undefined;
  readonly at: number | undefined;
  readonly end: number | undefined;
  /** Empty if it has no usable position; one for a place. */
  readonly points: readonly LinePoint[];
  /** It has several points, but no way between them. */
  readonly isScattered: boolean;
  /** In metres. */
  readonly distance: number | undefined;
  readonly seconds: number | undefined;
  readonly ascent: number | undefined;
}

interface LocatedQuestion {
  /** Without one, records with and without a date. */
  readonly range?: InstantRange | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The newest records of the streams; at most `limit` of each. Those without a date are last. */
export async function loadLocated(
  reader: ReadApi,
  streams: readonly PlaceStream[],
  question: LocatedQuestion,
): Promise<Located[]> {
  const pages = await Promise.all(streams.map((stream) => loadPage(reader, stream, question)));
  return pages.flatMap(({ found }) => found).sort(compareByTime);
}

const compareByTime = (a: Located, b: Located): number => {
  if (a.at === undefined || b.at === undefined) return Number(a.at === undefined) - Number(b.at === undefined);
  return b.at - a.at;
};

export async function loadPage(
  reader: ReadApi,
  stream: PlaceStream,
  { range, cursor, limit }: LocatedQuestion,
): Promise<{ readonly found: readonly Located[]; readonly next: string | undefined }> {
  const filter = range === undefined ? undefined : formatFilter(stream, range);
  const { data, next_cursor } = await reader.queryRecords({
    stream: stream.declaration.name,
    connection_id: stream.connection,
    fields: [...stream.listFields],
    order: "desc",
    limit,
    ...(filter === undefined ? {} : { filter }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const found = data.flatMap((each) =>
    each.object === "record" && "data" in each ? [toLocated(stream, each.id, each.data as JsonObject)] : [],
  );
  return { found, next: next_cursor };
}

function formatFilter({ field }: PlaceStream, { start, end }: InstantRange) {
  if (field === undefined) return undefined;
  const format = (at: number): string => (field.kind === "date" ? formatInstant(at).slice(0, 10) : formatInstant(at));
  return { [field.name]: { gte: format(start), lt: format(end) } };
}

export function toLocated(stream: PlaceStream, recordId: string, data: JsonObject): Located {
  const { connection, declaration, field, title: titleField } = stream;
  const parts = declaration.presentation?.fields ?? {};
  const get = (name: string | undefined): Json | undefined => (name === undefined ? undefined : data[name]);
  const [at, end] = [parseTime(get(field?.name)), parseTime(get(parts.end))];
  const title = get(titleField);
  const line = toLine({
    line: get(parts.line),
    heights: get(parts.line_heights),
    seconds: get(parts.line_seconds),
    gaps: get(parts.line_gaps),
  });
  const points =
    line.length > 0
      ? line
      : listEnds(get(parts.latitude), get(parts.longitude), [get(parts.end_latitude), get(parts.end_longitude)]);
  const measured = line.length > 1 ? measureAlong(line).at(-1) : undefined;
  const hasEnd = at !== undefined && end !== undefined && end >= at;
  return {
    id: formatHandle({ connectionId: connection, stream: declaration.name, recordId }),
    connection,
    stream,
    title: typeof title === "string" && title !== "" ? title : undefined,
    at,
    end: hasEnd ? end : undefined,
    points,
    isScattered: isScattered(line),
    distance: toAmount(get(parts.distance)) ?? (measured === 0 ? undefined : measured),
    seconds: toAmount(get(parts.duration)) ?? (hasEnd && end > at ? (end - at) / 1000 : undefined),
    ascent: toAmount(get(parts.ascent)),
  };
}

/** The start, and the end if it is known. */
function listEnds(
  latitude: Json | undefined,
  longitude: Json | undefined,
  end: readonly (Json | undefined)[],
): LinePoint[] {
  const positions = [toPosition(latitude, longitude), toPosition(end[0], end[1])];
  return positions
    .filter((position) => position !== undefined)
    .map((position, index) => ({ ...position, isAfterGap: index > 0 }));
}

/** The longest way around the world is 40,000 km; more is a mistake. */
const maxAmount = 1e9;
const toAmount = (value: Json | undefined): number | undefined =>
  typeof value === "number" && value >= 0 && value < maxAmount ? value : undefined;

function parseTime(value: Json | undefined): number | undefined {
  const at = typeof value === "string" ? parseInstant(value) : typeof value === "number" ? value : null;
  return at === null || Math.abs(at) > 8.64e15 ? undefined : at;
}
