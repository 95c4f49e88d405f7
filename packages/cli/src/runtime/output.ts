import { createStyle, type Style } from "../render/terminal/style.ts";
import { formatTable } from "../render/terminal/table.ts";

/** Prints the result to stdout and everything else to stderr. */
export interface Output {
  readonly json: boolean;
  readonly style: Style;
  /** Prints the document with --json, otherwise the text. */
  result(document: unknown, text: (style: Style) => string): void;
  /** Prints a list: the documents with --json, otherwise a table, or `empty`. */
  list<T>(data: readonly T[], empty: string, columns: { readonly [heading: string]: (item: T) => string }): void;
  /** Prints a hint on stderr; not with --json. */
  remark(text: string): void;
}

export function openOutput(json: boolean): Output {
  const style = createStyle(process.stdout);
  const result: Output["result"] = (document, text) => {
    const shown = json ? JSON.stringify(document, null, process.stdout.isTTY ? 2 : 0) : text(style);
    process.stdout.write(shown === "" ? "" : `${shown}\n`);
  };
  return {
    json,
    style,
    result,
    list(data, empty, columns) {
      const rows = data.map((item) => Object.values(columns).map((formatCell) => formatCell(item)));
      result({ object: "list", data }, () =>
        data.length === 0 ? empty : formatTable(style, Object.keys(columns), rows),
      );
    },
    remark(text) {
      if (!json) process.stderr.write(`${createStyle(process.stderr).dim(text)}\n`);
    },
  };
}
