import { formatInstant } from "../../core/time/times.ts";

/** Statistics of a track, computed while its points are read; only a few points are kept. */

export interface Point {
  readonly lat?: number | undefined;
  readonly lon?: number | undefined;
  readonly at?: number | undefined;
  readonly elevation?: number | undefined;
  readonly heartRate?: number | undefined;
  readonly watts?: number | undefined;
  /** Meters since the start, if the device counted them. */
  readonly distance?: number | undefined;
}

const maxActivityMs = 30 * 86_400_000;
const maxKeptPositions = 800;
const maxLinePositions = 100;
/** Points further apart than both of these have a gap between them. */
const [minGapMs, minGapMeters] = [5 * 60_000, 300];
/** Elevation is noisy; a climb counts from this height. */
const minClimbMeters = 3;

/** Lists of the same length, apart from the gaps; those of which nothing is known are empty. */
interface TrackLine {
  readonly points: [number, number][];
  readonly heights: (number | null)[];
  /** Since the start. */
  readonly seconds: (number | null)[];
  /** Indexes of the points that follow a gap. */
  readonly gaps: number[];
}

interface Kept {
  readonly place: readonly [number, number];
  readonly elevation: number | undefined;
  readonly at: number | undefined;
  /** Points of different segments have a gap between them. */
  readonly segment: number;
}

export class Track {
  name: string | null = null;
  sport: string | null = null;
  device: string | null = null;
  description: string | null = null;
  calories: number | null = null;
  movingSeconds: number | null = null;
  points = 0;
  start: number | null = null;
  end: number | null = null;
  heartRateMax: number | null = null;
  #heartRateSum = 0;
  #heartRateCount = 0;
  #wattsSum = 0;
  #wattsCount = 0;
  #measuredDistance = 0;
  #deviceDistance: number | null = null;
  #ascent = 0;
  #lowest: number | null = null;
  #kept: Kept[] = [];
  #lastPoint: Kept | null = null;
  #segment = 0;
  #every = 1;
  #positions = 0;
  #last: readonly [number, number] | null = null;

  /** A gap: the distance between two segments does not count. */
  pause(): void {
    this.#last = null;
    this.#segment += 1;
  }

  /** Records a time. Jumps of weeks are clock errors. */
  addTime(at: number): void {
    if (!Number.isFinite(at) || (this.start !== null && Math.abs(at - this.start) > maxActivityMs)) return;
    this.start = this.start === null ? at : Math.min(this.start, at);
    this.end = this.end === null ? at : Math.max(this.end, at);
  }

  add({ lat, lon, at, elevation, heartRate, watts, distance }: Point): void {
    this.points += 1;
    if (at !== undefined) this.addTime(at);
    if (heartRate !== undefined && heartRate > 0) {
      this.#heartRateSum += heartRate;
      this.#heartRateCount += 1;
      this.heartRateMax = Math.max(this.heartRateMax ?? 0, heartRate);
    }
    if (watts !== undefined) {
      this.#wattsSum += watts;
      this.#wattsCount += 1;
    }
    if (distance !== undefined) this.#deviceDistance = Math.max(this.#deviceDistance ?? 0, distance);
    if (elevation !== undefined) this.#addElevation(elevation);
    if (lat === undefined || lon === undefined || Math.abs(lat) > 90 || Math.abs(lon) > 180) return;
    const step = this.#last === null ? 0 : measureDistance(this.#last, [lat, lon]);
    this.#measuredDistance += step;
    if (step > minGapMeters && (at ?? 0) - (this.#lastPoint?.at ?? at ?? 0) > minGapMs) this.#segment += 1;
    this.#last = [lat, lon];
    this.#lastPoint = { place: [lat, lon], elevation, at, segment: this.#segment };
    if (this.#positions % this.#every === 0) this.#keep(this.#lastPoint);
    this.#positions += 1;
  }

  get distance(): number | null {
    if (this.#deviceDistance !== null && this.#deviceDistance > 0) return roundTo(this.#deviceDistance);
    return this.#positions < 2 ? null : roundTo(this.#measuredDistance);
  }

  get ascent(): number | null {
    return this.#lowest === null ? null : roundTo(this.#ascent);
  }

  get averageHeartRate(): number | null {
    return this.#heartRateCount === 0 ? null : roundTo(this.#heartRateSum / this.#heartRateCount);
  }

  get averageWatts(): number | null {
    return this.#wattsCount === 0 ? null : roundTo(this.#wattsSum / this.#wattsCount);
  }

  get elapsedSeconds(): number | null {
    return this.start === null || this.end === null ? null : roundTo((this.end - this.start) / 1000);
  }

  /** The simplified route, with what was recorded along it. */
  get line(): TrackLine {
    const step = Math.max(1, Math.ceil(this.#kept.length / (maxLinePositions - 1)));
    const kept = this.#kept.filter((_, i) => i % step === 0);
    const last = kept.at(-1);
    if (this.#lastPoint !== null && last !== undefined && !isSamePlace(last, this.#lastPoint))
      kept.push(this.#lastPoint);
    const { start } = this;
    return {
      points: kept.map(({ place: [lat, lon] }) => [roundDegrees(lat), roundDegrees(lon)]),
      heights: kept.some(({ elevation }) => elevation !== undefined)
        ? kept.map(({ elevation }) => (elevation === undefined ? null : roundTo(elevation)))
        : [],
      seconds:
        start !== null && kept.some(({ at }) => at !== undefined)
          ? kept.map(({ at }) => (at === undefined ? null : Math.round((at - start) / 1000)))
          : [],
      gaps: kept.flatMap(({ segment }, i) => (i > 0 && segment !== kept[i - 1]?.segment ? [i] : [])),
    };
  }

  #keep(point: Kept): void {
    this.#kept.push(point);
    if (this.#kept.length < maxKeptPositions) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#every *= 2;
  }

  #addElevation(elevation: number): void {
    if (this.#lowest === null || elevation < this.#lowest) this.#lowest = elevation;
    else if (elevation - this.#lowest >= minClimbMeters) {
      this.#ascent += elevation - this.#lowest;
      this.#lowest = elevation;
    }
  }
}

const isSamePlace = ({ place: a }: Kept, { place: b }: Kept): boolean => a[0] === b[0] && a[1] === b[1];
const roundTo = (n: number): number => Math.round(n * 10) / 10;
const roundDegrees = (n: number): number => Math.round(n * 100_000) / 100_000;

/** Great-circle distance. */
function measureDistance([lat1, lon1]: readonly [number, number], [lat2, lon2]: readonly [number, number]): number {
  const rad = Math.PI / 180;
  const a =
    Math.sin(((lat2 - lat1) * rad) / 2) ** 2 +
    Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lon2 - lon1) * rad) / 2) ** 2;
  return 12_742_000 * Math.asin(Math.min(1, Math.sqrt(a)));
}

/** The statistics in a fixed order. */
export function summarizeTrack(track: Track) {
  const { points, heights, seconds, gaps } = track.line;
  const [first] = points;
  return {
    started_at: track.start === null ? null : formatInstant(track.start),
    ended_at: track.end === null ? null : formatInstant(track.end),
    distance: track.distance,
    distance_unit: "m",
    moving_seconds: track.movingSeconds === null ? null : roundTo(track.movingSeconds),
    elapsed_seconds: track.elapsedSeconds,
    ascent_meters: track.ascent,
    average_heart_rate: track.averageHeartRate,
    max_heart_rate: track.heartRateMax,
    average_watts: track.averageWatts,
    calories: track.calories,
    point_count: track.points,
    start_latitude: first?.[0] ?? null,
    start_longitude: first?.[1] ?? null,
    line: points,
    line_heights: heights,
    line_seconds: seconds,
    line_gaps: gaps,
  };
}
