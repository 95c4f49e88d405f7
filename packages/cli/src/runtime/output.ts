import { createStyle, type Style } from "../render/terminal/style.ts";

/** Prints the result to stdout and everything else to stderr. */
export interface Output {
  readonly json: boolean;
  readonly style: Style;
  /** Prints the document with --json, otherwise the text. */
  result(document: unknown, text: (style: Style) => string): void;
  /** Prints a hint on stderr; not with --json. */
  remark(text: string): void;
}

export function openOutput(json: boolean): Output {
  const style = createStyle(process.stdout);
  return {
    json,
    style,
    result(document, text) {
      const shown = json ? JSON.stringify(document, null, process.stdout.isTTY ? 2 : 0) : text(style);
      process.stdout.write(shown === "" ? "" : `${shown}\n`);
    },
    remark(text) {
      if (!json) process.stderr.write(`${createStyle(process.stderr).dim(text)}\n`);
    },
  };
}
