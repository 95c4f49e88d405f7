import { readWhole } from "../tree/damage.ts";
import type { Entry } from "../tree/tree.ts";
import type { Claim, Mark } from "./importer.ts";
import { isObject } from "./text/clean.ts";

/** The claim's files from a mark on, each with the offset to start at. */
export function* listRemainingEntries(
  claim: Claim,
  from?: Mark,
): Generator<{ readonly index: number; readonly entry: Entry; readonly start: number }> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    yield { index, entry, start: from !== undefined && index === from.entry ? from.offset : 0 };
  }
}

/** Decodes UTF-16 with a byte order mark or UTF-8, and falls back to Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A short one-line error message for people. */
export const describeError = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").slice(0, 200);

/** Reads a small JSON file; returns an empty object if it is missing, malformed or not an object. */
export async function readJsonObject(entry: Entry | undefined): Promise<Record<string, unknown>> {
  if (entry === undefined || entry.size === 0) return {};
  try {
    const value: unknown = JSON.parse(decodeText(await readWhole(entry, 16 * 1024 * 1024)));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
