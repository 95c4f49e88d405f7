import type { ContinuationTo } from "@pdpp/contract/continuation";
import type { Expanded } from "@pdpp/contract/wire";

/** The read that lists all records of a relationship. */
export type ListAll = (relationship: string) => ContinuationTo<"queryRecords"> | undefined;

/**
 * Keeps the first `maxRecords` of each relationship. A shortened list sets `has_more` and carries the read that lists all.
 * With 0, relationships to a single record are dropped.
 */
export function limitExpanded(expanded: Expanded, maxRecords: number, listAll: ListAll): Expanded {
  return Object.fromEntries(
    Object.entries(expanded).flatMap(([name, value]): [string, Expanded[string]][] => {
      if (value === null || value.object !== "list") return maxRecords === 0 && value !== null ? [] : [[name, value]];
      if (value.data.length <= maxRecords) return [[name, value]];
      const next = listAll(name);
      const cut = { ...value, data: value.data.slice(0, maxRecords), has_more: true };
      return [[name, next === undefined ? cut : { ...cut, next }]];
    }),
  );
}

/** The length of the longest list. */
export const getLongestListLength = (expanded: Expanded): number =>
  Math.max(1, ...Object.values(expanded).map((value) => (value?.object === "list" ? value.data.length : 1)));
