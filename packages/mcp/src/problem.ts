import type { JsonObject } from "@pdpp/contract/declaration";
import { type ConnectionCandidate, PdppError } from "@pdpp/contract/errors";
import { callLine, definedOnly, literal, type ToolCall } from "@pdpp/evidence/forms/call";
import { sizes } from "@pdpp/evidence/forms/size";
import { fits, mostFitting } from "./size.ts";
import type { Answer } from "./tool.ts";

/** An error as a model reads it: the words first, then what to call instead, as many calls as there is room for. */
export function problemAnswer(error: PdppError, tool: string, args: Record<string, unknown>): Answer {
  const next = nextCalls(error, tool, definedOnly(args));
  const answer = (calls: number): Answer => answerWith(error, next.slice(0, calls));
  const most = answer(mostFitting(next.length, (calls) => fits(answer(calls), sizes.raw)));
  // Arguments that are too long to be repeated are not; how to begin again is said in a few words.
  return fits(most, sizes.raw) ? most : answerWith(error, [call("schema", {})]);
}

const longestMessage = 600;

/** A message may repeat a name that it was sent: a name may hold a line, and have any length. */
function wordsOf({ message }: PdppError): string {
  const line = message.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  const chars = [...line.slice(0, 2 * longestMessage)];
  return line.length <= longestMessage ? line : `${chars.slice(0, longestMessage).join("")}…`;
}

function answerWith(error: PdppError, next: readonly ToolCall[]): Answer {
  const { param, retry_with, available_connections: candidates = [] } = error.details;
  const message = wordsOf(error);
  const count = error.details.available_connection_count ?? candidates.length;
  const problem = {
    code: error.code,
    message,
    ...(param === undefined ? {} : { param: param.slice(0, longestMessage).toWellFormed() }),
    ...(retry_with === undefined ? {} : { retry_with }),
    ...(candidates.length === 0
      ? {}
      : {
          available_connections: candidates as unknown as JsonObject[],
          available_connection_count: count,
          available_connections_truncated: count > candidates.length,
        }),
    next: next as unknown as JsonObject[],
  };
  const lines = [
    `Error: ${error.code}: ${message}`,
    ...(candidates.length === 0 ? [] : [connectionsLine(candidates, count)]),
    ...next.map(callLine),
  ];
  return { structured: { error: problem }, text: lines.join("\n") };
}

function connectionsLine(candidates: readonly ConnectionCandidate[], count: number): string {
  const shown = candidates.map(({ connection_id: id, connector_key: key, display_name: label }) =>
    [id, key, ...(label === undefined ? [] : [literal(label)])].join(" "),
  );
  const more = count > candidates.length ? `, and ${count - candidates.length} more (schema lists them)` : "";
  return `Connections: ${shown.join(", ")}${more}`;
}

const withoutPlace = ({
  cursor: _,
  version: __,
  offset_chars: ___,
  end_chars: ____,
  ...rest
}: Record<string, unknown>) => rest;
const schemaCall = (args: Record<string, unknown>): ToolCall => ({
  tool: "schema",
  arguments: definedOnly({ stream: args.stream, connection_id: args.connection_id }) as JsonObject,
});
const call = (tool: string, args: Record<string, unknown>): ToolCall => ({ tool, arguments: args as JsonObject });

/** What to call instead, by what went wrong. */
function nextCalls({ code, details }: PdppError, tool: string, args: Record<string, unknown>): ToolCall[] {
  if (details.available_connections !== undefined && details.available_connections.length > 0) {
    const choices = details.available_connections.map(({ connection_id: id }) =>
      call(tool, { ...args, connection_id: id }),
    );
    return details.available_connections_truncated ? [...choices, call("schema", {})] : choices;
  }
  switch (code) {
    case "invalid_argument":
      return details.param === "detail" ? [call("schema", {})] : [];
    case "invalid_cursor":
    case "cursor_expired":
    case "stale_window":
      return [call(tool, code === "cursor_expired" ? { ...args, changes_since: "beginning" } : withoutPlace(args))];
    case "query_not_found": {
      const { q: _, before_chars: __, after_chars: ___, ...rest } = args;
      return [call(tool, rest)];
    }
    case "field_not_found":
    case "field_not_granted":
    case "invalid_field_path":
    case "field_not_text":
      return args.id === undefined ? [schemaCall(args)] : [call("fetch", { id: args.id })];
    case "unknown_field":
    case "invalid_sort":
    case "invalid_expand":
    case "insufficient_scope":
      return args.stream === undefined ? [call("schema", {})] : [schemaCall(args)];
    case "grant_stream_not_allowed":
    case "stream_not_declared":
    case "connection_not_found":
    case "not_found":
      return [call("schema", {})];
    default:
      return [];
  }
}

/** Anything else thrown is a bug of ours: whoever runs pdpp sees all of it, the model sees that there was one. */
export const asProblem = (error: unknown, onBug: (error: unknown) => void): PdppError => {
  if (error instanceof PdppError) return error;
  onBug(error);
  return new PdppError(
    "api_error",
    "a bug in pdpp, not in the data; nothing was changed. Try another call, and tell the owner to look at the log of pdpp",
  );
};
