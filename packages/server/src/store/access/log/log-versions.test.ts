import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeVersions, listLoggedVersions, maxListedVersions } from "./log-versions.ts";

const noted = (...parts: readonly (readonly number[])[]): string | undefined => {
  const versions = listLoggedVersions();
  for (const part of parts) versions.add(part);
  return versions.written();
};
const version = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

it("[LOG-8] decodes the versions that were encoded, each once and in order", () => {
  expect(noted()).toBeUndefined();
  expect(noted([1296, 1297], [1300, 1297])).toBe("100.1.3");
  fc.assert(
    fc.property(fc.array(fc.array(version, { maxLength: 20 }), { maxLength: 10 }), (parts) => {
      const all = [...new Set(parts.flat())].sort((a, b) => a - b);
      const written = noted(...parts);
      expect(written === undefined ? [] : decodeVersions(written)).toEqual(all.length === 0 ? [] : { listed: all });
    }),
  );
});

it("[LOG-8] lists versions up to a limit, and encodes the highest version of a longer list", () => {
  const many = Array.from({ length: 100_000 }, (_, i) => 500_000 - i);
  const full = many.slice(0, maxListedVersions);
  expect(decodeVersions(noted(full, full) ?? "")).toEqual({ listed: full.toReversed() });
  const written = noted(many.slice(0, 50_000), [...many.slice(50_000), 900_000]) ?? "";
  expect(decodeVersions(written)).toEqual({ listed: full.toReversed(), upTo: 900_000 });
  expect(written.length).toBeLessThan(4 * maxListedVersions);
});
