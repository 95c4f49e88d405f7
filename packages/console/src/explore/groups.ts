import { findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
import type { LinkedBar } from "./linked-bars.ts";
import { periodLabel, periodsBetween } from "./periods.ts";
import { askedBy, type Filter, type TableQuestion, tableAddress } from "./table-question.ts";
import { amount, type By, byFrom } from "./total-choices.ts";

/** Totals in groups: counted by the reader, and added up group by group for the few that are shown. */

export interface Grouped {
  readonly bars: readonly LinkedBar[];
  /** What is not drawn, in words. */
  readonly note: string | undefined;
}

/** Bars that a person takes in at a glance; the reader gives a hundred groups at a time. */
const [mostValues, mostPeriods] = [24, 36];
const [groupsAtOnce, mostPages] = [100, 4];
const sumsAtOnce = 4;
/** A page has no room for values of any length: a longer one is cut, and no address names it. */
const longestValue = 120;

interface Summed {
  readonly field: string;
  readonly unit: string | undefined;
}

interface Group {
  readonly label: string;
  readonly count: number;
  /** What its records have in common; undefined where no filter says it. */
  readonly filters: readonly Filter[] | undefined;
}

export async function groupsOf(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
  summed: Summed | undefined,
): Promise<Grouped | undefined> {
  const by = byFrom(declaration, question.by);
  if (by === undefined) return undefined;
  const { groups, note } =
    by.kind === "value"
      ? await byValue(reader, question, by)
      : await byPeriod(reader, declaration, question, by, by.kind);
  const table = ({ filters }: Group) =>
    filters === undefined
      ? undefined
      : { ...question, filters: narrowed(question.filters, filters), total: undefined, by: undefined };
  const bars: LinkedBar[] = [];
  for (let i = 0; i < groups.length; i += sumsAtOnce) {
    const some = groups.slice(i, i + sumsAtOnce).map(async (group): Promise<LinkedBar[]> => {
      const there = table(group);
      const href = there && tableAddress(there);
      if (summed === undefined) return [{ label: group.label, count: group.count, href }];
      if (there === undefined) return [];
      if (group.count === 0) return [{ label: group.label, count: 0, href }];
      const { order: _, ...asked } = askedBy(there);
      const { value } = await reader.aggregate({ ...asked, metric: "sum", field: summed.field });
      const sum = typeof value === "number" ? value : 0;
      return [{ label: group.label, count: sum, value: amount(value ?? null, summed.unit), href }];
    });
    bars.push(...(await Promise.all(some)).flat());
  }
  return { bars, note };
}

const keyText = (key: unknown): string => (key === true ? "yes" : key === false ? "no" : String(key));

const cut = (text: string): string =>
  text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()}…` : text;

async function byValue(reader: ReadApi, question: TableQuestion, { field }: By) {
  const { order: _, ...asked } = askedBy(question);
  const counted = await reader.aggregate({ ...asked, metric: "count", group_by: field, limit: mostValues });
  const groups = (counted.groups ?? []).map(
    ({ key, count }): Group => ({
      label: key === null ? "none" : cut(keyText(key)),
      count,
      filters:
        key === null || String(key).length > longestValue ? undefined : [{ field, operator: "is", value: String(key) }],
    }),
  );
  const others = counted.other_count ?? 0;
  return { groups, note: others === 0 ? undefined : `${amount(others)} more records in other groups.` };
}

async function byPeriod(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
  { field }: By,
  period: "year" | "month",
) {
  const { order: _, ...asked } = askedBy(question);
  const input = { ...asked, metric: "count", group_by_time: field, granularity: period, limit: groupsAtOnce } as const;
  const all = await pagesOf(reader, input);
  const counts = new Map(all.flatMap(({ key, count }) => (typeof key === "string" ? [[key, count] as const] : [])));
  const [first, last] = [[...counts.keys()].at(0), [...counts.keys()].at(-1)];
  if (first === undefined || last === undefined) return { groups: [], note: undefined };
  const operators = findField(declaration, field)?.rangeOperators ?? [];
  const canFilter = operators.includes("gte") && operators.includes("lt");
  const shown = periodsBetween(period, first, last, mostPeriods);
  const groups = shown.map(
    ({ since, until }): Group => ({
      label: periodLabel(period, since),
      count: counts.get(since) ?? 0,
      filters: canFilter
        ? [
            { field, operator: "gte", value: since },
            { field, operator: "lt", value: until },
          ]
        : undefined,
    }),
  );
  const begin = shown[0]?.since ?? first;
  const before = [...counts].filter(([key]) => key < begin).reduce((sum, [, count]) => sum + count, 0);
  const without = all.find(({ key }) => key === null)?.count ?? 0;
  const notes = [
    before === 0 ? "" : `${amount(before)} records before ${periodLabel(period, begin)}.`,
    without === 0 ? "" : `${amount(without)} records without a date.`,
  ].filter((note) => note !== "");
  return { groups, note: notes.length === 0 ? undefined : notes.join(" ") };
}

async function pagesOf(reader: ReadApi, input: Input<"aggregate">): Promise<NonNullable<Aggregation["groups"]>> {
  const groups: NonNullable<Aggregation["groups"]> = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const counted = await reader.aggregate({ ...input, ...(cursor === undefined ? {} : { cursor }) });
    groups.push(...(counted.groups ?? []));
    cursor = counted.next_cursor;
    if (cursor === undefined) break;
  }
  return groups;
}

/** Filters with some more: of two beginnings the later holds, of two ends the earlier. */
function narrowed(held: readonly Filter[], more: readonly Filter[]): Filter[] {
  const kept = held.filter((each) => !more.some((one) => one.field === each.field && one.operator === each.operator));
  const tightest = more.map((one) => {
    const same = held.find((each) => each.field === one.field && each.operator === one.operator);
    if (same === undefined || one.operator === "is") return one;
    const [a, b] = [parseInstant(same.value), parseInstant(one.value)];
    if (a === null || b === null) return one;
    return (one.operator === "gte" ? a > b : a < b) ? same : one;
  });
  return [...kept, ...tightest];
}
