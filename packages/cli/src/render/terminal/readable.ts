import type { Json } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { quoteText, toJsonLine } from "./literal.ts";
import { escapeUnprintable } from "./style.ts";

/**
 * Record text for people on a terminal, and as JSON in a pipe. On a terminal it is always indented and on lines of its own, so it cannot
 * imitate a command, which starts its line.
 */

interface Reader {
  readonly terminal: boolean;
}

export const showText = ({ terminal }: Reader, text: string): string => (terminal ? cleanLine(text) : quoteText(text));

/** One line without control characters. */
export const cleanLine = (text: string): string => escapeUnprintable(text.replace(/\s+/g, " "));

export function showValue(view: Reader, value: Json): string {
  if (!view.terminal) return typeof value === "string" ? quoteText(value) : toJsonLine(value);
  if (typeof value === "string") return cleanLine(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "number"))
    return cleanLine(value.join(", "));
  return toJsonLine(value);
}

const dateOnly = /^\d{4}-\d\d-\d\d$/;

/** A time in the time zone of the terminal; undefined if it is not a time. */
export function formatReadableTime(written: string | number): string | undefined {
  const instant = typeof written === "string" ? parseInstant(written) : null;
  if (instant === null) return undefined;
  const isDay = dateOnly.test(String(written));
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    ...(isDay ? { timeZone: "UTC" } : { timeStyle: "short" }),
  }).format(instant);
}
