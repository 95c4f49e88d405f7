import type { JsonObject } from "@pdpp/contract/declaration";
import { budget } from "@pdpp/evidence/sizes/budget";
import { measureTexts, type Size } from "@pdpp/evidence/sizes/size";

/** How large a tool's result may be. The tightest host passes 8,000 characters of it, both forms together. */
export const sizes = {
  /** With the arguments that a tool has by itself. */
  raw: 8000,
  /** A whole document, the last rung. */
  rawDocument: 24_000,
  /** With any arguments, in each form. */
  formBytes: budget.result.formBytes,
  formTokens: budget.result.formTokens,
  /** So much both forms can have together at the most. */
  bothForms: 2 * budget.result.formBytes,
  lineChars: budget.result.lineChars,
  /** So much of a text every host shows, whatever it cuts. */
  headChars: 1500,
  envelopeChars: budget.result.envelopeChars,
} as const;

/** A piece of a result in its two forms: lines of text, and objects. */
export interface ResultPart {
  readonly lines: readonly string[];
  readonly objects: readonly JsonObject[];
  /** The stored files that it names, for the result's `_meta`. */
  readonly uris?: readonly string[];
}

/** How much of a result a piece takes. */
export const measurePart = ({ lines, objects, uris = [] }: ResultPart): Size =>
  measureTexts(
    lines.join("\n"),
    objects.map((each) => JSON.stringify(each)).join(),
    uris.length === 0 ? 0 : JSON.stringify(uris).length,
  );
