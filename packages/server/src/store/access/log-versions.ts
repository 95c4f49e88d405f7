/**
 * Which records an answer let out, as the log keeps it: their versions, which are numbers of the owner's own and say nothing to
 * anybody else. Each is written as its distance from the one before, in base 36; `+` and a number follow a list that is not
 * whole: the highest version that was let out.
 */

/** So many are listed; a page has a hundred records at most, and what comes along with them. */
export const mostListed = 300;
const base = 36;

export interface NotedVersions {
  readonly listed: readonly number[];
  /** Of an answer with more records than are listed: the highest version among all of them. */
  readonly upTo?: number;
}

/** Collects what an answer lets out, however long it gets. */
export function versionsNoted(): { add(versions: readonly number[]): void; written(): string | undefined } {
  const listed = new Set<number>();
  let highest = 0;
  let isWhole = true;
  return {
    add(versions) {
      for (const version of versions) {
        if (version > highest) highest = version;
        if (listed.size < mostListed) listed.add(version);
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

export function readVersions(written: string): NotedVersions {
  const [steps = "", upTo] = written.split("+");
  let version = 0;
  const listed = steps.split(".").map((step) => {
    version += Number.parseInt(step, base);
    return version;
  });
  return upTo === undefined ? { listed } : { listed, upTo: Number.parseInt(upTo, base) };
}
