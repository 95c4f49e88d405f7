import type { RunDocument } from "@pdpp/contract/sources";
import { formatNumber } from "../frame/render/values.tsx";

/** Counts the records of a run, such as "12 new, 1 changed", including those stored before a failure. */
export function describeRun(run: RunDocument): string {
  const { status } = run;
  const sums = sumTally(run);
  const parts = [
    [sums.stored, "new"],
    [sums.changed, "changed"],
    [sums.deleted, "deleted"],
  ] as const;
  const brought = parts.flatMap(([count, word]) => (count === 0 ? [] : [`${formatNumber(count)} ${word}`])).join(", ");
  if (status === "succeeded") return brought === "" ? "Nothing new" : brought;
  const word = { running: "Collecting", failed: "Failed", cancelled: "Stopped", interrupted: "Interrupted" }[status];
  return brought === "" ? word : `${word}; ${brought}`;
}

/** How many parts were skipped, and records put aside. */
export const countSkipped = (run: RunDocument): number => (run.skipped?.length ?? 0) + sumTally(run).aside;

/** The run of a folder has a tally for each connection that it filled. */
function sumTally({ tally, imported = [] }: RunDocument) {
  const sums = { stored: 0, changed: 0, deleted: 0, aside: 0 };
  const streams = [tally, ...imported.map((each) => each.tally)].flatMap((each) => Object.values(each.streams));
  for (const { stored, changed, deleted = 0, aside } of streams) {
    sums.stored += stored;
    sums.changed += changed;
    sums.deleted += deleted;
    sums.aside += aside;
  }
  return sums;
}

/** Records put aside, with the import that lists them. */
export const listAside = ({ run_id, tally, imported = [] }: RunDocument): { importId: string; count: number }[] =>
  [{ import_id: run_id, tally }, ...imported].flatMap(({ import_id, tally: { streams } }) => {
    const count = Object.values(streams).reduce((sum, { aside }) => sum + aside, 0);
    return count === 0 || import_id === undefined ? [] : [{ importId: import_id, count }];
  });
