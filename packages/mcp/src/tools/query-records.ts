import type { JsonObject } from "@pdpp/contract/declaration";
import type { RecordList } from "@pdpp/contract/wire";
import { findSharedFacts, isCard } from "@pdpp/evidence/cards/shared-facts";
import { toOneLine } from "@pdpp/evidence/text/literal";
import { z } from "zod";
import {
  connectionId,
  cursor,
  expandLimit,
  filter,
  hideArgument,
  parseLimit,
  toWireExpandLimit,
  toWireFilter,
  toWireSort,
} from "../arguments.ts";
import { callNextPage } from "../continuation.ts";
import { addOriginToCard, createBlobMeta, hasBytes } from "../layout/bytes.ts";
import { createCall, formatCall } from "../layout/call.ts";
import { formatSharedFacts, layOutItem } from "../layout/card.ts";
import { sizes } from "../layout/part.ts";
import { buildWarnings, formatWarnings } from "../render/notes.ts";
import { computeItemRoom, fits, formatPage } from "../size.ts";
import { type Answer, defineTool } from "../tool.ts";

const standardLimit = 10;

const input = z.strictObject({
  stream: z.string().min(1).describe("a stream that schema lists"),
  connection_id: connectionId,
  filter,
  fields: z.array(z.string().min(1)).min(1).optional().describe("only these fields"),
  view: z.string().min(1).optional().describe("only the fields of this declared view"),
  order: z.enum(["asc", "desc"]).optional().describe("by the stream's time; newest first (desc) by default"),
  sort: hideArgument(z.any().optional()),
  limit: parseLimit(standardLimit, "records"),
  cursor,
  count: z.enum(["none", "exact"]).optional().describe("exact: how many records match in all"),
  expand: z.array(z.string().min(1)).optional().describe("relations to include, as listed by schema(stream)"),
  expand_limit: expandLimit,
  changes_since: z.string().min(1).optional().describe('"beginning", or a bookmark from an earlier answer'),
});
type Args = z.infer<typeof input>;

export const queryRecords = defineTool({
  name: "query_records",
  title: "List records",
  description:
    "List records of one stream, newest first, with filters, paging and change tracking. Each is a bounded card; " +
    "-> lines are the next calls: the next page, the rest of a card. " +
    "Call schema(stream) first for field names.",
  input,
  output: {
    stream: "string",
    has_more: "boolean",
    next: "object",
    shared: "object",
    records: "array",
    count: "object",
    next_changes_since: "string",
    warnings: "array",
    next_changes: "object",
  },
  async call({ api, origin }, args) {
    const most = args.limit === undefined ? sizes.raw : Number.POSITIVE_INFINITY;
    const { filter: given, sort: order, expand_limit: limits, view, ...rest } = args;
    const [filter, sort, expandLimit] = [toWireFilter(given), toWireSort(order), toWireExpandLimit(limits)];
    const page = await api.queryRecords({
      ...rest,
      limit: args.limit ?? standardLimit,
      ...(filter === undefined ? {} : { filter }),
      ...(sort === undefined ? {} : { sort }),
      ...(expandLimit === undefined ? {} : { expand_limit: expandLimit }),
      view: "evidence",
      ...(view === undefined || view === "evidence" ? {} : { fields_view: view }),
      max_chars: computeItemRoom(most, callNextPage("query_records", args, ""), 2 * origin.length * standardLimit),
    });
    const data = page.data.map((item) =>
      isCard(item) && hasBytes(item) ? { ...item, ...addOriginToCard(item, origin) } : item,
    );
    const answer = (shown: RecordList, brief: boolean) => formatRecords(args, shown, brief);
    const whole = formatPage({ ...page, data }, most, answer);
    // The server measured the page without its origin, and a card may refer to many files.
    return fits(whole, most) ? whole : formatPage(page, most, answer);
  },
});

function formatRecords(args: Args, page: RecordList, brief: boolean): Answer {
  const next = page.next_cursor === undefined ? undefined : callNextPage("query_records", args, page.next_cursor);
  const bookmark = page.next_changes_since;
  const { cursor: _, ...asked } = args;
  const later = bookmark === undefined ? undefined : createCall("query_records", { ...asked, changes_since: bookmark });
  const shared = findSharedFacts(page.data);
  const items = page.data.map((item) => layOutItem(item, shared, brief));
  const { count, warnings } = page.meta;
  const structured: JsonObject = {
    stream: args.stream,
    has_more: page.has_more,
    ...(next === undefined ? {} : { next }),
    ...(count?.value === undefined ? {} : { count: { kind: count.kind, value: count.value } }),
    ...(bookmark === undefined || later === undefined ? {} : { next_changes_since: bookmark, next_changes: later }),
    ...buildWarnings(warnings),
    ...(Object.keys(shared).length === 0 ? {} : { shared }),
    records: items.flatMap(({ objects }) => objects),
  };
  const lines = [
    formatHeadline(args, page),
    ...(next === undefined ? [] : [formatCall(next)]),
    ...(later === undefined ? [] : ["To get changes after this point:", formatCall(later)]),
    ...formatWarnings(warnings),
    ...formatSharedFacts(shared),
    ...items.flatMap(({ lines: [head, ...rest] }, i) => [`${i + 1}. ${head}`, ...rest]),
  ];
  return { structured, text: lines.join("\n"), ...createBlobMeta(items.flatMap(({ uris = [] }) => uris)) };
}

const describeOrder = (sort: unknown): "asc" | "desc" =>
  (toWireSort(sort) ?? []).some((entry) => !entry.startsWith("-")) ? "asc" : "desc";

function formatHeadline(args: Args, page: RecordList): string {
  const { stream, changes_since: changes, limit = standardLimit, order = describeOrder(args.sort) } = args;
  const shown = page.data.length;
  const what = `${changes === undefined ? "record" : "change"}${shown === 1 ? "" : "s"}`;
  // Not every stream has a time field, so "newest" may not apply.
  const way = changes === undefined ? `, order ${order}` : "";
  const total = page.meta.count?.value === undefined ? "" : ` of ${page.meta.count.value} in all`;
  const fewer = args.fields?.length === 1 ? "" : "; ask for fewer fields to fit more";
  const full = page.has_more && shown > 0 && shown < limit ? ` (the result is full${fewer})` : "";
  const more = page.has_more ? "next page:" : "last page.";
  return `${toOneLine(stream)}: ${shown} ${what}${total}${way}${full}; ${more}`;
}
