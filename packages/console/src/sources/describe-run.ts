import type { RunDocument } from "@pdpp/contract/sources";
import { formatNumber } from "../frame/render/values.tsx";

/** Counts the records of a run, such as "12 new, 1 changed", including those stored before a failure. */
export function describeRun({ status, tally }: RunDocument): string {
  const sums = sumTally(tally);
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
export const countSkipped = ({ skipped = [], tally }: RunDocument): number => skipped.length + sumTally(tally).aside;

export function sumTally({ streams }: RunDocument["tally"]) {
  const sums = { stored: 0, changed: 0, deleted: 0, aside: 0 };
  for (const { stored, changed, deleted = 0, aside } of Object.values(streams)) {
    sums.stored += stored;
    sums.changed += changed;
    sums.deleted += deleted;
    sums.aside += aside;
  }
  return sums;
}
