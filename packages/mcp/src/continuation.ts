import { callOf } from "@pdpp/contract/address";
import type { JsonObject } from "@pdpp/contract/declaration";
import { budget } from "@pdpp/evidence/budget";
import { spellHandle } from "@pdpp/evidence/handle";

/** The next call, as a model writes it. */
export interface ToolCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const numbers: ReadonlySet<string> = new Set(["offset_chars", "limit_chars", "before_chars", "after_chars", "limit"]);

/** A continuation of the server as a tool call. Blobs have no tool: whoever holds one reads the field that names it. */
export function toolCall(read: { readonly url: string }): ToolCall {
  const { operation, input } = callOf(read.url);
  const { stream, record_id: recordId, connection_id: connectionId, ...rest } = input;
  const args: JsonObject = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value]),
  );
  const id = spellHandle({ connectionId: String(connectionId), stream: String(stream), recordId: String(recordId) });
  if (operation === "fetch") return { tool: "fetch", arguments: { id, ...args } };
  if (operation === "readField") {
    const { field, limit_chars: chars, ...selector } = args;
    // The server's own window is too long for a result in two forms; the tool's own is not.
    const limit = chars === undefined || chars === budget.window.chars ? {} : { limit_chars: chars };
    return { tool: "read_record_field", arguments: { id, field_path: field!, ...selector, ...limit } };
  }
  const source = connectionId === undefined ? {} : { connection_id: connectionId };
  if (operation === "queryRecords")
    return { tool: "query_records", arguments: { stream: String(stream), ...source, ...args } };
  throw new Error(`${operation} is not a continuation`);
}

/** One line, tool and arguments, nothing after it. */
export const callLine = ({ tool, arguments: args }: ToolCall): string => `-> ${tool} ${literal(args)}`;

/** A value on one line that no line can follow: what a record says cannot pass for what we say. */
export const literal = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A name as it is, or as a literal if it could end a line or pass for one of ours: manifests are written by strangers. */
export const oneLine = (name: string): string =>
  /^[\p{L}\p{N}_][^\p{Cc}\u2028\u2029]*$/u.test(name) ? name : literal(name);

/** The same call with another cursor. */
export const nextPage = (tool: string, args: Record<string, unknown>, cursor: string): ToolCall => ({
  tool,
  arguments: { ...(definedOnly(args) as JsonObject), cursor },
});

export const definedOnly = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
