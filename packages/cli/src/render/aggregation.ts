import type { Input } from "@pdpp/contract/operations";
import type { Aggregation, Measured } from "@pdpp/contract/wire";
import { formatUnit } from "./card.ts";
import { formatSuggestedReads } from "./records.ts";
import { toJsonLine } from "./terminal/literal.ts";
import { escapeUnprintable } from "./terminal/style.ts";
import { formatTable } from "./terminal/table.ts";
import { formatContinuation, formatCount, type View } from "./view.ts";

const barWidth = 30;

export function formatAggregation(view: View, document: Aggregation, asked: Input<"aggregate">, bars: boolean): string {
  const { groups, metric, field, stream, filtered_record_count: count } = document;
  const about = view.style.dim(
    `${metric}${field === null ? "" : ` of ${escapeUnprintable(field)}`} over ${formatCount(count, "record")} of ${escapeUnprintable(stream)}`,
  );
  if (groups === undefined)
    return [
      ...formatValues(document),
      about,
      ...formatConnections(view, document),
      ...formatSuggestedReads(view, document),
    ].join("\n");
  if (groups.length === 0) return ["no groups", about, ...formatSuggestedReads(view, document)].join("\n");
  const most = Math.max(...groups.map((group) => group.count));
  const isCounted = metric === "count";
  const rows = groups.map((group) => [
    // Quote record values, which could imitate our output; times come from the server.
    document.group_by_time === null ? toJsonLine(group.key) : String(group.key),
    ...(isCounted
      ? []
      : [group.by_unit === undefined ? formatAmount(group.value, group.unit) : formatUnitAmounts(group).join(", ")]),
    String(group.count),
    ...(bars && isCounted
      ? ["█".repeat(Math.max(group.count > 0 ? 1 : 0, Math.round((group.count / most) * barWidth)))]
      : []),
  ]);
  const head = [
    getGroupHeading(document),
    ...(isCounted ? [] : [metric.toUpperCase()]),
    "COUNT",
    ...(bars && isCounted ? [""] : []),
  ];
  const other = document.other_count
    ? [`and ${formatCount(document.other_count, "record")} in other groups`, ...formatMoreGroups(view, document, asked)]
    : [];
  return [formatTable(view.style, head, rows), ...other, about].join("\n");
}

const maxGroups = 100;

/** Links to the next groups; a server without group pagination can only show more at once. */
function formatMoreGroups(view: View, { next_cursor: cursor, has_more: more }: Aggregation, asked: Input<"aggregate">) {
  const { limit = maxGroups } = asked;
  if (cursor !== undefined)
    return [formatContinuation(view, { operation: "aggregate", arguments: { ...asked, limit, cursor } })];
  if (more !== undefined || (asked.limit ?? 0) >= maxGroups) return [];
  return [formatContinuation(view, { operation: "aggregate", arguments: { ...asked, limit: maxGroups } })];
}

function formatValues(document: Aggregation): string[] {
  const { by_unit: units, other_units_count: others } = document;
  if (units === undefined) return [formatAmount(document.value, document.unit)];
  const amounts = formatUnitAmounts(document).map(
    (text, i) => `${text}  ${formatCount(units[i]?.count ?? 0, "record")}`,
  );
  return [...amounts, ...(others ? [`and ${formatCount(others, "record")} in other units`] : [])];
}

function formatConnections(view: View, { by_connection: each, metric }: Aggregation): string[] {
  if (each === undefined) return [];
  const isCounted = metric === "count";
  const rows = each.map((one) => [
    one.connection_id,
    ...(isCounted
      ? []
      : [one.by_unit === undefined ? formatAmount(one.value, one.unit) : formatUnitAmounts(one).join(", ")]),
    String(one.filtered_record_count),
    one.display_name ?? "",
  ]);
  return [
    formatTable(view.style, ["CONNECTION", ...(isCounted ? [] : [metric.toUpperCase()]), "COUNT", "LABEL"], rows),
  ];
}

const formatUnitAmounts = ({ by_unit: units = [] }: Measured): string[] =>
  units.map(({ unit, value }) => (unit === null ? `${formatAmount(value)} without a unit` : formatAmount(value, unit)));

const formatAmount = (value: Measured["value"], unit?: string): string => `${formatNumber(value)}${formatUnit(unit)}`;

/** Numbers too precise for JSON arrive as strings. */
const formatNumber = (value: Aggregation["value"]): string =>
  value === null || value === undefined ? "none" : escapeUnprintable(String(value));

const getGroupHeading = ({ group_by: by, group_by_time: byTime }: Aggregation): string =>
  escapeUnprintable(by ?? byTime ?? "GROUP");
