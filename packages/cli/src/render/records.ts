import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { RecordList, WireRecord, WireTombstone } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { cardText } from "./card.ts";
import { sourceLines } from "./source.ts";
import { jsonLine } from "./terminal/literal.ts";
import { fittedTable } from "./terminal/table.ts";
import { continuation, counted, type NextRead, type View } from "./view.ts";

type Asked = Input<"queryRecords">;
type Item = RecordList["data"][number];

/** A page of cards, and the command for the next one. */
export function recordsText(view: View, list: RecordList, asked: Asked): string {
  if (list.data.length === 0)
    return ["no records", ...readsInstead(view, list), ...nextOf(view, list, asked)].join("\n");
  return [...list.data.map((item) => itemText(view, item)), pageFoot(view, list, asked)].join("\n\n");
}

/** What a warning offers to read; its words are on stderr. */
export const readsInstead = (view: View, { meta }: Pick<RecordList, "meta">): string[] =>
  meta.warnings.flatMap(({ reads = [] }) => reads.map((read) => continuation(view, read)));

function itemText(view: View, item: Item): string {
  return item.object === "evidence_card" ? cardText(view, item) : recordText(view, item);
}

/** A record that came without a card: its data on a line. */
export function recordText(view: View, item: WireRecord | WireTombstone): string {
  const head = isTombstone(item) ? [view.style.bold(`deleted ${item.deleted_at}`)] : [];
  const values = isTombstone(item) ? [] : [`  ${jsonLine(item.data)}`];
  return [...head, ...sourceLines(view, { ...item, id: handleOf(item) }), ...values].join("\n");
}

const isTombstone = (item: WireRecord | WireTombstone): item is WireTombstone => item.deleted === true;

const handleOf = ({ connection_id, stream, id }: { connection_id: string; stream: string; id: string }): string =>
  formatHandle({ connectionId: connection_id, stream, recordId: id });

const nextOf = (view: View, list: RecordList, asked: Asked): string[] => [
  ...(list.next_cursor === undefined
    ? []
    : [continuation(view, { operation: "queryRecords", arguments: { ...asked, cursor: list.next_cursor } })]),
  ...laterOf(view, list, asked),
];

/** What will have changed then is asked for with the bookmark, in the same words otherwise. */
function laterOf(view: View, { next_changes_since: bookmark }: RecordList, asked: Asked): string[] {
  if (bookmark === undefined) return [];
  const { cursor: _, ...rest } = asked;
  const later: NextRead = { operation: "queryRecords", arguments: { ...rest, changes_since: bookmark } };
  return [view.style.dim("later, what changed since now"), continuation(view, later)];
}

function pageFoot(view: View, list: RecordList, asked: Asked): string {
  const { count } = list.meta;
  const total = count?.value === undefined ? "" : ` of ${count.kind === "exact" ? "" : "about "}${count.value}`;
  return [view.style.dim(counted(list.data.length, "record") + total), ...nextOf(view, list, asked)].join("\n");
}

/** A row a record: its id, then its fields in the order they come. */
export function recordsTable(view: View, list: RecordList, asked: Asked): string {
  const rows = list.data.flatMap((item) => (item.object === "evidence_card" ? [] : [item]));
  // Cards that were asked for are not rows.
  if (rows.length === 0) return recordsText(view, list, asked);
  return [rowsTable(view, rows), pageFoot(view, list, asked)].join("\n");
}

export function rowsTable(view: View, rows: readonly (WireRecord | WireTombstone)[]): string {
  const dataOf = (row: WireRecord | WireTombstone): JsonObject => (isTombstone(row) ? {} : row.data);
  const names = [...new Set(rows.flatMap((row) => Object.keys(dataOf(row))))];
  const cell = (value: Json | undefined): string =>
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return fittedTable(
    view,
    ["ID", ...names],
    rows.map((row) => [handleOf(row), ...names.map((name) => cell(dataOf(row)[name]))]),
  );
}
