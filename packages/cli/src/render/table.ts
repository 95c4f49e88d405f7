import { harmless, type Style } from "./style.ts";

const widthOf = (text: string): number => Array.from(text).length;
const padded = (text: string, width: number): string => text + " ".repeat(width - widthOf(text));

/** Aligned columns; the last one is not padded, so lines have no trailing blanks. */
function aligned(rows: readonly (readonly string[])[]): string[][] {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, widthOf(cell))), []);
  return rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : padded(cell, widths[i]!))));
}

export function table(style: Style, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const [first, ...rest] = aligned([head, ...rows.map((row) => row.map(harmless))]).map((row) =>
    row.join("  ").trimEnd(),
  );
  return [style.bold(first!), ...rest].join("\n");
}

/** One thing: its properties under each other. Properties without a value are left out. */
export function properties(
  style: Style,
  pairs: readonly (readonly [string, string | undefined])[],
  indent = "",
): string {
  const held = pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, harmless(value)]]));
  return aligned(held)
    .map(([name, value]) => `${indent}${style.bold(name!)}  ${value}`)
    .join("\n");
}

const mostCellChars = 48;

/** A table of values that can have any length: cells are cut, and columns that the screen has no room for are counted. */
export function fittedTable(
  { style, width, terminal }: { readonly style: Style; readonly width: number; readonly terminal: boolean },
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  // The first column is the id, which is of use only when it is whole.
  const cut = rows.map((row) => row.map((cell, i) => (i === 0 ? cell : shortened(harmless(cell)))));
  const names = head.map(harmless);
  const widths = names.map((name, i) => Math.max(widthOf(name), ...cut.map((row) => widthOf(row[i]!))));
  let used = 0;
  const fits = widths.findIndex((wide, i) => {
    used += wide + 2;
    return terminal && i > 0 && used - 2 > width;
  });
  const kept = fits < 0 ? names.length : fits;
  const shown = table(
    style,
    names.slice(0, kept),
    cut.map((row) => row.slice(0, kept)),
  );
  if (kept === names.length) return shown;
  return `${shown}\n${style.dim(`no room for: ${names.slice(kept).join(", ")}`)}`;
}

function shortened(text: string): string {
  const chars = Array.from(text);
  return chars.length <= mostCellChars ? text : `${chars.slice(0, mostCellChars - 1).join("")}…`;
}
