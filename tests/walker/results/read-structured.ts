import type { Json } from "@pdpp/contract/declaration";
import type { Call } from "../hosts/mcp-host.ts";
import { type Back, checkBack } from "./back.ts";
import type { Blob, Rebuilt } from "./rebuilt.ts";

/** Parses a structured result, as a host that hides the text shows it. */

type Shape = Record<string, unknown>;
const isShape = (value: unknown): value is Shape =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Record values appear under these names only; nothing inside them comes from the server. */
const data: ReadonlySet<string> = new Set(["fields", "value", "field_capabilities", "field_capability_legend"]);

/** Every `{"tool", "arguments"}` outside record values. */
export function listCalls(said: unknown): Call[] {
  if (Array.isArray(said)) return said.flatMap(listCalls);
  if (!isShape(said)) return [];
  if (typeof said.tool === "string" && isShape(said.arguments)) return [{ tool: said.tool, arguments: said.arguments }];
  return Object.entries(said).flatMap(([name, value]) => {
    if (data.has(name)) return [];
    if (name === "bytes" && isShape(value) && typeof value.rest === "string") return [toBytesCall(value.rest)];
    return name === "previous"
      ? listCalls(value).map((call) => ({ ...call, back: parseBack(said) }))
      : listCalls(value);
  });
}

/** Reads bytes over REST, since tools cannot. */
export const toBytesCall = (said: string): Call => ({ tool: "GET", arguments: { url: said.replace(/^GET /, "") } });

const parseBack = (result: Shape): Back => ({
  start: Number(isShape(result.window) ? result.window.start_chars : 0),
  toBeginning: result.next === undefined,
});

/** The call itself: windows of records with very long ids refer to it for earlier text. */
export function buildCallBefore(asked: Call, end: number, version: string, back: Back): Call {
  const { cursor: _, q: __, offset_chars: ___, before_chars: ____, after_chars: _____, ...rest } = asked.arguments;
  return { tool: asked.tool, arguments: { ...rest, end_chars: end, version }, back };
}

export function readStructured(asked: Call, result: Shape, into: Rebuilt): Call[] {
  if (Array.isArray(result.records)) for (const record of result.records) readRecord(record as Shape, into);
  if (isShape(result.window)) readWindow(asked, result, into);
  if (isShape(result.metadata)) readDocument(result, into);
  const offers = isShape(result.window)
    ? listCalls(result).map((call) => ({ ...call, toText: true }))
    : listCalls(result);
  const brief = isShape(result.previous) ? result.previous.same_call_with : undefined;
  if (!isShape(brief)) return offers;
  const back = buildCallBefore(asked, Number(brief.end_chars), String(brief.version), parseBack(result));
  return [...offers, back];
}

function readRecord(record: Shape, into: Rebuilt): void {
  const id = String(record.id);
  if (record.deleted === true) return;
  into.record(id);
  readFields(id, record, into);
}

/** Whole values, and descriptions of the others. */
function readFields(id: string, holder: Shape, into: Rebuilt): void {
  if (isShape(holder.fields))
    for (const [name, value] of Object.entries(holder.fields)) into.value(id, name, value as Json);
  for (const field of (holder.described ?? []) as Shape[]) {
    const path = String(field.field_path);
    if (listCalls(field).length === 0) throw new Error(`${path} of ${id} is described without a read`);
    if (typeof field.preview === "string") into.piece(id, path, parseWindow(field.window), field.preview);
    else if (typeof field.total_chars === "number") into.encoded(id, path, field.total_chars);
    else
      for (const { bytes: _, text: __, ...blob } of (field.blobs ?? []) as (Blob & Shape)[]) into.blob(id, path, blob);
  }
}

export function parseWindow(window: unknown): { start: number; end: number; total: number } {
  const { start_chars: start, end_chars: end, total_chars: total } = window as Record<string, number>;
  return { start: start!, end: end!, total: total! };
}

function readWindow(asked: Call, result: Shape, into: Rebuilt): void {
  const window = result.window as Shape;
  const path = String((result.field as Shape).path);
  const { start, end, total } = parseWindow(window);
  if (start === end && start < total && (asked.toText || result.not_shown === undefined))
    throw new Error(`a window at ${start} of ${total} shows nothing`);
  into.piece(String(result.id), path, parseWindow(window), String(window.text));
  const hidden = (Array.isArray(result.not_shown) ? result.not_shown : []).map((span: Shape) =>
    parseWindow({ ...span, total_chars: total }),
  );
  for (const span of hidden) into.hidden(String(result.id), path, span);
  checkBack(asked.back, end, hidden);
}

/** A document: a body with other fields, or one line per field. */
export function readDocument(result: Shape, into: Rebuilt): void {
  const id = String(result.id);
  const metadata = result.metadata as Shape;
  const text = String(result.text);
  into.record(id);
  for (const link of (metadata.related ?? []) as Shape[]) {
    if (listCalls(link).length !== 1) throw new Error(`a relationship of ${id} without a read`);
    into.link(id, String(link.relationship), Number(link.count));
  }
  readFields(id, metadata, into);
  const cut = new Map(
    ((metadata.continues ?? []) as Shape[])
      .filter((part) => listCalls(part).length > 0)
      .map((part) => [String(part.field_path), parseWindow(part.window)]),
  );
  const whole = (shown: string) => ({ start: 0, end: [...shown].length, total: [...shown].length });
  if (metadata.text_field !== undefined) {
    const path = String(metadata.text_field);
    into.piece(id, path, cut.get(path) ?? whole(text), text);
    return;
  }
  for (const line of text === "" ? [] : text.split("\n")) {
    const [name, shown] = splitNamed(line);
    const window = cut.get(name);
    const value = jsonOr(shown);
    if (window !== undefined) into.piece(id, name, window, typeof value === "string" ? value : shown);
    else into.value(id, name, value);
  }
}

/** `name: rest`, the name plain or as a JSON string. */
export function splitNamed(line: string): [string, string] {
  const quoted = /^"(?:[^"\\]|\\.)*"(?=: )/.exec(line)?.[0];
  if (quoted !== undefined) return [JSON.parse(quoted) as string, line.slice(quoted.length + 2)];
  const end = line.indexOf(": ");
  if (end < 0) throw new Error(`a line without a name: ${JSON.stringify(line.slice(0, 200))}`);
  return [line.slice(0, end), line.slice(end + 2)];
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
