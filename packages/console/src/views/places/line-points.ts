import type { Json } from "@pdpp/contract/declaration";
import { measureDistance, type Position, toPosition } from "../geography/position.ts";

/** The line of a track, from records that may hold anything. */

export interface LinePoint extends Position {
  /** Metres above sea level. */
  readonly height?: number;
  /** Since the start of the track. */
  readonly seconds?: number;
  /** Nothing was recorded between the point before and this one. */
  readonly isAfterGap: boolean;
}

/** The line, and lists about its points. */
export interface LineValues {
  readonly line: Json | undefined;
  readonly heights?: Json | undefined;
  readonly seconds?: Json | undefined;
  readonly gaps?: Json | undefined;
}

/** More points of a line would not be seen. */
const maxLinePoints = 500;
/** In metres. Balloons fly higher than mountains, and submarines are below the sea. */
const maxHeight = 50_000;
const maxSeconds = 1e9;

export function toLine({ line, heights, seconds, gaps }: LineValues): LinePoint[] {
  if (!Array.isArray(line)) return [];
  const step = Math.max(1, Math.ceil(line.length / maxLinePoints));
  const breaks = listBreaks(gaps, step);
  const points: LinePoint[] = [];
  let latest = 0;
  let isAfterGap = false;
  for (let index = 0; index < line.length; index += step) {
    isAfterGap ||= breaks.has(index / step);
    const point = line[index];
    const position = Array.isArray(point) ? toPosition(point[0], point[1]) : undefined;
    if (position === undefined) continue;
    const height = toBounded(getItem(heights, index), -maxHeight, maxHeight);
    // A clock that runs backwards was wrong before or is wrong now.
    const time = toBounded(getItem(seconds, index), latest, maxSeconds);
    latest = time ?? latest;
    points.push({
      ...position,
      ...(height === undefined ? {} : { height }),
      ...(time === undefined ? {} : { seconds: time }),
      isAfterGap: isAfterGap && points.length > 0,
    });
    isAfterGap = false;
  }
  return points;
}

const getItem = (list: Json | undefined, index: number): Json | undefined =>
  Array.isArray(list) ? list[index] : undefined;

const toBounded = (value: Json | undefined, min: number, max: number): number | undefined =>
  typeof value === "number" && value >= min && value <= max ? value : undefined;

/** The kept points with a gap before them. One before a point that is left out counts for the next. */
const listBreaks = (gaps: Json | undefined, step: number): ReadonlySet<number> =>
  new Set(Array.isArray(gaps) ? gaps.map((gap) => (typeof gap === "number" ? Math.ceil(gap / step) : -1)) : []);

/** Metres from the start to each point. Gaps do not count. */
export function measureAlong(points: readonly LinePoint[]): number[] {
  let sum = 0;
  return points.map((point, index) => {
    const before = points[index - 1];
    if (before !== undefined && !point.isAfterGap) sum += measureDistance(before, point);
    return sum;
  });
}

/** Places without a way between them, such as waypoints. */
export const isScattered = (points: readonly LinePoint[]): boolean =>
  points.length > 1 && points.every(({ isAfterGap }, index) => index === 0 || isAfterGap);
