import { readFileSync } from "node:fs";
import type { Figure } from "./figure.ts";
import { type Column, count, formatTable } from "./table.ts";

/** Earlier costs of the fixed tasks, for comparison: no host class may pay more today. */
interface Before {
  readonly commit: string;
  readonly tokens: { readonly [surface: string]: { readonly [task: string]: number } };
}

const before: Before = JSON.parse(readFileSync(new URL("before.json", import.meta.url), "utf8"));

export interface Comparison {
  readonly surface: string;
  readonly before: number;
  readonly now: number;
}

/** For the tasks that were run: what each surface paid then and pays now. */
export function compareWithBefore(figures: readonly Figure[]): Comparison[] {
  return [...Map.groupBy(figures, ({ surface }) => surface)].map(([surface, tasks]) => ({
    surface,
    before: tasks.reduce((sum, { task }) => sum + (before.tokens[surface]?.[task] ?? 0), 0),
    now: tasks.reduce((sum, { tokens }) => sum + tokens, 0),
  }));
}

/** No host class may pay more, and the total must be lower. REST and the command line are listed for comparison. */
export function findDearer(comparisons: readonly Comparison[]): Comparison[] {
  const hosts = comparisons.filter(({ surface }) => surface.startsWith("MCP "));
  const more = hosts.filter(({ now, before }) => now > before);
  const all = sumComparisons(hosts, "MCP in all");
  return all.now < all.before || hosts.length === 0 ? more : [...more, all];
}

const sumComparisons = (comparisons: readonly Comparison[], surface: string): Comparison => ({
  surface,
  before: comparisons.reduce((sum, { before }) => sum + before, 0),
  now: comparisons.reduce((sum, { now }) => sum + now, 0),
});

const formatDifference = ({ now, before }: Comparison): string =>
  now === before ? "the same" : `${count(Math.abs(now - before))} ${now < before ? "fewer" : "MORE"}`;

const columns: readonly Column<Comparison>[] = [
  { head: "surface", cell: ({ surface }) => surface },
  { head: `tokens at ${before.commit}`, cell: (one) => count(one.before), number: true },
  { head: "tokens now", cell: ({ now }) => count(now), number: true },
  { head: "difference", cell: formatDifference, number: true },
];

export const formatComparisons = (comparisons: readonly Comparison[]): string =>
  formatTable(columns, [...comparisons, sumComparisons(comparisons, "in all")]);
