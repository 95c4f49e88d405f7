import { unprintable } from "../../input/record-id.ts";
import { escapeUnprintable } from "./style.ts";

/** Quotes record text as a JSON string, so that it cannot imitate our output or control the terminal. */
export const quoteText = (text: string): string => `"${escapeText(text)}"`;

/** Like quoteText, without the quotes. */
export const escapeText = (text: string): string => escapeUnprintable(JSON.stringify(text)).slice(1, -1);

export const toJsonLine = (value: unknown): string => escapeUnprintable(JSON.stringify(value));

/** Quotes a name if it could be mistaken for something else on the line. */
export const formatName = (name: string): string =>
  /^[\p{L}\p{N}_]\S*$/u.test(name) && !unprintable.test(name) ? name : quoteText(name);
