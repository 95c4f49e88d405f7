import type { Input } from "@pdpp/contract/operations";
import type { Aggregation, Measured } from "@pdpp/contract/wire";
import { unitText } from "./card.ts";
import { readsInstead } from "./records.ts";
import { jsonLine } from "./terminal/literal.ts";
import { harmless } from "./terminal/style.ts";
import { table } from "./terminal/table.ts";
import { continuation, counted, type View } from "./view.ts";

const barWidth = 30;

/** The number; or the groups with a bar for each on a terminal. */
export function aggregationText(view: View, document: Aggregation, asked: Input<"aggregate">, bars: boolean): string {
  const { groups, metric, field, stream, filtered_record_count: count } = document;
  const about = view.style.dim(
    `${metric}${field === null ? "" : ` of ${harmless(field)}`} over ${counted(count, "record")} of ${harmless(stream)}`,
  );
  if (groups === undefined)
    return [...valueLines(document), about, ...connectionLines(view, document), ...readsInstead(view, document)].join(
      "\n",
    );
  if (groups.length === 0) return ["no groups", about, ...readsInstead(view, document)].join("\n");
  const most = Math.max(...groups.map((group) => group.count));
  const isCounted = metric === "count";
  const rows = groups.map((group) => [
    // A value of a record could look like a line of ours; a time that the server made cannot.
    document.group_by_time === null ? jsonLine(group.key) : String(group.key),
    ...(isCounted
      ? []
      : [group.by_unit === undefined ? amount(group.value, group.unit) : unitAmounts(group).join(", ")]),
    String(group.count),
    ...(bars && isCounted
      ? ["█".repeat(Math.max(group.count > 0 ? 1 : 0, Math.round((group.count / most) * barWidth)))]
      : []),
  ]);
  const head = [
    headOf(document),
    ...(isCounted ? [] : [metric.toUpperCase()]),
    "COUNT",
    ...(bars && isCounted ? [""] : []),
  ];
  const other = document.other_count
    ? [`and ${counted(document.other_count, "record")} in other groups`, ...moreGroups(view, document, asked)]
    : [];
  return [table(view.style, head, rows), ...other, about].join("\n");
}

const mostGroups = 100;

/** The groups behind these. A server without pages of groups can still show more of them at once. */
function moreGroups(view: View, { next_cursor: cursor, has_more: more }: Aggregation, asked: Input<"aggregate">) {
  const { limit = mostGroups } = asked;
  if (cursor !== undefined)
    return [continuation(view, { operation: "aggregate", arguments: { ...asked, limit, cursor } })];
  if (more !== undefined || (asked.limit ?? 0) >= mostGroups) return [];
  return [continuation(view, { operation: "aggregate", arguments: { ...asked, limit: mostGroups } })];
}

/** The number; of several units, one on a line for each. */
function valueLines(document: Aggregation): string[] {
  const { by_unit: units, other_units_count: others } = document;
  if (units === undefined) return [amount(document.value, document.unit)];
  const amounts = unitAmounts(document).map((text, i) => `${text}  ${counted(units[i]?.count ?? 0, "record")}`);
  return [...amounts, ...(others ? [`and ${counted(others, "record")} in other units`] : [])];
}

/** With every connection asked: what each of them has. */
function connectionLines(view: View, { by_connection: each, metric }: Aggregation): string[] {
  if (each === undefined) return [];
  const isCounted = metric === "count";
  const rows = each.map((one) => [
    one.connection_id,
    ...(isCounted ? [] : [one.by_unit === undefined ? amount(one.value, one.unit) : unitAmounts(one).join(", ")]),
    String(one.filtered_record_count),
    one.display_name ?? "",
  ]);
  return [table(view.style, ["CONNECTION", ...(isCounted ? [] : [metric.toUpperCase()]), "COUNT", "LABEL"], rows)];
}

const unitAmounts = ({ by_unit: units = [] }: Measured): string[] =>
  units.map(({ unit, value }) => (unit === null ? `${amount(value)} without a unit` : amount(value, unit)));

const amount = (value: Measured["value"], unit?: string): string => `${numberOf(value)}${unitText(unit)}`;

/** A number that is too exact for JSON comes as text. */
const numberOf = (value: Aggregation["value"]): string =>
  value === null || value === undefined ? "none" : harmless(String(value));

const headOf = ({ group_by: by, group_by_time: byTime }: Aggregation): string => harmless(by ?? byTime ?? "GROUP");
