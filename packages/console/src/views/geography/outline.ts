import { readFileSync } from "node:fs";
import { clipRing, formatPath, type Projection, simplify } from "./projection.ts";

/** The land of the world, from Natural Earth at 1:50 million. It is part of the program: no map is loaded from elsewhere. */

type Coordinates = readonly [longitude: number, latitude: number];

interface Ring {
  readonly points: readonly Coordinates[];
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

interface Topology {
  readonly transform: { readonly scale: Coordinates; readonly translate: Coordinates };
  readonly arcs: readonly (readonly Coordinates[])[];
  readonly objects: {
    readonly land: { readonly geometries: readonly { readonly arcs: readonly (readonly (readonly number[])[])[] }[] };
  };
}

let rings: readonly Ring[] | undefined;

function loadRings(): readonly Ring[] {
  if (rings !== undefined) return rings;
  const file = new URL(import.meta.resolve("world-atlas/land-50m.json"));
  rings = decodeRings(JSON.parse(readFileSync(file, "utf8")));
  return rings;
}

/** TopoJSON stores each line once, as differences between whole numbers; a negative number is a line in reverse. */
function decodeRings({ transform: { scale, translate }, arcs, objects }: Topology): Ring[] {
  const lines = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]): Coordinates => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  const getLine = (index: number): readonly Coordinates[] => (index >= 0 ? lines[index]! : lines[~index]!.toReversed());
  return objects.land.geometries.flatMap(({ arcs: polygons }) =>
    polygons.flatMap((polygon) => polygon.map((ring) => measureRing(ring, getLine))),
  );
}

function measureRing(indexes: readonly number[], getLine: (index: number) => readonly Coordinates[]): Ring {
  const points = indexes.flatMap((index) => getLine(index));
  const [longitudes, latitudes] = [points.map(([each]) => each), points.map(([, each]) => each)];
  return {
    points,
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
  };
}

const maxCached = 30;
const paths = new Map<string, string>();

/** The land in view, as a path. */
export function drawOutline(projection: Projection): string {
  const { bounds, width, height } = projection;
  const key = [bounds.west, bounds.south, bounds.east, bounds.north, width].map((each) => each.toFixed(4)).join(" ");
  const cached = paths.get(key);
  if (cached !== undefined) return cached;
  const path = loadRings()
    .filter(
      ({ west, south, east, north }) =>
        west < bounds.east && east > bounds.west && south < bounds.north && north > bounds.south,
    )
    .map(({ points }) => {
      const projected = points.map(([longitude, latitude]) => projection.project(longitude, latitude));
      return simplify(clipRing(simplify(projected, 0.5), { width, height }), 1);
    })
    .filter((points) => points.length > 2)
    .map((points) => formatPath(points, true))
    .join("");
  const [oldest] = paths.keys();
  if (paths.size >= maxCached && oldest !== undefined) paths.delete(oldest);
  paths.set(key, path);
  return path;
}
