/** One call of each tool that succeeds in the sample vault, and the errors that a caller can bring about in it. */

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
