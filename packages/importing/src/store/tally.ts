import type { ImportTally, StreamTally } from "@pdpp/contract/imports";

/** Items that could not be read or were refused by the vault, over all streams. */
export const countRejected = ({ streams }: ImportTally): number =>
  Object.values(streams).reduce((sum, { aside }) => sum + aside, 0);

const tallyKeys = ["stored", "changed", "unchanged", "aside", "skipped"] as const;

export function sumTallies(tallies: readonly ImportTally[]): ImportTally {
  const streams: Record<string, Record<(typeof tallyKeys)[number], number>> = {};
  for (const [name, counts] of tallies.flatMap((tally) => Object.entries<StreamTally>(tally.streams))) {
    streams[name] ??= { stored: 0, changed: 0, unchanged: 0, aside: 0, skipped: 0 };
    for (const key of tallyKeys) streams[name][key] += counts[key];
  }
  const sum = (of: (tally: ImportTally) => number): number => tallies.reduce((total, each) => total + of(each), 0);
  return { read: sum(({ read }) => read), blobs: sum(({ blobs }) => blobs), streams };
}
