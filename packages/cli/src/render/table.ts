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
