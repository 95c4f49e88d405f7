import type { ImportPlan } from "./import-service.ts";

/** Groups parts of one format that go into one source, since there may be a hundred chats. */

type Part = ImportPlan["parts"][number];
type Stream = Part["streams"][number];

export interface PlanGroup extends Omit<Part, "label"> {
  readonly labels: readonly string[];
}

export const groupParts = (parts: readonly Part[]): PlanGroup[] =>
  [...Map.groupBy(parts, ({ title }) => title)].map(([title, same]) => {
    const streams = Map.groupBy(
      same.flatMap((part) => part.streams),
      ({ stream }) => stream,
    );
    return {
      title,
      labels: same.map(({ label }) => label),
      files: sum(same, ({ files }) => files),
      firstFile: same[0]?.firstFile ?? "",
      unchangedFiles: sum(same, ({ unchangedFiles }) => unchangedFiles),
      isUnchanged: same.every(({ isUnchanged }) => isUnchanged),
      aside: sum(same, ({ aside }) => aside),
      streams: [...streams].map(([stream, all]) => mergeStreams(stream, all)),
    };
  });

function mergeStreams(stream: string, all: readonly Stream[]): Stream {
  const days = all.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to])).sort();
  return {
    stream,
    records: sum(all, ({ records }) => records),
    from: days[0] ?? null,
    to: days.at(-1) ?? null,
    already_here: sum(all, ({ already_here }) => already_here),
  };
}

const sum = <T>(all: readonly T[], of: (each: T) => number): number => all.reduce((total, each) => total + of(each), 0);
