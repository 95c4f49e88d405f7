import { harmless } from "./style.ts";

/** Record text on one line, as a JSON string: it cannot be taken for our words, and cannot steer a terminal. */
export const literal = (text: string): string => `"${inside(text)}"`;

/** The same without the quotes, for a text that is put together from pieces. */
export const inside = (text: string): string => shown(JSON.stringify(text)).slice(1, -1);

/** Any value on one line, as JSON. */
export const jsonLine = (value: unknown): string => shown(JSON.stringify(value));

// JSON itself leaves these as they are; between quotes an escape means the same.
const shown = (json: string): string =>
  harmless(json).replace(/[\u2028\u2029\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
