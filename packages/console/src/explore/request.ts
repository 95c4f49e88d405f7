import { PdppError } from "@pdpp/contract/errors";
import { parseHandle, type RecordHandle } from "@pdpp/evidence/handles/handle";
import type { Context } from "hono";

/** Parses the URLs of Explore. */

/** Not trimmed: names may start or end with spaces. */
export const readName = (c: Context, name: string): string => c.req.query(name) ?? "";

export const readText = (c: Context, name: string): string | undefined => c.req.query(name)?.trim() || undefined;

export function readNumber(c: Context, name: string): number | undefined {
  const text = readText(c, name);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function readHandle(c: Context): RecordHandle {
  const place = parseHandle(c.req.query("id") ?? "");
  if (place === null) throw new PdppError("not_found", "this link doesn't point to a record");
  return place;
}

export const toReadInput = ({ connectionId, stream, recordId }: RecordHandle) => ({
  connection_id: connectionId,
  stream,
  record_id: recordId,
});
