import { readWhole } from "../../tree/damage.ts";
import type { Entry } from "../../tree/tree.ts";
import { toObject } from "../text/clean.ts";
import { decodeText } from "../text/decode-text.ts";
import { describeError } from "../text/describe-error.ts";

type ParsedJson =
  | { readonly value: unknown; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: string };

/** Never throws: malformed JSON is an expected part of exports. */
export function parseJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { failure: describeError(error) };
  }
}

const maxObjectBytes = 16 * 1024 * 1024;

/** Reads a small JSON file; returns an empty object if it is missing, unreadable, malformed or not an object. */
export async function readJsonObject(entry: Entry | undefined): Promise<Record<string, unknown>> {
  if (entry === undefined || entry.size === 0) return {};
  try {
    const { value } = parseJson(decodeText(await readWhole(entry, maxObjectBytes)));
    return toObject(value);
  } catch {
    return {};
  }
}
