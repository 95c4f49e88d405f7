import { readFileSync } from "node:fs";
import type { Figure } from "./figure.ts";
import { type Column, count, tableOf } from "./table.ts";

/** What the fixed tasks cost before, kept to be compared with: no host class may pay more today. */
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

/** Of the tasks that were run, what each surface paid then and pays now. */
export function compared(figures: readonly Figure[]): Comparison[] {
  return [...Map.groupBy(figures, ({ surface }) => surface)].map(([surface, tasks]) => ({
    surface,
    before: tasks.reduce((sum, { task }) => sum + (before.tokens[surface]?.[task] ?? 0), 0),
    now: tasks.reduce((sum, { tokens }) => sum + tokens, 0),
  }));
}

/** Host classes are bound; REST and the command line are shown beside them. */
export const dearer = (comparisons: readonly Comparison[]): Comparison[] =>
  comparisons.filter(({ surface, now, before }) => surface.startsWith("MCP ") && now > before);

const difference = ({ now, before }: Comparison): string =>
  now === before ? "the same" : `${count(Math.abs(now - before))} ${now < before ? "fewer" : "MORE"}`;

const columns: readonly Column<Comparison>[] = [
  { head: "surface", cell: ({ surface }) => surface },
  { head: `tokens at ${before.commit}`, cell: (one) => count(one.before), number: true },
  { head: "tokens now", cell: ({ now }) => count(now), number: true },
  { head: "difference", cell: difference, number: true },
];

export function comparisonTable(comparisons: readonly Comparison[]): string {
  const sum = (of: (one: Comparison) => number) => comparisons.reduce((total, one) => total + of(one), 0);
  const total = { surface: "in all", before: sum((one) => one.before), now: sum(({ now }) => now) };
  return tableOf(columns, [...comparisons, total]);
}
