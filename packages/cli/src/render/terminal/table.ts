import { escapeUnprintable, type Style } from "./style.ts";
import { measureWidth } from "./width.ts";

/** Aligns columns by display width; the last one is not padded. */
function alignColumns(rows: readonly (readonly string[])[]): string[][] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, measureWidth(cell));
  return rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : padToWidth(cell, widths[i] ?? 0))));
}

export const padToWidth = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - measureWidth(text)));

export function formatTable(style: Style, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = alignColumns([head, ...rows.map((row) => row.map(escapeUnprintable))]).map((row) =>
    row.join("  ").trimEnd(),
  );
  return lines.map((line, i) => (i === 0 ? style.bold(line) : line)).join("\n");
}

/** Formats one property per line and skips those without a value. */
export function formatProperties(
  style: Style,
  pairs: readonly (readonly [string, string | undefined])[],
  indent = "",
): string {
  const held = pairs.flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: escapeUnprintable(value) }],
  );
  const width = Math.max(0, ...held.map(({ name }) => measureWidth(name)));
  return held.map(({ name, value }) => `${indent}${style.bold(padToWidth(name, width))}  ${value}`).join("\n");
}

const maxCellWidth = 48;

/** Shortens cells and lists the columns that do not fit on the screen. */
export function formatFittedTable(
  { style, width, terminal }: { readonly style: Style; readonly width: number; readonly terminal: boolean },
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  // Never shorten the first column: it is the id.
  const cut = rows.map((row) => row.map((cell, i) => (i === 0 ? cell : shortenCell(escapeUnprintable(cell)))));
  const names = head.map(escapeUnprintable);
  const widths = names.map((name, i) => Math.max(measureWidth(name), ...cut.map((row) => measureWidth(row[i] ?? ""))));
  let used = 0;
  const fits = widths.findIndex((wide, i) => {
    used += wide + 2;
    return terminal && i > 0 && used - 2 > width;
  });
  const kept = fits < 0 ? names.length : fits;
  const shown = formatTable(
    style,
    names.slice(0, kept),
    cut.map((row) => row.slice(0, kept)),
  );
  if (kept === names.length) return shown;
  return `${shown}\n${style.dim(`hidden columns: ${names.slice(kept).join(", ")}`)}`;
}

const graphemes = new Intl.Segmenter();

/** Cuts between graphemes. */
export function shortenCell(text: string): string {
  if (measureWidth(text) <= maxCellWidth) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    if (measureWidth(kept + segment) > maxCellWidth - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
