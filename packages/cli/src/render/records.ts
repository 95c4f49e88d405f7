import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { RecordList, WireRecord, WireTombstone } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { formatCard } from "./card.ts";
import { formatSource } from "./source.ts";
import { toJsonLine } from "./terminal/literal.ts";
import { formatFittedTable } from "./terminal/table.ts";
import { formatContinuation, formatCount, type NextRead, type View } from "./view.ts";

type RecordsRequest = Input<"queryRecords">;
type Item = RecordList["data"][number];

export function formatRecords(view: View, list: RecordList, asked: RecordsRequest): string {
  if (list.data.length === 0)
    return ["no records", ...formatSuggestedReads(view, list), ...formatNextPage(view, list, asked)].join("\n");
  return [...list.data.map((item) => formatItem(view, item)), formatPageFooter(view, list, asked)].join("\n\n");
}

/** Commands suggested by warnings; the warnings themselves go to stderr. */
export const formatSuggestedReads = (view: View, { meta }: Pick<RecordList, "meta">): string[] =>
  meta.warnings.flatMap(({ reads = [] }) => reads.map((read) => formatContinuation(view, read)));

function formatItem(view: View, item: Item): string {
  return item.object === "evidence_card" ? formatCard(view, item) : formatRecord(view, item);
}

export function formatRecord(view: View, item: WireRecord | WireTombstone): string {
  const head = isTombstone(item) ? [view.style.bold(`deleted ${item.deleted_at}`)] : [];
  const values = isTombstone(item) ? [] : [`  ${toJsonLine(item.data)}`];
  return [...head, ...formatSource(view, { ...item, id: toHandle(item) }), ...values].join("\n");
}

const isTombstone = (item: WireRecord | WireTombstone): item is WireTombstone => item.deleted === true;

const toHandle = ({ connection_id, stream, id }: { connection_id: string; stream: string; id: string }): string =>
  formatHandle({ connectionId: connection_id, stream, recordId: id });

const formatNextPage = (view: View, list: RecordList, asked: RecordsRequest): string[] => [
  ...(list.next_cursor === undefined
    ? []
    : [formatContinuation(view, { operation: "queryRecords", arguments: { ...asked, cursor: list.next_cursor } })]),
  ...formatChangesLater(view, list, asked),
];

function formatChangesLater(view: View, { next_changes_since: bookmark }: RecordList, asked: RecordsRequest): string[] {
  if (bookmark === undefined) return [];
  const { cursor: _, ...rest } = asked;
  const later: NextRead = { operation: "queryRecords", arguments: { ...rest, changes_since: bookmark } };
  return [view.style.dim("later, to see what changed since now"), formatContinuation(view, later)];
}

function formatPageFooter(view: View, list: RecordList, asked: RecordsRequest): string {
  const { count } = list.meta;
  const total = count?.value === undefined ? "" : ` of ${count.kind === "exact" ? "" : "about "}${count.value}`;
  return [view.style.dim(formatCount(list.data.length, "record") + total), ...formatNextPage(view, list, asked)].join(
    "\n",
  );
}

export function formatRecordsTable(view: View, list: RecordList, asked: RecordsRequest): string {
  const rows = list.data.flatMap((item) => (item.object === "evidence_card" ? [] : [item]));
  // An evidence view has no rows.
  if (rows.length === 0) return formatRecords(view, list, asked);
  return [formatRowsTable(view, rows), formatPageFooter(view, list, asked)].join("\n");
}

export function formatRowsTable(view: View, rows: readonly (WireRecord | WireTombstone)[]): string {
  const getData = (row: WireRecord | WireTombstone): JsonObject => (isTombstone(row) ? {} : row.data);
  const names = [...new Set(rows.flatMap((row) => Object.keys(getData(row))))];
  const formatCell = (value: Json | undefined): string =>
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return formatFittedTable(
    view,
    ["ID", ...names],
    rows.map((row) => [toHandle(row), ...names.map((name) => formatCell(getData(row)[name]))]),
  );
}
