/**
 * The records a response returned, as the log stores them: their versions, which mean nothing to others. Each is written as the
 * difference to the previous one, in base 36. If the list is incomplete, `+` and the highest returned version follow.
 */

/** A page has at most a hundred records, and their related records. */
export const maxListedVersions = 300;
const base = 36;
const [dot, digit0, letterA] = [0x2e, 0x30, 0x61];

export interface LoggedVersions {
  readonly listed: readonly number[];
  /** For an incomplete list: the highest version among all returned records. */
  readonly upTo?: number;
}

/** Collects the versions of a response of any length. */
export function listLoggedVersions(): { add(versions: readonly number[]): void; written(): string | undefined } {
  const listed = new Set<number>();
  let highest = 0;
  let isWhole = true;
  return {
    add(versions) {
      for (const version of versions) {
        if (version > highest) highest = version;
        if (listed.size < maxListedVersions) listed.add(version);
        else if (!listed.has(version)) isWhole = false;
      }
    },
    written() {
      if (listed.size === 0) return undefined;
      let before = 0;
      const steps = [...listed]
        .sort((a, b) => a - b)
        .map((version) => {
          const step = version - before;
          before = version;
          return step.toString(base);
        });
      return `${steps.join(".")}${isWhole ? "" : `+${highest.toString(base)}`}`;
    },
  };
}

/** Written by hand for speed: a query of the log decodes hundreds of thousands of these. */
export function decodeVersions(written: string): LoggedVersions {
  const listed: number[] = [];
  const end = written.indexOf("+");
  const length = end < 0 ? written.length : end;
  let version = 0;
  let step = 0;
  for (let i = 0; i < length; i += 1) {
    const code = written.charCodeAt(i);
    if (code === dot) {
      version += step;
      listed.push(version);
      step = 0;
    } else step = step * base + (code < letterA ? code - digit0 : code - letterA + 10);
  }
  listed.push(version + step);
  return end < 0 ? { listed } : { listed, upTo: Number.parseInt(written.slice(end + 1), base) };
}
