import { findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
import type { LinkedBar } from "../linked-bars.tsx";
import { formatPeriod, listPeriods } from "../periods.ts";
import { buildSelection, type Filter, getTableUrl, type TableQuestion } from "./table-question.ts";
import { formatAmount, type Grouping, parseGrouping } from "./total-choices.ts";

/** Totals in groups. The reader counts them; sums take one read per group shown. */

export interface Grouped {
  readonly bars: readonly LinkedBar[];
  /** Describes what the chart omits. */
  readonly note: string | undefined;
}

const [maxValues, maxPeriods] = [24, 36];
const [groupsAtOnce, maxPages] = [100, 4];
const sumsAtOnce = 4;
/** Longer values are truncated and get no link. */
const maxValueChars = 120;

interface Summed {
  readonly field: string;
  readonly unit: string | undefined;
}

interface Group {
  readonly label: string;
  readonly count: number;
  /** Filters that select its records; undefined if no filter can. */
  readonly filters: readonly Filter[] | undefined;
}

export async function loadGroups(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
  summed: Summed | undefined,
): Promise<Grouped | undefined> {
  const by = parseGrouping(declaration, question.by);
  if (by === undefined) return undefined;
  const { groups, note } =
    by.kind === "value"
      ? await groupByValue(reader, question, by)
      : await groupByPeriod(reader, declaration, question, by, by.kind);
  const buildTableQuestion = ({ filters }: Group) =>
    filters === undefined
      ? undefined
      : { ...question, filters: addFilters(question.filters, filters), total: undefined, by: undefined };
  const bars: LinkedBar[] = [];
  for (let i = 0; i < groups.length; i += sumsAtOnce) {
    const some = groups.slice(i, i + sumsAtOnce).map(async (group): Promise<LinkedBar[]> => {
      const there = buildTableQuestion(group);
      const href = there && getTableUrl(there);
      if (summed === undefined) return [{ label: group.label, count: group.count, href }];
      if (there === undefined) return [];
      if (group.count === 0) return [{ label: group.label, count: 0, href }];
      const asked = buildSelection(there);
      const { value } = await reader.aggregate({ ...asked, metric: "sum", field: summed.field });
      const sum = typeof value === "number" ? value : 0;
      return [{ label: group.label, count: sum, value: formatAmount(value ?? null, summed.unit), href }];
    });
    bars.push(...(await Promise.all(some)).flat());
  }
  return { bars, note };
}

const formatKey = (key: unknown): string => (key === true ? "yes" : key === false ? "no" : String(key));

const truncate = (text: string): string =>
  text.length > maxValueChars ? `${text.slice(0, maxValueChars).toWellFormed()}…` : text;

async function groupByValue(reader: ReadApi, question: TableQuestion, { field }: Grouping) {
  const asked = buildSelection(question);
  const counted = await reader.aggregate({ ...asked, metric: "count", group_by: field, limit: maxValues });
  const groups = (counted.groups ?? []).map(
    ({ key, count }): Group => ({
      label: key === null ? "none" : truncate(formatKey(key)),
      count,
      filters:
        key === null || String(key).length > maxValueChars
          ? undefined
          : [{ field, operator: "is", value: String(key) }],
    }),
  );
  const others = counted.other_count ?? 0;
  return { groups, note: others === 0 ? undefined : `${formatAmount(others)} more records in other groups.` };
}

async function groupByPeriod(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
  { field }: Grouping,
  period: "year" | "month",
) {
  const asked = buildSelection(question);
  const input = { ...asked, metric: "count", group_by_time: field, granularity: period, limit: groupsAtOnce } as const;
  const all = await loadAllGroups(reader, input);
  const counts = new Map(all.flatMap(({ key, count }) => (typeof key === "string" ? [[key, count] as const] : [])));
  const [first, last] = [[...counts.keys()].at(0), [...counts.keys()].at(-1)];
  if (first === undefined || last === undefined) return { groups: [], note: undefined };
  const operators = findField(declaration, field)?.rangeOperators ?? [];
  const canFilter = operators.includes("gte") && operators.includes("lt");
  const shown = listPeriods(period, first, last, maxPeriods);
  const groups = shown.map(
    ({ since, until }): Group => ({
      label: formatPeriod(period, since),
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
    before === 0 ? "" : `${formatAmount(before)} records before ${formatPeriod(period, begin)}.`,
    without === 0 ? "" : `${formatAmount(without)} records without a date.`,
  ].filter((note) => note !== "");
  return { groups, note: notes.length === 0 ? undefined : notes.join(" ") };
}

async function loadAllGroups(reader: ReadApi, input: Input<"aggregate">): Promise<NonNullable<Aggregation["groups"]>> {
  const groups: NonNullable<Aggregation["groups"]> = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const counted = await reader.aggregate({ ...input, ...(cursor === undefined ? {} : { cursor }) });
    groups.push(...(counted.groups ?? []));
    cursor = counted.next_cursor;
    if (cursor === undefined) break;
  }
  return groups;
}

/** Combines filters. Of two lower bounds the later wins, of two upper bounds the earlier. */
function addFilters(held: readonly Filter[], more: readonly Filter[]): Filter[] {
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
