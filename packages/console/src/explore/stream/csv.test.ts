import { expect, it } from "vitest";
import { formatCsvLine } from "./csv.ts";

it("[CSL-13] quotes special characters and neutralizes formulas", () => {
  expect(
    formatCsvLine(["plain", 'with "quotes"', "a, b", "two\nlines", null, undefined, true, 1.5, -3, { a: [1] }]),
  ).toBe('plain,"with ""quotes""","a, b","two\nlines",,,true,1.5,-3,"{""a"":[1]}"\r\n');
  for (const begin of ["=", "+", "-", "@", "\t", "\r", "\n"]) expect(formatCsvLine([`${begin}cmd|x`])).toMatch(/^"?'/);
  for (const hidden of [" =1+1", "\uff1d1+1", "\uff20SUM(1)"]) expect(formatCsvLine([hidden])).toMatch(/^'/);
  expect(formatCsvLine(["-12.50", "+49", "=1", "-1+cmd"])).toBe("-12.50,+49,'=1,'-1+cmd\r\n");
});

it("[CSL-13] leaves no formula after a separator that a spreadsheet may use instead of the comma", () => {
  for (const separator of [";", "\t", "|"]) {
    const line = formatCsvLine([`x${separator}=HYPERLINK("http://evil.example")`, "y", `a${separator}-cmd`]);
    expect(listCells(line, separator).filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
  }
});

/** The cells as a spreadsheet with another separator sees them. Quotes count only at the start of a cell. */
function listCells(line: string, separator: string): string[] {
  const cells = [""];
  let isQuoted = false;
  for (const char of line) {
    const cell = cells.at(-1) ?? "";
    if (char === '"' && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (char === separator && !isQuoted) cells.push("");
    else cells[cells.length - 1] = cell + char;
  }
  return cells;
}
