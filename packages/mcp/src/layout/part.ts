import type { JsonObject } from "@pdpp/contract/declaration";
import { budget } from "@pdpp/evidence/sizes/budget";
import { measureTexts, type Size } from "@pdpp/evidence/sizes/size";

/** Limits of a tool result. The strictest host accepts 8,000 characters, text and JSON together. */
export const sizes = {
  /** With a tool's default arguments. */
  raw: 8000,
  /** A whole document, the largest result. */
  rawDocument: 24_000,
  /** For each copy, with any arguments. */
  maxBytes: budget.result.maxBytes,
  maxTokens: budget.result.maxTokens,
  /** The maximum of both copies together. */
  bothCopies: 2 * budget.result.maxBytes,
  lineChars: budget.result.lineChars,
  /** Every host shows at least this much of a text. */
  headChars: 1500,
  envelopeChars: budget.result.envelopeChars,
} as const;

/** A part of a result: lines of text, and the same as JSON objects. */
export interface ResultPart {
  readonly lines: readonly string[];
  readonly objects: readonly JsonObject[];
  /** Stored files it mentions, for the result's `_meta`. */
  readonly uris?: readonly string[];
}

export const measurePart = ({ lines, objects, uris = [] }: ResultPart): Size =>
  measureTexts(
    lines.join("\n"),
    objects.map((each) => JSON.stringify(each)).join(),
    uris.length === 0 ? 0 : JSON.stringify(uris).length,
  );
