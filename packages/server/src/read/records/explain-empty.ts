import { type Continuation, continueWith } from "@pdpp/contract/continuation";
import { findField } from "@pdpp/contract/declaration";
import type { Input, Scalar } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { toLiteral } from "@pdpp/evidence/text/literal";
import { fold } from "@pdpp/language/words/tokenize";
import { type Condition, canRead, getVisibleDeclaration, type StreamScope } from "../../store/access/scope.ts";
import { hasRecords, type RecordSet, sampleValues } from "../../store/records/aggregates.ts";

/** Explains why filters found nothing. Filters match whole values, which surprises readers who send part of a name. */

const maxValues = 500;
const maxClose = 5;
const maxShownChars = 80;

type Filter = NonNullable<Input<"queryRecords">["filter"]>;

export type RetryWithFilter = (filter: Filter) => Continuation;

/** Only a value that was asked for exactly can be misspelt. */
const listExact = (conditions: readonly Condition[]): Condition[] =>
  conditions.filter(({ operator }) => operator === "eq");

/** Whether `explainEmpty` would read anything. */
export const hasExplanation = (conditions: readonly Condition[]): boolean => listExact(conditions).length > 0;

export async function explainEmpty(
  counted: RecordSet,
  input: Pick<Input<"queryRecords">, "stream" | "connection_id" | "filter">,
  again: RetryWithFilter,
): Promise<Warning[]> {
  const { scope, conditions } = counted;
  const exact = listExact(conditions);
  if (exact.length === 0) return [];
  const warnings: Warning[] = [];
  for (const condition of exact) {
    const wanted = input.filter?.[condition.field];
    if (wanted === undefined || typeof wanted === "object") continue;
    if (await hasRecords({ ...counted, conditions: [condition] })) continue;
    const close = await findCloseValues(counted, condition, String(wanted));
    warnings.push(explainCondition(scope, input, condition, wanted, close, again));
  }
  if (warnings.length > 0 || conditions.length === 1) return warnings;
  const message = "filters match exactly and must all hold: each value occurs here, but no record has all of them";
  return [{ code: "no_exact_match", message, param: "filter" }];
}

function explainCondition(
  scope: StreamScope,
  { stream, connection_id, filter }: Pick<Input<"queryRecords">, "stream" | "connection_id" | "filter">,
  { field, column }: Condition,
  wanted: Scalar,
  close: readonly string[],
  again: RetryWithFilter,
): Warning {
  const text = String(wanted);
  const shown = toLiteral([...text.slice(0, 2 * maxShownChars)].slice(0, maxShownChars).join(""));
  const isTime = column.kind === "date" || column.kind === "date-time";
  const isRanged = findField(getVisibleDeclaration(scope), field)?.rangeOperators.includes("gte") === true;
  const advice = [
    ...(close.length === 0 ? [] : [`close values: ${close.map(toLiteral).join(", ")}`]),
    ...(isTime && isRanged ? [`${field} is one moment; use gte and lt for a span`] : []),
  ];
  const [best] = close;
  const isSearchable = scope.stream.activeSearchPlan?.fields.some((name) => canRead(scope, name)) === true;
  const canSearch = column.kind === "text" && isSearchable && fold(text) !== "" && text.length <= maxShownChars;
  return {
    code: "no_exact_match",
    message: [`filters match exactly, and no record has ${field} ${shown}`, ...advice].join("; "),
    param: `filter[${field}]`,
    detail: { field, close_values: [...close] },
    reads: [
      ...(best === undefined ? [] : [again({ ...filter, [field]: best })]),
      ...(canSearch
        ? [
            continueWith("search", {
              q: text,
              streams: [stream],
              ...(connection_id === undefined ? {} : { connection_id }),
            }),
          ]
        : []),
    ],
  };
}

/** Similar values, the best match first. Only for fields whose values the manifest allows to list. */
async function findCloseValues(counted: RecordSet, { field, column }: Condition, wanted: string): Promise<string[]> {
  const { scope } = counted;
  const declared = findField(getVisibleDeclaration(scope), field);
  if (column.kind !== "text" || declared?.aggregations.includes("group_by") !== true) return [];
  const asked = fold(wanted);
  if (asked === "") return [];
  const each = Math.max(20, Math.floor(maxValues / scope.connections.length));
  const found = (await sampleValues(counted, column, each)).flatMap((value) => {
    // Long values are stored in an encoded form, and are of no use as suggestions.
    const rank =
      value.length > maxShownChars || value.includes("\u0001") ? undefined : rankLikeness(fold(value), asked);
    return rank === undefined ? [] : [{ value, rank }];
  });
  return found
    .toSorted((a, b) => a.rank - b.rank || a.value.length - b.value.length || (a.value < b.value ? -1 : 1))
    .slice(0, maxClose)
    .map(({ value }) => value);
}

/** 0 = equal except for case and accents, 1 = starts with it, 2 = contains it, 3 = is contained in it. */
function rankLikeness(value: string, asked: string): number | undefined {
  if (value === asked) return 0;
  if (value.startsWith(asked)) return 1;
  if (value.includes(asked)) return 2;
  return value.length >= 3 && asked.includes(value) ? 3 : undefined;
}
