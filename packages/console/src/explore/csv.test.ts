import { expect, it } from "vitest";
import { csvLine } from "./csv.ts";

it("[CSL-13] quotes what needs it, and leaves no cell a formula", () => {
  expect(csvLine(["plain", 'with "quotes"', "a, b", "two\nlines", null, undefined, true, 1.5, -3, { a: [1] }])).toBe(
    'plain,"with ""quotes""","a, b","two\nlines",,,true,1.5,-3,"{""a"":[1]}"\r\n',
  );
  for (const begin of ["=", "+", "-", "@", "\t", "\r", "\n"]) expect(csvLine([`${begin}cmd|x`])).toMatch(/^"?'/);
  expect(csvLine(["-12.50", "+49", "=1", "-1+cmd"])).toBe("-12.50,+49,'=1,'-1+cmd\r\n");
});
