import { findLeaks } from "../../model/canaries.ts";
import type { Answer } from "../../model/loaded-vault.ts";
import type { Exchange } from "../hosts/mcp-host.ts";
import { forged } from "../vaults/hostile-text.ts";
import { WalkError } from "../walk.ts";

/** Checks what must hold for every result. */

export interface Marks {
  readonly allowed: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** Arguments that change the size of a result. */
const sizing = ["limit", "limit_chars", "before_chars", "after_chars", "detail"];

const mostRaw = 8000;
const mostRawDocument = 24_000;
const mostFormBytes = 30_000;
const mostLine = 16_000;
const longestUsualId = 500;
export const mostMillis = 2000;

export function checkExchange(exchange: Exchange, marks: Marks): void {
  const { call, answer, result, sent } = exchange;
  const fault = (what: string): WalkError => new WalkError(`${what}\n  after ${JSON.stringify(call).slice(0, 1500)}`);
  if (answer.status >= 500) throw fault(`status ${answer.status}`);
  const { id, stream, query } = call.arguments;
  if ([id, stream, query].some((name) => typeof name === "string" && name.startsWith(forged)))
    throw fault("a record's text passed for the server's words");
  const leaked = findLeaks(answer, sent, marks.allowed, marks.all);
  if (leaked.length > 0) throw fault(`leaks ${leaked.join(", ")}`);
  if (result === undefined) return;
  if (bytesShown(answer, sent)) throw fault("bytes as text were shown");
  const raw = JSON.stringify(result).length;
  const text = result.content.map((block) => block.text).join("\n");
  const most = call.tool === "fetch" ? mostRawDocument : mostRaw;
  // Ids are never shortened, so with a very long one only the limits of text and object apply.
  const longId = typeof id === "string" && id.length > longestUsualId;
  const usual = !longId && !sizing.some((name) => call.arguments[name] !== undefined);
  if (usual && raw > most) throw fault(`a result of ${raw} characters`);
  for (const form of [text, JSON.stringify(result.structuredContent)])
    if (Buffer.byteLength(form) > mostFormBytes) throw fault(`a form of ${Buffer.byteLength(form)} bytes`);
  const longest = Math.max(...text.split("\n").map((line) => line.length));
  if (longest > mostLine) throw fault(`a line of ${longest} characters`);
}

/** A long run that is neither words, digits nor one repeated letter. */
function bytesShown(answer: Answer, sent: string): boolean {
  const runs =
    Buffer.from(answer.bytes)
      .toString("latin1")
      .match(/[A-Za-z0-9+/]{600,}/g) ?? [];
  // The caller's own text may be repeated.
  const own = runs.filter((run) => !sent.includes(run.slice(1, 300)));
  return own.some((run) =>
    [/[a-z]/g, /[A-Z]/g, /\d/g].every((kind) => (run.match(kind)?.length ?? 0) > run.length / 12),
  );
}
