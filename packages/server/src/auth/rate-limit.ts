import { PdppError } from "@pdpp/contract/errors";

/** How often something may happen in a minute, in this process. */
export interface RateLimit {
  /** For one network address, local user, owner or credential. */
  readonly perSource: number;
  readonly overall: number;
}

/** Counts a call, and answers whether it is within the limits. A source over its limit uses up nothing of the others' share. */
export type RateLimiter = (source: string) => boolean;

export function createRateLimiter({ perSource, overall }: RateLimit, now: () => number): RateLimiter {
  let minute = 0;
  let total = 0;
  let bySource = new Map<string, number>();
  return (source) => {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) [minute, total, bySource] = [current, 0, new Map()];
    const count = bySource.get(source) ?? 0;
    if (count >= perSource || total >= overall) return false;
    total += 1;
    bySource.set(source, count + 1);
    return true;
  };
}

export const createRateLimitError = (): PdppError =>
  new PdppError("rate_limited", "too many attempts; try again in a minute", { retry_after_seconds: 60 });

/** Throws when it is called more than `most` times within a minute for one source. */
export function limitPerMinute(most: number, now: () => number): (source: string) => void {
  const isWithin = createRateLimiter({ perSource: most, overall: 100 * most }, now);
  return (source) => {
    if (!isWithin(source)) throw createRateLimitError();
  };
}
