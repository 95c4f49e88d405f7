import { createStyle, type Style } from "../render/terminal/style.ts";

/** Where a command's result goes: stdout has the result and nothing else, remarks go to stderr. */
export interface Output {
  readonly json: boolean;
  readonly style: Style;
  /** The result: the document with --json, else the text. */
  result(document: unknown, text: (style: Style) => string): void;
  /** Something to know or to do next, for people only. */
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
