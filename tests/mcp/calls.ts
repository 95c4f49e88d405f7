/** One successful call of each tool in the sample vault, and every error a caller can cause there. */

export interface ToolCallSample {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const id = "chat_home/messages:h03";

export const successes: readonly ToolCallSample[] = [
  { name: "schema", arguments: {} },
  { name: "query_records", arguments: { stream: "messages", connection_id: "chat_home", limit: 2 } },
  { name: "aggregate", arguments: { stream: "messages", connection_id: "chat_home", metric: "count" } },
  { name: "search", arguments: { query: "message" } },
  { name: "fetch", arguments: { id } },
  { name: "read_record_field", arguments: { id, field_path: "text" } },
];

const messages = { stream: "messages", connection_id: "chat_home" };

/** Calls whose results have other shapes. */
export const variations: readonly ToolCallSample[] = [
  { name: "schema", arguments: { stream: "messages" } },
  { name: "schema", arguments: { ...messages, detail: "full" } },
  { name: "query_records", arguments: { ...messages, changes_since: "beginning" } },
  { name: "query_records", arguments: { stream: "messages", limit: 1, expand: ["channel"] } },
  { name: "aggregate", arguments: { ...messages, metric: "count", group_by: "channel_id" } },
  { name: "aggregate", arguments: { ...messages, metric: "max", field: "sent_at" } },
  { name: "aggregate", arguments: { ...messages, metric: "max", field: "likes", filter: { channel_id: "none" } } },
  { name: "search", arguments: { query: "nothing has this word" } },
  { name: "fetch", arguments: { id: "chat_home/messages:m123", fields: ["blob_ref"] } },
  { name: "read_record_field", arguments: { id, field_path: "text", q: "message", after_chars: 2 } },
  { name: "read_record_field", arguments: { id, field_path: "likes" } },
];

/** Every error code that the arguments of a call can cause in the sample vault. */
export const failures: readonly (ToolCallSample & { readonly code: string })[] = [
  { name: "no_such_tool", arguments: {}, code: "invalid_argument" },
  { name: "schema", arguments: { colour: "red" }, code: "invalid_argument" },
  { name: "schema", arguments: { connection_id: "nope" }, code: "connection_not_found" },
  { name: "schema", arguments: { stream: "order_lines" }, code: "grant_stream_not_allowed" },
  { name: "schema", arguments: { stream: "messages", detail: "full" }, code: "ambiguous_schema_detail" },
  { name: "query_records", arguments: { ...messages, filter: { nope: 1 } }, code: "unknown_field" },
  { name: "query_records", arguments: { ...messages, expand: ["nope"] }, code: "invalid_expand" },
  { name: "query_records", arguments: { ...messages, cursor: "bad" }, code: "invalid_cursor" },
  { name: "aggregate", arguments: { ...messages, metric: "sum", field: "text" }, code: "invalid_request" },
  { name: "search", arguments: {}, code: "invalid_argument" },
  { name: "fetch", arguments: { id: "chat_home/messages:none" }, code: "not_found" },
  { name: "fetch", arguments: { id: "messages:h03" }, code: "ambiguous_connection" },
  { name: "read_record_field", arguments: { id, field_path: "nope" }, code: "unknown_field" },
  { name: "read_record_field", arguments: { id, field_path: "text[[" }, code: "invalid_field_path" },
  { name: "read_record_field", arguments: { id, field_path: "text", q: "absent" }, code: "query_not_found" },
  { name: "read_record_field", arguments: { id, field_path: "text", version: "99" }, code: "stale_window" },
  { name: "read_record_field", arguments: { id, field_path: "text", q: "m", offset_chars: 3 }, code: "invalid_window" },
];
