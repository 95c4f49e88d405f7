import { readWhole } from "../tree/damage.ts";
import type { Entry } from "../tree/tree.ts";
import type { Claim, Mark } from "./importer.ts";
import { isObject } from "./text/clean.ts";

/** The files of a claim that are still to be read, each with where to begin. */
export function* listRemainingEntries(
  claim: Claim,
  from?: Mark,
): Generator<{ readonly index: number; readonly entry: Entry; readonly start: number }> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    yield { index, entry, start: from !== undefined && index === from.entry ? from.offset : 0 };
  }
}

/** Bytes of a text file as text: UTF-8 where they are that, else what Windows wrote. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Why something failed, for people. */
export const describeError = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").slice(0, 200);

/** What a small file of an export tells about others: the object that it holds, or an empty one. */
export async function readJsonObject(entry: Entry | undefined): Promise<Record<string, unknown>> {
  if (entry === undefined || entry.size === 0) return {};
  try {
    const value: unknown = JSON.parse(decodeText(await readWhole(entry, 16 * 1024 * 1024)));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
