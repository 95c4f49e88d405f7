import type { Html } from "../../frame/frame.tsx";
import { drawOutline } from "../geography/outline.ts";
import { formatPosition } from "../geography/position.ts";
import {
  drawGraticule,
  findScaleBar,
  formatPath,
  type Point,
  type Projection,
  simplify,
} from "../geography/projection.ts";
import type { Cluster } from "./cluster.ts";
import { formatDistance } from "./formats.ts";
import type { LinePoint } from "./line-points.ts";
import type { Located } from "./located.ts";

export interface MapView {
  readonly projection: Projection;
  readonly chosen: Located | undefined;
  readonly others: readonly Located[];
  readonly clusters: readonly Cluster[];
  /** Describes the map in words. */
  readonly label: string;
}

const maxLabels = 10;
const maxLabelChars = 28;

export function renderMap({ projection, chosen, others, clusters, label }: MapView): Html {
  const { width, height, bounds } = projection;
  const middle = formatPosition((bounds.south + bounds.north) / 2, (bounds.west + bounds.east) / 2);
  const bar = findScaleBar(projection);
  const end = width - 16;
  return (
    <svg class="map" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path class="land" d={drawOutline(projection)} />
      <path class="graticule" d={drawGraticule(projection)} />
      {clusters.length === 0 && others.map((each) => renderLine(each, projection, "other"))}
      {clusters.map((cluster) => renderDot(cluster))}
      {clusters
        .slice(0, maxLabels)
        .map(({ x, y, label: words }) => (words === undefined ? "" : renderLabel({ x, y: y - 12 }, words, width)))}
      {chosen !== undefined && renderChosen(chosen, projection)}
      <text class="map-note" x="12" y={height - 12}>
        {middle}
      </text>
      <path class="scale-bar" d={`M${end - bar.pixels} ${height - 18}v6h${bar.pixels}v-6`} />
      <text class="map-note" x={end} y={height - 24} text-anchor="end">
        {formatDistance(bar.meters)}
      </text>
    </svg>
  );
}

interface TrackPaths {
  readonly recorded: string;
  readonly gaps: string;
}

/** Parts that cross the antimeridian are lines of their own. */
function drawPaths(points: readonly LinePoint[], { project }: Projection): TrackPaths {
  const lines: Point[][] = [];
  const gaps: Point[][] = [];
  for (const [index, { latitude, longitude, isAfterGap }] of points.entries()) {
    const point = project(longitude, latitude);
    const before = points[index - 1];
    const isNear = before !== undefined && Math.abs(before.longitude - longitude) <= 180;
    if (isNear && isAfterGap) gaps.push([project(before.longitude, before.latitude), point]);
    if (!isNear || isAfterGap) lines.push([]);
    lines.at(-1)?.push(point);
  }
  const recorded = lines.filter((line) => line.length > 1).map((line) => formatPath(simplify(line, 1)));
  return { recorded: recorded.join(""), gaps: gaps.map((line) => formatPath(line)).join("") };
}

function renderLine({ points, isScattered }: Located, projection: Projection, name: "other" | "chosen"): Html {
  if (isScattered || points.length === 1) return <>{points.map((point) => renderSpot(point, projection))}</>;
  const { recorded, gaps } = drawPaths(points, projection);
  return (
    <>
      {recorded !== "" && <path class={`track ${name}`} d={recorded} />}
      {gaps !== "" && <path class={`track gap ${name}`} d={gaps} />}
    </>
  );
}

function renderSpot({ latitude, longitude }: LinePoint, { project }: Projection): Html {
  const { x, y } = project(longitude, latitude);
  return <circle class="dot" cx={x.toFixed(1)} cy={y.toFixed(1)} r="4" />;
}

function renderChosen(chosen: Located, projection: Projection): Html {
  const [first, last] = [chosen.points[0], chosen.points.at(-1)];
  if (first === undefined || last === undefined) return <></>;
  const start = projection.project(first.longitude, first.latitude);
  const end = projection.project(last.longitude, last.latitude);
  const [x, y] = [start.x.toFixed(1), start.y.toFixed(1)];
  const isTrack = chosen.points.length > 1 && !chosen.isScattered;
  return (
    <>
      {renderLine(chosen, projection, "chosen")}
      {(isTrack || chosen.points.length === 1) && <circle class="start" cx={x} cy={y} r="7" />}
      {isTrack && <circle class="end" cx={end.x.toFixed(1)} cy={end.y.toFixed(1)} r="4" />}
      {isTrack && <circle id="map-position" class="position" cx={x} cy={y} r="8" hidden />}
      {chosen.title !== undefined &&
        renderLabel(placeLabel(chosen, start, projection), chosen.title, projection.width, start)}
    </>
  );
}

/** Above or below the start, where the track is not; beside it at the edge of the map. */
function placeLabel({ points }: Located, start: Point, { project, height }: Projection): Point {
  const middle =
    points.reduce((sum, { latitude, longitude }) => sum + project(longitude, latitude).y, 0) / points.length;
  const y = middle > start.y ? start.y - 16 : start.y + 28;
  return y < 20 || y > height - 40 ? { x: start.x + 14, y: start.y + 5 } : { x: start.x, y };
}

function renderDot({ x, y, places }: Cluster): Html {
  const radius = Math.min(12, 4 + Math.log2(places.length) * 1.5);
  return <circle class="dot" cx={x.toFixed(1)} cy={y.toFixed(1)} r={radius.toFixed(1)} />;
}

function renderLabel({ x, y }: Point, words: string, width: number, about: Point = { x, y }): Html {
  const text = words.length > maxLabelChars ? `${words.slice(0, maxLabelChars).toWellFormed()}…` : words;
  const isBeside = x !== about.x;
  const anchor = isBeside || x < width * 0.2 ? "start" : x > width * 0.8 ? "end" : "middle";
  return (
    <text class="map-label" x={x.toFixed(1)} y={y.toFixed(1)} text-anchor={anchor}>
      {text}
    </text>
  );
}
