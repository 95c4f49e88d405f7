/** Positions on the globe, from records that may hold anything. */

export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** Undefined unless both are degrees. */
export function toPosition(latitude: unknown, longitude: unknown): Position | undefined {
  if (typeof latitude !== "number" || typeof longitude !== "number") return undefined;
  if (!(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180)) return undefined;
  return { latitude, longitude };
}

/** 47.39° N, 2.96° W */
export function formatPosition(latitude: unknown, longitude: unknown): string | undefined {
  const position = toPosition(latitude, longitude);
  if (position === undefined) return undefined;
  const format = (value: number, [positive, negative]: readonly [string, string]): string =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`;
  return `${format(position.latitude, ["N", "S"])}, ${format(position.longitude, ["E", "W"])}`;
}

const earthRadius = 6_371_000;
const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Metres along the great circle. */
export function measureDistance(a: Position, b: Position): number {
  const [from, to] = [toRadians(a.latitude), toRadians(b.latitude)];
  const across = toRadians(b.longitude - a.longitude);
  const half = Math.sin((to - from) / 2) ** 2 + Math.cos(from) * Math.cos(to) * Math.sin(across / 2) ** 2;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(half)));
}
