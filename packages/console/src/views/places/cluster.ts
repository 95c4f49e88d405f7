import type { Projection } from "../geography/projection.ts";
import type { Located } from "./located.ts";

/** Places that are close together on the map, drawn as one dot. */
export interface Cluster {
  readonly x: number;
  readonly y: number;
  readonly places: readonly Located[];
  /** The most frequent name. */
  readonly label: string | undefined;
}

const cellPixels = 28;

export function clusterPlaces(places: readonly Located[], { project, width, height }: Projection): Cluster[] {
  const cells = new Map<string, { x: number; y: number; places: Located[] }>();
  for (const place of places) {
    const [position] = place.points;
    if (position === undefined) continue;
    const { x, y } = project(position.longitude, position.latitude);
    if (x < 0 || y < 0 || x > width || y > height) continue;
    const key = `${Math.floor(x / cellPixels)} ${Math.floor(y / cellPixels)}`;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, { x, y, places: [place] });
    else cell.places.push(place);
  }
  return [...cells.values()]
    .map((cell) => ({ ...cell, label: findLabel(cell.places) }))
    .sort((a, b) => b.places.length - a.places.length);
}

function findLabel(places: readonly Located[]): string | undefined {
  const names = Map.groupBy(
    places.flatMap(({ title }) => title ?? []),
    (title) => title,
  );
  return [...names].sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
