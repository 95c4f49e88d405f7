import { formatClock, formatShortDate, toDay } from "../../days/calendar.ts";
import type { Html } from "../../frame/frame.tsx";
import { formatPath, type Projection } from "../geography/projection.ts";
import { formatDistance, formatDuration, formatHeight } from "./formats.ts";
import type { Located } from "./located.ts";
import { listStops, type TrackStop } from "./track-stops.ts";

/** The height profile of a track, which is its time slider. Scripts reveal the slider; the profile and the table need none. */

const size = { width: 600, height: 48 };

export function renderTrackTime(track: Located, projection: Projection, zone: string): Html {
  const { stops, isTimeEstimated } = listStops(track, projection);
  const [first, last] = [stops[0], stops.at(-1)];
  if (first === undefined || last === undefined) return renderUnrecorded(track);
  const describe = createDescription(track, isTimeEstimated, zone);
  return (
    <div class="track-time">
      <label for="along" class="hidden">
        Position along the track
      </label>
      <div class="along">
        <span>{describe.time(first)}</span>
        <div class="profile-box">
          {renderProfile(stops)}
          <input
            id="along"
            type="range"
            hidden
            min="0"
            max={String(stops.length - 1)}
            value="0"
            data-stops={JSON.stringify(stops.map((stop) => [round(stop.x), round(stop.y), describe.stop(stop)]))}
            aria-describedby="along-text"
          />
        </div>
        <span>{describe.time(last)}</span>
      </div>
      <p class="soft" id="along-text" role="status">
        {describeProfile(stops)}
      </p>
      {renderTable(stops, describe)}
    </div>
  );
}

const renderUnrecorded = ({ points, isScattered }: Located): Html =>
  points.length > 1 ? (
    <p class="soft map-hint">
      {isScattered ? "Only these points are known." : "The way between start and end was not recorded."}
    </p>
  ) : (
    <></>
  );

const round = (value: number): number => Math.round(value * 10) / 10;

interface Description {
  /** 11:20, or the time since the start. */
  time(stop: TrackStop): string;
  /** 11:20, height 41 m, 6.3 km so far */
  stop(stop: TrackStop): string;
  readonly timeLabel: string;
}

function createDescription({ at, end }: Located, isTimeEstimated: boolean, zone: string): Description {
  const isLong = at !== undefined && end !== undefined && end - at > 86_400_000;
  const time = ({ seconds }: TrackStop): string => {
    if (seconds === undefined) return "";
    if (at === undefined) return seconds < 60 ? "start" : formatDuration(seconds);
    const instant = at + seconds * 1000;
    return `${isLong ? `${formatShortDate(toDay(instant, zone))}, ` : ""}${formatClock(instant, zone)}`;
  };
  const about = isTimeEstimated ? "about " : "";
  return {
    time,
    timeLabel: at === undefined ? "Time since the start" : isTimeEstimated ? "Time, estimated" : "Time",
    stop: (stop) =>
      capitalize(
        [
          time(stop) === "" ? "" : `${about}${time(stop)}`,
          stop.isUnrecorded ? "not recorded" : "",
          stop.height === undefined ? "" : `height ${formatHeight(stop.height)}`,
          `${formatDistance(stop.along)} so far`,
        ]
          .filter((part) => part !== "")
          .join(", "),
      ),
  };
}

const capitalize = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

interface Series {
  readonly name: "Height" | "Speed";
  readonly values: readonly (number | undefined)[];
  format(value: number): string;
}

/** Heights if there are any, else speeds. */
function chooseSeries(stops: readonly TrackStop[]): Series | undefined {
  const heights = stops.map(({ height }) => height);
  if (heights.some((height) => height !== undefined)) return { name: "Height", values: heights, format: formatHeight };
  const speeds = smooth(stops.map(({ speed }) => speed));
  if (!speeds.some((speed) => speed !== undefined)) return undefined;
  return { name: "Speed", values: speeds, format: (speed) => `${round(speed * 3.6)} km/h` };
}

/** Speeds between recorded points jump; each is shown as the mean with its neighbours. */
const smooth = (values: readonly (number | undefined)[]): (number | undefined)[] =>
  values.map((value, index) => {
    const near = values.slice(Math.max(0, index - 2), index + 3).filter((each) => each !== undefined);
    return value === undefined ? undefined : near.reduce((sum, each) => sum + each, 0) / near.length;
  });

function findRange({ values }: Series): readonly [low: number, high: number] {
  const known = values.filter((value) => value !== undefined);
  return [Math.min(...known), Math.max(...known)];
}

function describeProfile(stops: readonly TrackStop[]): string {
  const series = chooseSeries(stops);
  if (series === undefined) return "No heights or times were recorded on the way.";
  const [low, high] = findRange(series);
  return series.name === "Height"
    ? `Height: ${series.format(low)} to ${series.format(high)}.`
    : `Speed: up to ${series.format(high)}. No heights were recorded.`;
}

function renderProfile(stops: readonly TrackStop[]): Html {
  const series = chooseSeries(stops);
  const { width, height } = size;
  const [low, high] = series === undefined ? [0, 1] : findRange(series);
  const base = series?.name === "Speed" ? 0 : low;
  // A flat way must not look like mountains.
  const span = Math.max(high - base, series?.name === "Height" ? 20 : 0.1);
  const toX = (index: number): number => (index / (stops.length - 1)) * width;
  const toY = (value: number): number => height - 4 - ((value - base) / span) * (height - 8);
  const runs = series === undefined ? [] : listRuns(series.values);
  const paths = runs.map((run) => run.map(({ index, value }) => ({ x: toX(index), y: toY(value) })));
  return (
    <svg
      class="profile"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Profile. ${describeProfile(stops)}`}
    >
      {series?.name === "Height" &&
        paths.map((points) => (
          <path
            class="profile-area"
            d={`${formatPath(points)}L${points.at(-1)!.x.toFixed(1)} ${height}L${points[0]!.x.toFixed(1)} ${height}Z`}
          />
        ))}
      {paths.map((points) => (
        <path class="profile-line" d={formatPath(points)} />
      ))}
      <path class="profile-base" d={`M0 ${height - 0.5}H${width}`} />
    </svg>
  );
}

interface RunPoint {
  readonly index: number;
  readonly value: number;
}

/** Known values that follow each other. */
function listRuns(values: readonly (number | undefined)[]): RunPoint[][] {
  const runs: RunPoint[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    if (index === 0 || values[index - 1] === undefined) runs.push([]);
    runs.at(-1)?.push({ index, value });
  }
  return runs;
}

/** Open without scripts, and folded with them. */
function renderTable(stops: readonly TrackStop[], { time, timeLabel }: Description): Html {
  const highest = stops.reduce(
    (best, stop, index) => ((stop.height ?? -1e9) > (stops[best]?.height ?? -1e9) ? index : best),
    0,
  );
  const end = stops.length - 1;
  const rows = new Map<number, string>([
    [0, "Start"],
    ...[0.25, 0.5, 0.75].map((share) => [Math.round(end * share), ""] as const),
    [end, "End"],
  ]);
  const hasHeights = stops.some(({ height }) => height !== undefined);
  if (hasHeights && (rows.get(highest) ?? "") === "") rows.set(highest, "Highest point");
  const hasTimes = stops.some(({ seconds }) => seconds !== undefined);
  return (
    <details class="track-table" open data-folds="">
      <summary>Points along the track</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Point</th>
            {hasTimes && <th scope="col">{timeLabel}</th>}
            {hasHeights && <th scope="col">Height</th>}
            <th scope="col">Distance</th>
          </tr>
        </thead>
        <tbody>
          {[...rows]
            .sort(([a], [b]) => a - b)
            .map(([index, label]) => {
              const stop = stops[index]!;
              return (
                <tr>
                  <th scope="row">{label === "" ? "On the way" : label}</th>
                  {hasTimes && <td>{time(stop)}</td>}
                  {hasHeights && <td>{stop.height === undefined ? "" : formatHeight(stop.height)}</td>}
                  <td>{formatDistance(stop.along)}</td>
                </tr>
              );
            })}
        </tbody>
      </table>
    </details>
  );
}
