import { type ConnectionCandidate, PdppError, type UnavailableConnection } from "@pdpp/contract/errors";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { findMostFitting } from "@pdpp/evidence/sizes/size";
import { escapeControls, toLiteral } from "@pdpp/evidence/text/literal";
import { createCall, formatCall, type ToolCall } from "./layout/call.ts";
import { sizes } from "./layout/part.ts";
import { parseRecordId, type RecordPlace } from "./record-id.ts";
import { fits } from "./size.ts";
import type { Answer } from "./tool.ts";

/** Formats an error for a model: the message first, then calls to make instead, as many as fit. */
export function formatProblem(problem: PdppError, tool: string, args: Args, origin: string): Answer {
  const error = useToolNames(problem, tool, origin);
  const next = listNextCalls(problem, tool, args);
  const answer = (calls: number): Answer => answerWith(error, next.slice(0, calls));
  const most = answer(findMostFitting(next.length, (calls) => fits(answer(calls), sizes.raw)));
  // Arguments that are too long to repeat are omitted.
  return fits(most, sizes.raw) ? most : answerWith(error, [index]);
}

const longestMessage = 600;

/** A message may quote a name of any length, with line breaks. */
const formatMessage = ({ message }: PdppError): string => joinLines(message);

function joinLines(message: string): string {
  const line = escapeControls(message.replace(/[\p{Cc}\u2028\u2029]+/gu, " "));
  const chars = [...line.slice(0, 2 * longestMessage)];
  return line.length <= longestMessage ? line : `${chars.slice(0, longestMessage).join("")}…`;
}

function answerWith(error: PdppError, next: readonly ToolCall[]): Answer {
  const { param, retry_with, available_connections: candidates = [], unavailable_connections: unable } = error.details;
  const message = formatMessage(error);
  const count = error.details.available_connection_count ?? candidates.length;
  const problem = {
    code: error.code,
    message,
    ...(param === undefined ? {} : { param: param.slice(0, longestMessage).toWellFormed() }),
    ...(retry_with === undefined ? {} : { retry_with }),
    ...(candidates.length === 0
      ? {}
      : {
          available_connections: candidates.map((candidate) => ({ ...candidate })),
          available_connection_count: count,
          available_connections_truncated: count > candidates.length,
        }),
    ...(unable === undefined ? {} : { unavailable_connections: unable.map((connection) => ({ ...connection })) }),
    next: [...next],
  };
  const lines = [
    `Error: ${error.code}: ${message}`,
    ...(candidates.length === 0 ? [] : [formatConnections(candidates, count)]),
    ...(unable === undefined ? [] : [formatUnavailable(unable)]),
    ...next.map(formatCall),
  ];
  return { structured: { error: problem }, text: lines.join("\n") };
}

function formatConnections(candidates: readonly ConnectionCandidate[], count: number): string {
  const shown = candidates.map(({ connection_id: id, connector_key: key, display_name: label }) =>
    [id, key, ...(label === undefined ? [] : [toLiteral(label)])].join(" "),
  );
  const more = count > candidates.length ? `, and ${count - candidates.length} more (schema lists them)` : "";
  return `Connections: ${shown.join(", ")}${more}`;
}

function formatUnavailable(unable: readonly UnavailableConnection[]): string {
  const byReason = Map.groupBy(unable, ({ reason }) => reason);
  const groups = [...byReason].map(
    ([reason, connections]) => `${connections.map(({ connection_id: id }) => id).join(", ")} (${joinLines(reason)})`,
  );
  return `Cannot answer this: ${groups.join(", ")}`;
}

type Args = { readonly [name: string]: unknown };

const call = (tool: string, args: object): ToolCall => createCall(tool, args);
const index = call("schema", {});

const omitArguments = (args: Args, ...names: readonly string[]): Args =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));

/** The record named by the arguments, if any. */
function findRecordPlace({ id, connection_id }: Args): RecordPlace | undefined {
  if (typeof id !== "string") return undefined;
  try {
    return parseRecordId(id, typeof connection_id === "string" ? connection_id : undefined);
  } catch {
    return undefined;
  }
}

/**
 * Lists calls to make instead. Only calls known to work are offered: never the one that failed, and none that would
 * fail too.
 */
function listNextCalls(error: PdppError, tool: string, args: Args): ToolCall[] {
  const failed = JSON.stringify(call(tool, args));
  return listCallsFor(error, tool, args).filter((next) => JSON.stringify(next) !== failed);
}

function listCallsFor({ code, details }: PdppError, tool: string, args: Args): ToolCall[] {
  const place = findRecordPlace(args);
  const { stream = args.stream, connection_id = args.connection_id } = place ?? {};
  const source = { stream, connection_id };
  // A field error means that the stream exists.
  const ofStream = stream === undefined ? index : call("schema", source);
  if (code === "connection_not_found" || details.available_connections !== undefined)
    return listChoices(details, tool, args, place);
  switch (code) {
    case "invalid_argument":
      return details.param === "detail" ? [index] : [];
    case "invalid_cursor":
      return [
        details.param === "changes_since"
          ? call(tool, { ...omitArguments(args, "cursor"), changes_since: "beginning" })
          : call(tool, omitArguments(args, ...places)),
      ];
    case "cursor_expired":
      return [call(tool, { ...omitArguments(args, "cursor"), changes_since: "beginning" })];
    case "stale_window":
      return [call(tool, omitArguments(args, ...places))];
    case "query_not_found":
      return [call(tool, omitArguments(args, "q", "before_chars", "after_chars"))];
    // This error means that the record exists.
    case "field_not_found":
    case "field_not_text":
    case "blob_not_found":
    case "resource_limit":
      return place === undefined ? [] : [call("fetch", { id: args.id })];
    case "field_not_granted":
    case "invalid_field_path":
    case "unknown_field":
    case "invalid_sort":
    case "invalid_expand":
    case "insufficient_scope":
      return [ofStream];
    case "invalid_request":
      return stream === undefined ? [] : [ofStream];
    case "not_found":
      return place === undefined ? [index] : [call("query_records", source)];
    case "grant_stream_not_allowed":
    case "stream_not_declared":
      return [index];
    default:
      return [];
  }
}

const places = ["cursor", "version", "offset_chars", "end_chars"] as const;

/** Repeats the call with each connection it could have meant. */
function listChoices(
  details: PdppError["details"],
  tool: string,
  args: Args,
  place: RecordPlace | undefined,
): ToolCall[] {
  const { available_connections: candidates = [], available_connections_truncated: cut, primary_key } = details;
  const { every_connection: every, unavailable_connections: unable = [] } = details;
  const more = cut ? [index] : [];
  if (candidates.length === 0) return [place === undefined ? index : call("schema", { stream: place.stream })];
  const ids = candidates.map(({ connection_id: id }) => id);
  if (place === undefined) {
    const all = every === undefined ? ids : [every, ...ids];
    return [...all.map((id) => call(tool, { ...args, connection_id: id })), ...more];
  }
  const { stream, record_id: recordId } = place;
  // Without a connection the record's location is unknown. A list finds it, and does not fail where it is missing.
  if (place.connection_id === undefined) {
    const filter = primary_key && buildKeyFilter(primary_key, recordId);
    const sources = new Set(candidates.map(({ grant_id, connector_key }) => `${grant_id} ${connector_key}`));
    return sources.size === 1 && unable.length === 0
      ? [call("query_records", { stream, filter }), ...more]
      : [...ids.map((id) => call("query_records", { stream, connection_id: id, filter })), ...more];
  }
  const elsewhere = omitArguments(args, "connection_id");
  return ids.map((connectionId) => call(tool, { ...elsewhere, id: formatHandle({ connectionId, stream, recordId }) }));
}

/** Filters by the record's key fields; a compound key is a list. */
function buildKeyFilter(fields: readonly string[], recordId: string): { [field: string]: string } | undefined {
  const [only, ...others] = fields;
  if (only !== undefined && others.length === 0) return { [only]: recordId };
  try {
    const parts: unknown = JSON.parse(recordId);
    if (!Array.isArray(parts) || parts.length !== fields.length) return undefined;
    return Object.fromEntries(fields.map((field, i) => [field, String(parts[i])]));
  } catch {
    return undefined;
  }
}

/** Arguments with a different name on the server. */
const ownNames: { readonly [tool: string]: { readonly [name: string]: string } } = {
  search: { q: "query", stream: "streams" },
  query_records: { fields_view: "view" },
  fetch: { record_id: "id", stream: "id" },
  read_record_field: { record_id: "id", stream: "id", field: "field_path" },
};

/** Rewords the error with the tools' argument names: `filter.likes.gte` instead of `filter[likes][gte]`. */
function useToolNames(error: PdppError, tool: string, origin: string): PdppError {
  const { param } = error.details;
  const own = ownNames[tool] ?? {};
  const renameArgument = (name: string): string => {
    const [first = "", ...inner] = name.split(/\[|\]\[|\]$/).filter((part) => part !== "");
    return [own[first] ?? first, ...inner].join(".");
  };
  const message = error.message
    .replaceAll(param?.includes("[") ? param : "\0", () => renameArgument(param ?? ""))
    .replace(/\b(streams|expand|fields)=([\w-]+)/g, (_, name: string, value: string) => `${name} ["${value}"]`)
    .replace(/\bGET \/v1\//, () => `GET ${new URL(origin).origin}/v1/`)
    .replace(/^field is /, `${own.field ?? "field"} is `)
    .replace("send next_cursor unchanged with the same parameters", "copy it from a -> line with the same arguments");
  const details = param === undefined ? error.details : { ...error.details, param: renameArgument(param) };
  return new PdppError(error.code, message, details, error.requestId);
}

/** Anything else is a bug: the operator sees all of it, the model only that it happened. */
export const toProblem = (error: unknown, onBug: (error: unknown) => void): PdppError => {
  if (error instanceof PdppError) return error;
  onBug(error);
  return new PdppError(
    "api_error",
    "this is a bug in pdpp; no data was changed. Try another call, and ask the owner to check pdpp's log",
  );
};
