/** Time, so that tests need not wait for it. */
export interface Clock {
  now(): number;
  /** Calls back once. Returns what cancels it. */
  callAfter(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  callAfter(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};
