import type { Input } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
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
  if (groups === undefined) return `${numberOf(document.value)}\n${about}`;
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
    ? [`and ${counted(document.other_count, "record")} in other groups`, ...moreGroups(view, asked)]
    : [];
  return [table(view.style, head, rows), ...other, about].join("\n");
}

const mostGroups = 100;

/** The same with more groups, while there can be more. */
function moreGroups(view: View, asked: Input<"aggregate">): string[] {
  if ((asked.limit ?? 0) >= mostGroups) return [];
  return [continuation(view, { operation: "aggregate", arguments: { ...asked, limit: mostGroups } })];
}

/** A number that is too exact for JSON comes as text. */
const numberOf = (value: Aggregation["value"]): string =>
  value === null || value === undefined ? "none" : harmless(String(value));

const headOf = ({ group_by: by, group_by_time: byTime }: Aggregation): string => harmless(by ?? byTime ?? "GROUP");
