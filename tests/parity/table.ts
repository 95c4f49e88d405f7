import type { Call } from "./neutral.ts";
import { awkwardIds } from "./world.ts";

/** The requests sent to every surface, with the requirement ids they prove. */

export type Row = readonly [title: string, call: Call];

const call = (operation: Call["operation"], input: Call["input"] = {}): Call => ({ operation, input });
const of = (connection_id: string, stream: string, record_id: string) => ({ connection_id, stream, record_id });
const document = (id: string) => of("attic", "documents", id);
const entries = (more: object) => call("aggregate", { stream: "entries", field: "amount", ...more });
const field = (id: string, more: object) => call("readField", { ...document(id), field: "content", ...more });

export const answers: readonly Row[] = [
  ["[SCH-2] the index", call("schema")],
  ["[SCH-3] a stream of two connections", call("schema", { stream: "messages" })],
  ["[SCH-4] a stream of one", call("schema", { stream: "documents", connection_id: "attic" })],
  [
    "[EVI-3] [EVI-11] [LAD-1] [LAD-7] hits in several connections, with their highlights",
    call("search", { q: "boiler", limit: "5" }),
  ],
  ["[SRCH-50] a preferred time", call("search", { q: "boiler 2026-05-01", limit: "5" })],
  ["[EVI-3] [SRCH-8] a page of hits", call("search", { q: "message", limit: "2" })],
  ["[EVI-3] [LAD-8] a hit deep in a long text", call("search", { q: "bergamot", limit: "3" })],
  ["[EVI-3] [SRCH-6] a hit without a title", call("search", { q: "rhubarb", limit: "3" })],
  ["[EVI-2] [EVI-3] a hit in a stream without roles", call("search", { q: "marzipan", limit: "3" })],
  ["[EVI-3] [SRCH-4] hits of one connection", call("search", { q: "boiler", connection_id: "chat_work", limit: "5" })],
  ["[EVI-3] [LAD-5] nothing found", call("search", { q: "kumquat", limit: "5" })],
  ["[EVI-3] [EVI-1] a page of records", call("queryRecords", { stream: "messages", limit: "3" })],
  [
    "[EVI-3] long, encoded and stored values on cards",
    call("queryRecords", { stream: "documents", limit: "6", order: "asc", count: "exact" }),
  ],
  [
    "[EVI-3] [TOOL-6] a filter",
    call("queryRecords", {
      stream: "messages",
      connection_id: "chat_home",
      filter: { likes: { gte: "3", lt: "9" }, pinned: "true" },
      limit: "2",
    }),
  ],
  ["[EVI-3] no records", call("queryRecords", { stream: "messages", filter: { likes: { gte: "9999" } }, limit: "2" })],
  ["[EVI-3] [SCH-9] changes", call("queryRecords", { stream: "plain", changes_since: "beginning", limit: "10" })],
  [
    "[EVI-3] one related record",
    call("queryRecords", { stream: "messages", connection_id: "chat_home", expand: ["channel"], limit: "2" }),
  ],
  [
    "[EVI-3] [HND-1] many related records",
    call("queryRecords", {
      stream: "channels",
      connection_id: "chat_home",
      expand: ["messages"],
      expand_limit: { messages: "2" },
      limit: "1",
    }),
  ],
  ["[EVI-3] more fields than fit on a card", call("queryRecords", { stream: "forms", limit: "1" })],
  ["[FET-1] [EVI-3] a short record", call("fetch", document("small"))],
  ["[EVI-40] [EVI-3] a record with related records", call("fetch", of("chat_home", "channels", "general"))],
  ["[EVI-40] [EVI-3] a record with a parent", call("fetch", of("chat_home", "messages", "h03"))],
  [
    "[EVI-41] [TOOL-20] a record expanded with its related records",
    call("fetch", {
      ...of("chat_home", "channels", "general"),
      expand: ["messages"],
      expand_limit: { messages: "2" },
    }),
  ],
  [
    "[EVI-41] [TOOL-20] a record expanded with its parent",
    call("fetch", { ...of("chat_home", "messages", "h03"), expand: ["channel"] }),
  ],
  ["[FET-3] [EVI-3] a long record", call("fetch", document("saga"))],
  ["[FET-2] [EVI-3] some of its fields", call("fetch", { ...document("saga"), fields: ["subject", "author"] })],
  ["[FET-10] [EVI-3] a part of a field", call("fetch", { ...document("tree"), fields: ["id", "tree.list"] })],
  ["[FET-3] [HND-1] more fields than fit into a document", call("fetch", of("wide_1", "forms", "f1"))],
  ["[HND-5] [EVI-3] a compound key", call("fetch", of("shop_1", "order_lines", '["o/1","1"]'))],
  ["[BIG-1] [EVI-3] a text blob", call("fetch", document("letter"))],
  ["[BIG-1] [EVI-3] a picture", call("fetch", document("scan"))],
  ...awkwardIds.map((id): Row => [`[HND-5] [EVI-3] the key ${id.slice(0, 20)}`, call("fetch", document(id))]),
  ["[WIN-1] [EVI-3] a window with an offset", field("saga", { offset_chars: "500", limit_chars: "300" })],
  ["[WIN-3] [EVI-3] a window that ends at an offset", field("saga", { end_chars: "9000", limit_chars: "1500" })],
  [
    "[WIN-3] [WIN-8] [EVI-3] a window back from an offset, of each surface's own size",
    field("saga", { end_chars: "9000" }),
  ],
  ["[WIN-5] [EVI-3] a complete text", field("small", {})],
  ["[WIN-2] [EVI-3] a window around a match", field("saga", { q: "bergamot", before_chars: "60", after_chars: "90" })],
  ["[WIN-6] [EVI-3] a nested path", call("readField", { ...document("tree"), field: "tree.list[0].note" })],
  ["[WIN-6] [EVI-3] a path with a dot", call("readField", { ...document("tree"), field: 'tree.list[1]["key.dot"]' })],
  ["[WIN-6] [EVI-3] a JSON value", call("readField", { ...document("tree"), field: "tree", limit_chars: "200" })],
  ["[WIN-3] [EVI-3] characters beyond ASCII", field("scroll", { offset_chars: "11", limit_chars: "100" })],
  ["[BIG-1] [EVI-3] the text of a blob", call("readField", { ...document("letter"), field: "scan{text}" })],
  [
    "[EVI-3] a number",
    call("aggregate", { stream: "messages", connection_id: "chat_home", metric: "sum", field: "likes" }),
  ],
  ["[EVI-3] a number over two connections", call("aggregate", { stream: "messages", metric: "count" })],
  [
    "[EVI-3] [HND-1] the first page of groups",
    call("aggregate", { stream: "messages", metric: "count", group_by: "channel_id", limit: "1" }),
  ],
  [
    "[EVI-3] groups of times",
    call("aggregate", { stream: "messages", metric: "count", group_by_time: "sent_at", granularity: "hour" }),
  ],
  ...amounts(),
];

function amounts(): Row[] {
  return [
    ["[AGG-3] [EVI-3] a sum in several units", entries({ metric: "sum" })],
    ["[AGG-3] [EVI-3] the largest of several units", entries({ metric: "max" })],
    ["[AGG-2] [EVI-3] a sum in one unit", entries({ metric: "sum", filter: { currency: "EUR" } })],
    ["[AGG-4] [EVI-3] a sum by value", entries({ metric: "sum", group_by: "payee" })],
    ["[AGG-4] [EVI-3] a sum by month", entries({ metric: "sum", group_by_time: "on", granularity: "month" })],
    [
      "[AGG-6] [EVI-3] a list of amounts only",
      call("queryRecords", { stream: "entries", fields: ["amount"], limit: "5" }),
    ],
    [
      "[PAG-9] [PAG-10] [EVI-3] a filter for a part of a value",
      call("queryRecords", { stream: "entries", filter: { payee: "bak" }, limit: "5" }),
    ],
    ["[AGG-6] [EVI-3] an amount only", call("fetch", { ...of("ledger_1", "entries", "e3"), fields: ["amount"] })],
  ];
}

export const failures: readonly (readonly [title: string, call: Call, code: string])[] = [
  [
    "[AMB-1] a record that several connections can have",
    call("fetch", { stream: "messages", record_id: "twin" }),
    "ambiguous_connection",
  ],
  ["a record that does not exist", call("fetch", document("nowhere")), "not_found"],
  [
    "a field outside the grant, in a window",
    call("readField", { ...document("hidden"), field: "secret" }),
    "field_not_granted",
  ],
  [
    "a field outside the grant, in a filter",
    call("queryRecords", { stream: "documents", filter: { secret: "zanzibar" } }),
    "field_not_granted",
  ],
  [
    "a field that is not declared",
    call("queryRecords", { stream: "messages", filter: { nope: "1" } }),
    "unknown_field",
  ],
  [
    "[FET-11] a field that is not declared, in a window",
    call("readField", { ...document("small"), field: "nope" }),
    "unknown_field",
  ],
  ["an invalid cursor", call("queryRecords", { stream: "messages", cursor: "nonsense" }), "invalid_cursor"],
  ["an invalid cursor in a search", call("search", { q: "boiler", cursor: "nonsense" }), "invalid_cursor"],
  ["[WIN-4] a version that was pruned", field("saga", { version: "99" }), "stale_window"],
  ["words that are not in the text", field("saga", { q: "kumquat" }), "query_not_found"],
  ["a path that does not exist", call("readField", { ...document("tree"), field: "tree.nope" }), "field_not_found"],
  ["a stream outside the grant", call("queryRecords", { stream: "diary" }), "grant_stream_not_allowed"],
  [
    "a connection outside the grant",
    call("queryRecords", { stream: "messages", connection_id: "diary" }),
    "connection_not_found",
  ],
];
