import { LRUCache } from "lru-cache";
import type { ThreadCall } from "./thread-call.ts";

/** Remembers what the heavy reads of each token cost, so that the next one of its kind goes to the right lane. */
export interface ReadCosts {
  /** Undefined for a read of which nothing is known. */
  find(read: string): number | undefined;
  note(read: string, ms: number): void;
}

const maxRemembered = 5000;
/** The cost of a read follows what the last ones cost, not a single outlier. */
const weightOfLast = 0.5;

export function createReadCosts(): ReadCosts {
  const costs = new LRUCache<string, number>({ max: maxRemembered });
  return {
    find: (read) => costs.get(read),
    note(read, ms) {
      const before = costs.get(read) ?? ms;
      costs.set(read, before + weightOfLast * (ms - before));
    },
  };
}

/** Parameters whose values name something. The values of others, such as cursors and search words, are too many to remember. */
const naming = new Set(["stream", "connection_id", "metric", "field", "group_by", "group_by_time", "granularity"]);

/** What reads of about the same cost have in common. */
export function describeRead({ name, values }: Pick<ThreadCall, "name" | "values">, key: string): string {
  const parameters = [...values].map(([parameter, value]) => {
    if (naming.has(parameter)) return [parameter, value];
    return isObject(value) ? [parameter, Object.keys(value).toSorted()] : parameter;
  });
  return JSON.stringify([key, name, ...parameters]);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
