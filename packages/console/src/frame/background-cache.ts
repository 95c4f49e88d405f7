/** Values that take long to compute: pages wait a moment, and show them when they are ready. */

export interface BackgroundCache<Value> {
  /** Undefined while it is being computed. `state` changes whenever the data changes. */
  load(asked: AskedValue<Value>, waited: Promise<undefined>): Promise<LoadedValue<Value> | undefined>;
}

interface LoadedValue<Value> {
  readonly value: Value;
  /** The data has changed since it was computed. */
  readonly isOutdated: boolean;
}

interface CachedValue<Value> {
  readonly state: string;
  readonly at: number;
  readonly value: Value;
  readonly hasFailed: boolean;
}

interface AskedValue<Value> {
  readonly key: string;
  readonly state: string;
  /** Whether a slightly outdated value may be shown: not under a grant, whose scope may have changed. */
  readonly canBeOutdated: boolean;
  compute(): Promise<Value>;
}

/** A value that keeps changing, or that could not be computed, is computed at most this often. */
const recomputeAfterMs = 60_000;
const maxCached = 1000;
/** How long a page waits. */
const maxWaitMs = 250;

/** One for all values of a page. */
export const startWaiting = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, maxWaitMs, undefined).unref());

/** `failed` replaces a value that could not be computed. */
export function createBackgroundCache<Value>(now: () => number, failed: Value): BackgroundCache<Value> {
  const cache = new Map<string, CachedValue<Value>>();
  const underWay = new Map<string, Promise<Value>>();
  /** One at a time, so that the page's own reads find a free thread. */
  let previous: Promise<unknown> = Promise.resolve();
  /** Continues after the request ends, so that the next one finds the result. */
  const start = ({ key, state, compute }: AskedValue<Value>): Promise<Value> => {
    const computing = previous
      .then(compute)
      .then(
        (value) => ({ value, hasFailed: false }),
        () => ({ value: failed, hasFailed: true }),
      )
      .then(({ value, hasFailed }) => {
        underWay.delete(`${key} ${state}`);
        cache.delete(key);
        cache.set(key, { state, at: now(), value, hasFailed });
        const [oldest] = cache.keys();
        if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
        return value;
      });
    previous = computing;
    underWay.set(`${key} ${state}`, computing);
    return computing;
  };
  return {
    async load(asked, waited) {
      const { key, state, canBeOutdated } = asked;
      const cached = cache.get(key);
      const isRecent = cached !== undefined && now() - cached.at < recomputeAfterMs;
      const isUnchanged = cached?.state === state;
      const isCurrent = cached?.hasFailed ? isRecent && isUnchanged : isUnchanged || (isRecent && canBeOutdated);
      const computing = underWay.get(`${key} ${state}`) ?? (isCurrent ? undefined : start(asked));
      // An outdated value is shown at once; the next request gets the new one.
      if (cached !== undefined && (canBeOutdated || isUnchanged))
        return { value: cached.value, isOutdated: !isUnchanged };
      const value = await Promise.race([computing, waited]);
      return value === undefined ? undefined : { value, isOutdated: false };
    },
  };
}
