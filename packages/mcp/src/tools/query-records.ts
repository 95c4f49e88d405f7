import type { Continuation } from "@pdpp/contract/continuation";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordList, WireTombstone } from "@pdpp/contract/wire";
import { z } from "zod";
import { connectionId, cursor, filter, limitOf, unlisted, wireFilter, wireSort } from "../arguments.ts";
import { callLine, definedOnly, literal, nextPage, oneLine, type ToolCall, toolCall } from "../continuation.ts";
import { cardLines, cardObject, fetchCall } from "../render/card.ts";
import { warningLines, warningObjects } from "../render/notes.ts";
import { fittingPage, sizes } from "../size.ts";
import { type Answer, defineTool, type ToolContext } from "../tool.ts";

const standardLimit = 10;

const input = z.strictObject({
  stream: z.string().min(1).describe("a stream that schema lists"),
  connection_id: connectionId,
  filter,
  fields: z.array(z.string().min(1)).min(1).optional().describe("only these fields"),
  order: z.enum(["asc", "desc"]).optional().describe("by the stream's time; newest first (desc) by default"),
  sort: unlisted(z.any().optional()),
  limit: limitOf(standardLimit, "records"),
  cursor,
  count: z.enum(["none", "exact"]).optional().describe("exact: how many records match in all"),
  expand: z.array(z.string().min(1)).optional().describe("relations to bring along, as schema(stream) lists them"),
  expand_limit: z.any().optional().meta({ type: "object" }).describe('{"relation": n}'),
  changes_since: z.string().min(1).optional().describe('"beginning", or a bookmark from an earlier answer'),
});
type Args = z.infer<typeof input>;
type Shown = EvidenceCard | WireTombstone;

export const queryRecords = defineTool({
  name: "query_records",
  title: "List records",
  description:
    "List records of one stream, newest first, with filters, paging and change tracking. Each is a bounded card; " +
    "-> lines are the exact next calls: the next page, the rest of a field, the whole record. " +
    "Call schema(stream) first for field names.",
  input,
  output: {
    stream: "string",
    has_more: "boolean",
    next: "object",
    records: "array",
    count: "object",
    next_changes_since: "string",
    warnings: "array",
    next_changes: "object",
  },
  call: (context, args) =>
    fittingPage<RecordList>({
      limit: args.limit ?? standardLimit,
      most: args.limit === undefined ? sizes.raw : Number.POSITIVE_INFINITY,
      read: (limit) => context.api.queryRecords(wireInput(args, limit)),
      answer: (page, brief) => answerOf(args, page, brief),
      shorter: (page) => withFewerRelated(context, args, page),
    }),
});

/** Of each relation one record, and the call that lists them all. The cursor stays that of the page that was asked for. */
async function withFewerRelated({ api }: ToolContext, args: Args, page: RecordList): Promise<RecordList> {
  const [record] = page.data as readonly Shown[];
  const expanded = record === undefined || isTombstone(record) ? {} : (record.expanded ?? {});
  const lists = Object.entries(expanded).flatMap(([name, value]) =>
    (value as { object?: string } | null)?.object === "list" ? [name] : [],
  );
  if (lists.length === 0) return page;
  const limits = Object.fromEntries(lists.map((name) => [name, 1]));
  const { data } = await api.queryRecords(wireInput({ ...args, expand_limit: limits }, 1));
  return { ...page, data };
}

const wireInput = (args: Args, limit: number): Input<"queryRecords"> => {
  const { expand_limit: limits, ...rest } = args;
  return definedOnly({
    ...rest,
    limit,
    filter: wireFilter(args.filter),
    sort: wireSort(args.sort),
    expand_limit: limits,
    view: "evidence",
  }) as Input<"queryRecords">;
};

function answerOf(args: Args, page: RecordList, brief: boolean): Answer {
  const next = page.next_cursor === undefined ? undefined : nextPage("query_records", args, page.next_cursor);
  const bookmark = page.next_changes_since;
  const later: ToolCall | undefined =
    bookmark === undefined
      ? undefined
      : {
          tool: "query_records",
          arguments: { ...(definedOnly(withoutCursor(args)) as JsonObject), changes_since: bookmark },
        };
  const shown = page.data as readonly Shown[];
  const { count } = page.meta;
  const structured: JsonObject = {
    stream: args.stream,
    has_more: page.has_more,
    ...(next === undefined ? {} : { next: next as unknown as Json }),
    ...(count?.value === undefined ? {} : { count: { kind: count.kind, value: count.value } }),
    ...(later === undefined ? {} : { next_changes_since: bookmark!, next_changes: later as unknown as Json }),
    ...warningObjects(page.meta.warnings),
    records: shown.map((record) => recordObject(record, brief)),
  };
  const lines = [
    headline(args, page, shown.length),
    ...(next === undefined ? [] : [callLine(next)]),
    ...(later === undefined ? [] : ["Later, what changed from now on:", callLine(later)]),
    ...warningLines(page.meta.warnings),
    ...shown.flatMap((record, i) => recordLines(i + 1, record, brief)),
  ];
  return { structured, text: lines.join("\n") };
}

const withoutCursor = ({ cursor: _, ...rest }: Args): Record<string, unknown> => rest;

function headline({ stream, changes_since: changes, order, sort }: Args, page: RecordList, shown: number): string {
  const what = `${changes === undefined ? "record" : "change"}${shown === 1 ? "" : "s"}`;
  // Not every stream has a time, so there may be no newest.
  const way = changes === undefined ? `, order ${order ?? orderOf(sort)}` : "";
  const total = page.meta.count?.value === undefined ? "" : ` of ${page.meta.count.value} in all`;
  const more = page.has_more ? "more follow:" : "no more follow.";
  return `${oneLine(stream)}: ${shown} ${what}${total}${way}; ${more}`;
}

const orderOf = (sort: unknown): "asc" | "desc" =>
  (wireSort(sort) ?? []).some((entry) => !entry.startsWith("-")) ? "asc" : "desc";

const isTombstone = (record: Shown): record is WireTombstone => "deleted" in record && record.deleted === true;

const deletedId = (record: WireTombstone): string => `${record.connection_id}/${record.stream}:${record.id}`;

type Related = { readonly name: string; readonly cards: readonly EvidenceCard[]; readonly next?: ToolCall };

/** Related records are named only; each has its own fetch. */
function relatedOf(record: EvidenceCard): Related[] {
  const expanded = (record.expanded ?? {}) as NonNullable<
    Extract<RecordList["data"][number], { slots: object }>["expanded"]
  >;
  return Object.entries(expanded).map(([name, value]): Related => {
    if (value === null) return { name, cards: [] };
    if (value.object !== "list") return { name, cards: [value as EvidenceCard] };
    const { data, next } = value as { data: readonly EvidenceCard[]; next?: Continuation };
    return { name, cards: data, ...(next === undefined ? {} : { next: toolCall(next) }) };
  });
}

function recordObject(record: Shown, brief: boolean): JsonObject {
  if (isTombstone(record)) return { id: deletedId(record), deleted: true, deleted_at: record.deleted_at };
  const related = relatedOf(record).map(({ name, cards, next }): [string, Json] => [
    name,
    {
      records: cards.map(({ id, title }) => ({ id, title, read: fetchCall(id) as unknown as Json })),
      ...(next === undefined ? {} : { next: next as unknown as Json }),
    },
  ]);
  return { ...cardObject(record, brief), ...(related.length === 0 ? {} : { expanded: Object.fromEntries(related) }) };
}

function recordLines(n: number, record: Shown, brief: boolean): string[] {
  if (isTombstone(record)) return [`${n}. deleted ${record.deleted_at}: ${literal(deletedId(record))}`];
  const related = relatedOf(record).flatMap(({ name, cards, next }) => [
    `${oneLine(name)}: ${cards.length === 0 ? "none" : `${cards.length} related`}`,
    ...cards.flatMap(({ id, title }) => [`  ${literal(title)}`, callLine(fetchCall(id))]),
    ...(next === undefined ? [] : ["all of them:", callLine(next)]),
  ]);
  return [...cardLines(n, record, brief), ...related];
}
