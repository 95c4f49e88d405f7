import { array, assert, double, property, record, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDistance, formatDuration } from "../places/formats.ts";
import { measureAlong, toLine } from "../places/line-points.ts";
import { drawOutline } from "./outline.ts";
import { formatPosition, measureDistance, toPosition } from "./position.ts";
import {
  clipRing,
  createProjection,
  drawGraticule,
  findBounds,
  findScaleBar,
  formatPath,
  simplify,
  world,
} from "./projection.ts";

const size = { width: 648, height: 400 };
const anyNumber = double();
const position = record({
  latitude: double({ min: -90, max: 90, noNaN: true }),
  longitude: double({ min: -180, max: 180, noNaN: true }),
});

describe("positions", () => {
  it("[CSL-128] are degrees or nothing", () => {
    for (const [latitude, longitude] of [
      [Number.NaN, 1],
      [1e308, 1],
      [90.1, 1],
      [1, -181],
      [Number.POSITIVE_INFINITY, 0],
      ["47", 2],
      [null, undefined],
    ])
      expect(toPosition(latitude, longitude)).toBeUndefined();
    expect(formatPosition(-33.8688, 151.2093)).toBe("33.87° S, 151.21° E");
    expect(Math.round(measureDistance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 1 }))).toBe(111_195);
  });

  it("[CSL-128] of a line are at most 500, whatever it holds", () => {
    const many = Array.from({ length: 100_000 }, (_, n) => [n / 2000, n / 1000]);
    expect(toLine({ line: many }).length).toBeLessThanOrEqual(500);
    expect(toLine({ line: [[1e308, 1], ["1", 2], null, [5], [[1], 2], [47, 2]] })).toEqual([
      { latitude: 47, longitude: 2, isAfterGap: false },
    ]);
    expect(measureAlong(toLine({ line: many })).at(-1)).toBeGreaterThan(1000);
  });

  it("[CSL-129] have a height and a time only if these are possible, whatever the lists hold", () => {
    const line = [0, 1, 2, 3].map((n) => [n, n]);
    expect(
      toLine({ line, heights: [1e308, "5", 12], seconds: [0, 30, 20, 40], gaps: [-1, "x", null, 2, 1e300] }),
    ).toEqual([
      { latitude: 0, longitude: 0, seconds: 0, isAfterGap: false },
      { latitude: 1, longitude: 1, seconds: 30, isAfterGap: false },
      { latitude: 2, longitude: 2, height: 12, isAfterGap: true },
      { latitude: 3, longitude: 3, seconds: 40, isAfterGap: false },
    ]);
    assert(
      property(array(tuple(anyNumber, anyNumber), { maxLength: 30 }), array(anyNumber), (any, list) => {
        const points = toLine({ line: any, heights: list, seconds: list, gaps: list });
        const times = points.flatMap(({ seconds }) => seconds ?? []);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        for (const { height = 0 } of points) expect(Math.abs(height)).toBeLessThanOrEqual(50_000);
      }),
    );
    expect(toLine({ line, heights: 5, seconds: "x", gaps: { a: 1 } })).toHaveLength(4);
  });
});

describe("the map", () => {
  it("[CSL-128] projects any positions to finite points, those in view inside of it", () => {
    assert(
      property(array(position, { minLength: 1, maxLength: 20 }), tuple(anyNumber, anyNumber), (positions, odd) => {
        const projection = createProjection(findBounds(positions)!, size);
        for (const { latitude, longitude } of positions) {
          const { x, y } = projection.project(longitude, latitude);
          expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
          if (Math.abs(latitude) < 60) expect(x >= -1 && x <= size.width + 1).toBe(true);
        }
        const { x, y } = projection.project(...odd);
        expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
        const { meters, pixels } = findScaleBar(projection);
        expect(meters).toBeGreaterThan(0);
        expect(pixels).toBeLessThanOrEqual(size.width / 5 + 1);
        expect(drawGraticule(projection).length).toBeLessThan(1000);
      }),
    );
  });

  it("[CSL-128] clips and simplifies rings to what is in view", () => {
    const point = record({
      x: double({ min: -1e5, max: 1e5, noNaN: true }),
      y: double({ min: -1e5, max: 1e5, noNaN: true }),
    });
    assert(
      property(array(point, { maxLength: 50 }), (ring) => {
        const clipped = simplify(clipRing(ring, size), 1);
        for (const { x, y } of clipped) {
          expect(x >= -2.01 && x <= size.width + 2.01).toBe(true);
          expect(y >= -2.01 && y <= size.height + 2.01).toBe(true);
        }
        expect(formatPath(clipped)).not.toMatch(/NaN|Infinity|e/);
      }),
    );
  });

  it("[CSL-128] draws the land of the world, of a coast, and none in the middle of an ocean", () => {
    const all = drawOutline(createProjection(world, size));
    expect(all.length).toBeGreaterThan(5000);
    expect(all.length).toBeLessThan(100_000);
    expect(all).not.toMatch(/NaN|Infinity/);
    expect(drawOutline(createProjection({ west: -3.3, south: 47.2, east: -2.7, north: 47.7 }, size))).toContain("M");
    expect(drawOutline(createProjection({ west: -140, south: 9, east: -139, north: 10 }, size))).toBe("");
  });
});

it("says distances and durations in words", () => {
  expect([412, 11_800, 742_000].map(formatDistance)).toEqual(["412 m", "11.8 km", "742 km"]);
  expect([20, 2280, 16_920, 7200, 180_000].map(formatDuration)).toEqual([
    "under 1 min",
    "38 min",
    "4 h 42 min",
    "2 h",
    "2 d 2 h",
  ]);
});
