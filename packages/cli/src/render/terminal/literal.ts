import { unprintable } from "../../input/record-id.ts";
import { harmless } from "./style.ts";

/** Record text on one line, as a JSON string: it cannot be taken for our words, and cannot steer a terminal. */
export const literal = (text: string): string => `"${inside(text)}"`;

/** The same without the quotes, for a text that is put together from pieces. */
export const inside = (text: string): string => harmless(JSON.stringify(text)).slice(1, -1);

/** Any value on one line, as JSON. */
export const jsonLine = (value: unknown): string => harmless(JSON.stringify(value));

/** A name that a manifest gave: as it is, or as a JSON string if it could be taken for anything else on the line. */
export const named = (name: string): string =>
  /^[\p{L}\p{N}_]\S*$/u.test(name) && !unprintable.test(name) ? name : literal(name);
