import type { ContinuationTo } from "@pdpp/contract/continuation";
import type { Expanded } from "@pdpp/contract/wire";

/** The read that lists everything of a relationship. */
export type ListAll = (relationship: string) => ContinuationTo<"queryRecords"> | undefined;

/** The first records of each relationship; a list that was cut says so and has the read for all. With 0, a relationship of one is left out. */
export function firstOfEach(expanded: Expanded, most: number, listAll: ListAll): Expanded {
  return Object.fromEntries(
    Object.entries(expanded).flatMap(([name, value]): [string, Expanded[string]][] => {
      if (value === null || value.object !== "list") return most === 0 && value !== null ? [] : [[name, value]];
      if (value.data.length <= most) return [[name, value]];
      const next = listAll(name);
      const cut = { ...value, data: value.data.slice(0, most), has_more: true };
      return [[name, next === undefined ? cut : { ...cut, next }]];
    }),
  );
}

/** How many records the longest list has. */
export const longestOf = (expanded: Expanded): number =>
  Math.max(1, ...Object.values(expanded).map((value) => (value?.object === "list" ? value.data.length : 1)));
