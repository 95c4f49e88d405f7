import type { Point, Projection } from "../geography/projection.ts";
import { type LinePoint, measureAlong } from "./line-points.ts";
import type { Located } from "./located.ts";

/** Where the slider leads: positions along a track, evenly spread over its time, or over its length if it has no times. */

export interface TrackStop extends Point {
  /** Since the start of the track. */
  readonly seconds: number | undefined;
  readonly height: number | undefined;
  /** Metres since the start. */
  readonly along: number;
  /** Metres a second. */
  readonly speed: number | undefined;
  /** In a gap. */
  readonly isUnrecorded: boolean;
}

export interface TrackStops {
  readonly stops: readonly TrackStop[];
  /** Only the start and the end have a time. */
  readonly isTimeEstimated: boolean;
}

const maxStops = 120;
const minStops = 20;

/** Empty if no part of it was recorded. */
export function listStops(track: Located, { project }: Projection): TrackStops {
  const { points } = track;
  const isTimeEstimated = points.filter(({ seconds }) => seconds !== undefined).length < 2;
  if (points.every(({ isAfterGap }, index) => index === 0 || isAfterGap)) return { stops: [], isTimeEstimated };
  const along = scaleAlong(track);
  const seconds = fillTimes(track, along, isTimeEstimated);
  const axis = seconds ?? along;
  const [first, last] = [axis[0] ?? 0, axis.at(-1) ?? 0];
  const count = Math.max(minStops, Math.min(maxStops, points.length));
  let index = 1;
  const stops = Array.from({ length: count }, (_, n): TrackStop => {
    const value = first + ((last - first) * n) / (count - 1);
    while (index < points.length - 1 && (axis[index] ?? 0) < value) index += 1;
    const [from, to] = [points[index - 1]!, points[index]!];
    const span = (axis[index] ?? 0) - (axis[index - 1] ?? 0);
    const share = span > 0 ? Math.min(1, Math.max(0, (value - (axis[index - 1] ?? 0)) / span)) : n === 0 ? 0 : 1;
    const blend = (a: number, b: number): number => a + (b - a) * share;
    const isUnrecorded = to.isAfterGap && share > 0 && share < 1;
    const second = seconds && blend(seconds[index - 1]!, seconds[index]!);
    return {
      ...blendPoints(project(from.longitude, from.latitude), project(to.longitude, to.latitude), from, to, share),
      seconds: second,
      height: isUnrecorded ? undefined : blendHeights(from, to, share),
      along: blend(along[index - 1]!, along[index]!),
      speed: isTimeEstimated || isUnrecorded || span <= 0 ? undefined : (along[index]! - along[index - 1]!) / span,
      isUnrecorded,
    };
  });
  return { stops, isTimeEstimated };
}

/** A line of a few points is shorter than the way. */
function scaleAlong({ points, distance }: Located): number[] {
  const along = measureAlong(points);
  const total = along.at(-1) ?? 0;
  const scale = distance === undefined || total === 0 ? 1 : distance / total;
  // Otherwise they are not about the same way.
  return scale > 0.5 && scale < 2 ? along.map((each) => each * scale) : along;
}

/** Seconds at each point. Unknown ones are estimated from the distance between those that are known. */
function fillTimes(
  { points, at, end }: Located,
  along: readonly number[],
  isTimeEstimated: boolean,
): number[] | undefined {
  const known = points.map(({ seconds }) => seconds);
  if (isTimeEstimated) {
    if (at === undefined || end === undefined || end <= at) return undefined;
    known.fill(undefined);
    known[known.length - 1] = (end - at) / 1000;
  }
  known[0] ??= 0;
  known[known.length - 1] ??= Math.max(...known.map((each) => each ?? 0));
  let before = 0;
  return known.map((second, index) => {
    if (second !== undefined) {
      before = index;
      return second;
    }
    const after = known.findIndex((each, at) => at > index && each !== undefined);
    const span = along[after]! - along[before]!;
    const share = span > 0 ? (along[index]! - along[before]!) / span : 0;
    return known[before]! + (known[after]! - known[before]!) * share;
  });
}

function blendPoints(a: Point, b: Point, from: LinePoint, to: LinePoint, share: number): Point {
  // Across the antimeridian there is nothing between them on the map.
  if (Math.abs(from.longitude - to.longitude) > 180) return share < 0.5 ? a : b;
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

function blendHeights(from: LinePoint, to: LinePoint, share: number): number | undefined {
  if (from.height !== undefined && to.height !== undefined) return from.height + (to.height - from.height) * share;
  return share === 0 ? from.height : share === 1 ? to.height : undefined;
}
