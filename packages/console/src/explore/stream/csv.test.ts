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
    const texts = ['=HYPERLINK("http://evil.example")', "-cmd", '"=cmd', '"" =cmd', '"\t"+cmd'];
    for (const text of texts) {
      const line = formatCsvLine([`x${separator}${text}`, "y", `a${separator}${text}`, `${separator} ${text}`]);
      expect(listCells(line, separator).filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
    }
  }
});

/** The cells as a spreadsheet with another separator sees them. Quotes count only at the start of a cell; two of them inside are one. */
function listCells(line: string, separator: string): string[] {
  const cells: string[] = [];
  let [cell, isStart, isQuoted] = ["", true, false];
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if (char === '"' && isStart) isQuoted = true;
    else if (char === '"' && isQuoted && line[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && isQuoted) isQuoted = false;
    else if ((char === separator || char === "\n") && !isQuoted) {
      cells.push(cell);
      [cell, isStart] = ["", true];
      continue;
    } else cell += char;
    isStart = false;
  }
  return [...cells, cell];
}
