import type { Input } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
import { unitText } from "./card.ts";
import { jsonLine } from "./literal.ts";
import { harmless } from "./style.ts";
import { table } from "./table.ts";
import { continuation, counted, type View } from "./view.ts";

const barWidth = 30;

/** The number; or the groups with a bar for each on a terminal. */
export function aggregationText(view: View, document: Aggregation, asked: Input<"aggregate">, bars: boolean): string {
  const { groups, metric, field, stream, filtered_record_count: count } = document;
  const about = view.style.dim(
    `${metric}${field === null ? "" : ` of ${harmless(field)}`} over ${counted(count, "record")} of ${harmless(stream)}`,
  );
  if (groups === undefined)
    return [`${numberOf(document.value)}${unitText(document.unit)}`, about, ...unitLines(view, document)].join("\n");
  if (groups.length === 0) return `no groups\n${about}`;
  const most = Math.max(...groups.map((group) => group.count));
  const rows = groups.map((group) => [
    // A value of a record could look like a line of ours; a time that the server made cannot.
    document.group_by_time === null ? jsonLine(group.key) : String(group.key),
    String(group.count),
    ...(bars ? ["█".repeat(Math.max(group.count > 0 ? 1 : 0, Math.round((group.count / most) * barWidth)))] : []),
  ]);
  const head = [headOf(document), "COUNT", ...(bars ? [""] : [])];
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

/** A number over several units is none: each unit by itself. */
const unitLines = (view: View, { by_unit: units = [] }: Aggregation): string[] =>
  units.flatMap(({ unit, count, read }) => [
    `${unit === null ? "without a unit" : jsonLine(unit)}: ${counted(count, "record")}`,
    ...(read === undefined ? [] : [continuation(view, read)]),
  ]);

/** A number that is too exact for JSON comes as text. */
const numberOf = (value: Aggregation["value"]): string =>
  value === null || value === undefined ? "none" : harmless(String(value));

const headOf = ({ group_by: by, group_by_time: byTime }: Aggregation): string => harmless(by ?? byTime ?? "GROUP");
