import { expect, it } from "vitest";
import { formatCsvLine } from "./csv.ts";

it("[CSL-13] quotes special characters and neutralizes formulas", () => {
  expect(
    formatCsvLine(["plain", 'with "quotes"', "a, b", "two\nlines", null, undefined, true, 1.5, -3, { a: [1] }]),
  ).toBe('plain,"with ""quotes""","a, b","two\nlines",,,true,1.5,-3,"{""a"":[1]}"\r\n');
  for (const begin of ["=", "+", "-", "@", "\t", "\r", "\n"]) expect(formatCsvLine([`${begin}cmd|x`])).toMatch(/^"?'/);
  expect(formatCsvLine(["-12.50", "+49", "=1", "-1+cmd"])).toBe("-12.50,+49,'=1,'-1+cmd\r\n");
});
