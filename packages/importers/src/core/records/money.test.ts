import { expect, it } from "vitest";
import { parseAmount } from "./money.ts";

it.each([
  ["-30.00", -30],
  ["-3.77000", -3.77],
  ["$120", 120],
  ["1,234.56", 1234.56],
  ["-1.234,56", -1234.56],
  ["1 234,50 €", 1234.5],
  ["(20.00)", -20],
  ["12.50-", -12.5],
  ["1.234.567", 1_234_567],
  [".5", 0.5],
  ["-0.00", 0],
  ["EUR 3", 3],
  ["−1 234,50 SEK", -1234.5],
  ["", null],
  ["many", null],
  ["1e5", null],
  ["--", null],
  [null, null],
])("[IMP-11] parses the amount %s as %s", (written, amount) => expect(parseAmount(written)).toBe(amount));
