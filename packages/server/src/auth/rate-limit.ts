import { PdppError } from "@pdpp/contract/errors";

/** Throws when it is called more than `most` times within a minute. */
export function limitPerMinute(most: number, now: () => number): () => void {
  let minute = 0;
  let count = 0;
  return () => {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) [minute, count] = [current, 0];
    count += 1;
    if (count > most)
      throw new PdppError("rate_limited", "too many attempts; try again in a minute", { retry_after_seconds: 60 });
  };
}
