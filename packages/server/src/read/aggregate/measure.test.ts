import { expect, it } from "vitest";
import { combineParts, summarizeParts } from "./measure.ts";

const part = (unit: string | null, count: number, value: number | string | null) => ({ unit, count, value });
const parts = (...units: ReturnType<typeof part>[]) => ({ units, others: 0 });
const combined = (metric: string, ...all: ReturnType<typeof parts>[]) => summarizeParts(combineParts(metric, all));

it("[AGG-7] adds sums of several connections as decimals, separately for each unit", () => {
  expect(combined("sum", parts(part("EUR", 2, 0.1)), parts(part("EUR", 1, 0.2)))).toEqual({ value: 0.3, unit: "EUR" });
  expect(combined("sum", parts(part("EUR", 1, -0.1)), parts(part("JPY", 3, 900), part("EUR", 1, 0.3)))).toEqual({
    value: null,
    by_unit: [part("JPY", 3, 900), part("EUR", 2, 0.2)],
  });
  expect(combined("sum", parts(part(null, 1, 5)), parts(part("EUR", 1, 0.3)))).toEqual({
    value: null,
    by_unit: [part("EUR", 1, 0.3), part(null, 1, 5)],
  });
  expect(combined("sum", parts(part(null, 0, null)), parts())).toEqual({ value: null });
});

it("[AGG-7] compares minima and maxima as numbers or as times, and never mixes them", () => {
  expect(combined("max", parts(part(null, 1, 9)), parts(part(null, 1, 10)))).toEqual({ value: 10 });
  const [early, late] = ["2026-01-01T01:00:00+02:00", "2025-12-31T23:30:00Z"];
  expect(combined("min", parts(part(null, 1, late)), parts(part(null, 1, early)))).toEqual({ value: early });
  expect(combined("min", parts(part(null, 1, early)), parts(part(null, 1, 3)))).toEqual({ value: null });
});

it("[AGG-3] counts the records of units beyond the twelfth", () => {
  const many = Array.from({ length: 14 }, (_, i) => part(`u${String(i).padStart(2, "0")}`, 1, 1));
  const { by_unit: units, other_units_count: others } = summarizeParts(combineParts("sum", [parts(...many)]));
  expect([units?.length, others]).toEqual([12, 2]);
});
