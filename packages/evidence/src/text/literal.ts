import { isolate, maxLabelChars } from "./label.ts";

/** Line separators, and controls that change the direction in which the rest of a line is shown. */
const disruptive = /[\u0085\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const everyDisruptive = new RegExp(disruptive, "g");

/** Escapes characters that could disguise the rest of a line. Inside JSON the value stays the same. */
export const escapeControls = (text: string): string =>
  disruptive.test(text)
    ? text.replace(everyDisruptive, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;

/** A value as JSON on one line, so that record text cannot pass for a line of ours. */
export const toLiteral = (value: unknown): string => escapeControls(JSON.stringify(value));

/** The name of a source or stream as JSON on one line, cut if it is long, and isolated if it runs from right to left. */
export function toLabel(name: string): string {
  const cut = name.length > maxLabelChars ? `${name.slice(0, maxLabelChars).toWellFormed()}…` : name;
  return isolate(toLiteral(cut));
}

/** A name as it is, or as a literal if it could break a line or pass for one of ours: manifests come from third parties. */
export const toOneLine = (name: string): string =>
  /^[\p{L}\p{N}_]\P{Cc}*$/u.test(name) && !disruptive.test(name) ? name : toLiteral(name);
