import { expect, it } from "vitest";
import { planAroundMatch } from "./window.ts";

it("[WIN-2] plans a window around a match, clipped to the text", () => {
  expect(planAroundMatch({ start: 1000, end: 1006 }, 9000, 400, 1200)).toEqual({ start: 600, limit: 1606 });
  expect(planAroundMatch({ start: 10, end: 16 }, 20, 400, 1200)).toEqual({ start: 0, limit: 20 });
  expect(planAroundMatch({ start: 0, end: 0 }, 0, 0, 0)).toEqual({ start: 0, limit: 1 });
});
