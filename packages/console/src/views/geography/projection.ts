import { measureDistance, type Position } from "./position.ts";

/** Draws a part of the globe on a rectangle. All results are finite, whatever the positions are. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** In degrees. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface Projection extends Size {
  readonly bounds: Bounds;
  /** Pixels per degree of latitude. */
  readonly scale: number;
  project(longitude: number, latitude: number): Point;
}

/** The poles are left out: nothing on a flat map is right there. */
const maxLatitude = 85;
/** About 500 metres, so that a single place has surroundings. */
const minSpan = 0.005;

/** Undefined without positions. */
export function findBounds(positions: readonly Position[]): Bounds | undefined {
  if (positions.length === 0) return undefined;
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const { latitude, longitude } of positions) {
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return { west, south, east, north };
}

export const world: Bounds = { west: -180, south: -60, east: 180, north: 80 };

/** Fits the bounds into the rectangle, with a margin, in the proportions of their middle latitude. */
export function createProjection({ west, south, east, north }: Bounds, { width, height }: Size): Projection {
  const middle = clamp((south + north) / 2, -maxLatitude, maxLatitude);
  const center = clamp((west + east) / 2, -180, 180);
  const narrowing = Math.cos((middle * Math.PI) / 180);
  const margin = 1.25;
  const scale = Math.min(
    width / (Math.max((east - west) * margin, minSpan / narrowing) * narrowing),
    height / Math.max((north - south) * margin, minSpan),
  );
  const limit = 20 * Math.max(width, height);
  const project = (longitude: number, latitude: number): Point => ({
    x: clamp(width / 2 + (longitude - center) * narrowing * scale, -limit, limit),
    y: clamp(height / 2 - (latitude - middle) * scale, -limit, limit),
  });
  const [halfWidth, halfHeight] = [width / 2 / (scale * narrowing), height / 2 / scale];
  const bounds = {
    west: center - halfWidth,
    east: center + halfWidth,
    south: middle - halfHeight,
    north: middle + halfHeight,
  };
  return { width, height, bounds, scale, project };
}

const clamp = (value: number, min: number, max: number): number =>
  Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : value === Number.POSITIVE_INFINITY ? max : min;

/** Points that are nearly on the line between their neighbours do not show. */
export function simplify(points: readonly Point[], tolerance: number): Point[] {
  const kept: Point[] = [];
  for (const [index, point] of points.entries()) {
    const last = kept.at(-1);
    const isEnd = index === points.length - 1;
    if (last === undefined || isEnd || Math.hypot(point.x - last.x, point.y - last.y) >= tolerance) kept.push(point);
  }
  return kept;
}

type Edge = readonly [isInside: (point: Point) => boolean, cross: (a: Point, b: Point) => Point];

/** Cuts a polygon at the rectangle, one edge after the other (Sutherland and Hodgman). */
export function clipRing(ring: readonly Point[], { width, height }: Size): Point[] {
  const atX = (x: number) => (a: Point, b: Point) => ({ x, y: a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x) });
  const atY = (y: number) => (a: Point, b: Point) => ({ x: a.x + ((b.x - a.x) * (y - a.y)) / (b.y - a.y), y });
  // A little more than the rectangle, so that its border is not drawn as a coast.
  const edges: readonly Edge[] = [
    [({ x }) => x >= -2, atX(-2)],
    [({ x }) => x <= width + 2, atX(width + 2)],
    [({ y }) => y >= -2, atY(-2)],
    [({ y }) => y <= height + 2, atY(height + 2)],
  ];
  let points = [...ring];
  for (const [isInside, cross] of edges) {
    const cut: Point[] = [];
    for (const [index, point] of points.entries()) {
      const before = points.at(index - 1)!;
      if (isInside(point) !== isInside(before)) cut.push(cross(before, point));
      if (isInside(point)) cut.push(point);
    }
    points = cut;
  }
  return points;
}

const formatPoint = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

export const formatPath = (points: readonly Point[], isClosed = false): string =>
  points.length === 0 ? "" : `M${points.map(formatPoint).join("L")}${isClosed ? "Z" : ""}`;

/** Lines of longitude and latitude at round degrees, as a path. */
export function drawGraticule({ bounds, width, height, project }: Projection): string {
  const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60];
  const span = Math.max(bounds.east - bounds.west, bounds.north - bounds.south);
  const step = steps.find((each) => span / each <= 8) ?? 90;
  const paths: string[] = [];
  for (let at = Math.ceil(bounds.west / step) * step; at < bounds.east; at += step)
    paths.push(`M${project(at, 0).x.toFixed(1)} 0V${height}`);
  for (let at = Math.ceil(bounds.south / step) * step; at < bounds.north; at += step)
    paths.push(`M0 ${project(0, at).y.toFixed(1)}H${width}`);
  return paths.join("");
}

/** A round distance that is at most a fifth of the width. */
export function findScaleBar({ bounds, width }: Projection): { readonly meters: number; readonly pixels: number } {
  const middle = clamp((bounds.south + bounds.north) / 2, -maxLatitude, maxLatitude);
  const perPixel =
    measureDistance({ latitude: middle, longitude: 0 }, { latitude: middle, longitude: 0.0001 }) * 10_000;
  const meters = ((bounds.east - bounds.west) * perPixel) / 5;
  const power = 10 ** Math.floor(Math.log10(Math.max(meters, 1)));
  const round = ([5, 2, 1].find((each) => each * power <= meters) ?? 1) * power;
  return { meters: round, pixels: (round / (meters * 5)) * width };
}
