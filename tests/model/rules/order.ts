import type { FieldKind } from "@pdpp/contract/declaration";
// The documented order of texts too long for an index.
import { toIndexText } from "#server/store/engine/index-text";
import type { Value } from "../spec.ts";

/** Comparable values: dates as instants, texts by code point, missing ones as null. */

export type Comparable = string | number | null;

export function toComparable(kind: FieldKind, value: Value): Comparable {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case "boolean":
      return Number(value);
    case "date":
    case "date-time":
      return Date.parse(value as string);
    default:
      return value as string | number;
  }
}

/** UTF-8 sorts by code point, UTF-16 does not. */
export const compareTexts = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(toIndexText(a)), Buffer.from(toIndexText(b)));

export function compareValues(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareTexts(String(a), String(b));
}
