import { unprintable } from "../../input/record-id.ts";
import { escapeUnprintable } from "./style.ts";

/** Record text on one line, as a JSON string: it cannot be taken for our words, and cannot steer a terminal. */
export const quoteText = (text: string): string => `"${escapeText(text)}"`;

/** The same without the quotes, for a text that is put together from pieces. */
export const escapeText = (text: string): string => escapeUnprintable(JSON.stringify(text)).slice(1, -1);

/** Any value on one line, as JSON. */
export const toJsonLine = (value: unknown): string => escapeUnprintable(JSON.stringify(value));

/** A name that a manifest gave: as it is, or as a JSON string if it could be taken for anything else on the line. */
export const formatName = (name: string): string =>
  /^[\p{L}\p{N}_]\S*$/u.test(name) && !unprintable.test(name) ? name : quoteText(name);
