import type { JsonObject } from "@pdpp/contract/declaration";
import type { PushReport } from "@pdpp/contract/wire";
import { deriveId } from "@pdpp/importers/identity";
import { findUnstorable } from "../../ingest/parse-record.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Connection } from "../../store/catalog/connections.ts";
import { isJsonObject, parseJson } from "../../store/engine/json.ts";

/** A record as a line of an ingest. */
export interface PushedLine {
  readonly stream: string;
  /** Its place in what was sent. */
  readonly index: number;
  readonly text: string;
}

export type RefusedPush = PushReport["rejections"][number];

export interface PushContent {
  readonly lines: readonly PushedLine[];
  readonly rejections: readonly RefusedPush[];
  /** The response that the app expects. */
  readonly reply?: [] | { readonly result: "ok" };
}

/** Reads `{stream, data}`: one object, a list of them, or one per line. */
export function readPushedRecords(body: string, catalog: Catalog, { connectorKey }: Connection): PushContent {
  const lines: PushedLine[] = [];
  const rejections: RefusedPush[] = [];
  const streams = catalog.connectors.get(connectorKey)?.streams;
  const list = parseOrUndefined(body);
  // Its items are written again, so they must be exact before.
  const problem = Array.isArray(list) ? findUnstorable({ list }, body) : null;
  if (problem !== null) return { lines, rejections: [{ input_index: 0, ...problem }] };
  const texts = splitBody(body, list);
  for (const [index, text] of texts.entries()) {
    const refuse = (code: string, reason: string): void => void rejections.push({ input_index: index, code, reason });
    const value = parseOrUndefined(text);
    const unfit = isJsonObject(value) ? findUnstorable(value, text) : null;
    if (unfit !== null) {
      refuse(unfit.code, unfit.reason);
      continue;
    }
    if (!isJsonObject(value) || typeof value.stream !== "string" || !isJsonObject(value.data)) {
      refuse("invalid_record", 'expected JSON such as {"stream": "notes", "data": {...}}');
      continue;
    }
    const stream = streams?.get(value.stream);
    if (stream === undefined) {
      const known = [...(streams?.keys() ?? [])].join(", ");
      refuse("not_found", `there is no stream ${JSON.stringify(value.stream.slice(0, 80))}; streams: ${known}`);
    } else if (value.op !== undefined && value.op !== "upsert") refuse("invalid_record", "a push only adds records");
    else lines.push({ stream: value.stream, index, text: addKey(text, value.data, stream.declaration.primaryKey) });
  }
  if (texts.length === 0) rejections.push({ input_index: 0, code: "invalid_record", reason: "the body is empty" });
  return { lines, rejections };
}

/** The lines keep their text, because parsing may round numbers. Line ends within JSON are only space. */
function splitBody(body: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item));
  if (value !== undefined) return [body.replace(/[\r\n]+/g, " ")];
  return body.split("\n").filter((line) => line.trim() !== "");
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The same record without an id, sent again, is one record. */
function addKey(text: string, data: JsonObject, primaryKey: readonly string[]): string {
  const [name, ...others] = primaryKey;
  if (name === undefined || others.length > 0 || data[name] !== undefined) return text;
  const fields = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ data: { [name]: deriveId("push", JSON.stringify(fields)), ...data } });
}
