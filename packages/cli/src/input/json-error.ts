import { type ParseError, parse } from "jsonc-parser";

/** Where a text stops being JSON. The engine's own message names the position only for some errors. */
export function locateJsonError(text: string): number {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch {
    // Nested too deeply for its parser: the position stays unknown.
  }
  return errors[0]?.offset ?? 0;
}
