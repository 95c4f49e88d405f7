import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupItems } from "./entries.ts";

const hour = 3_600_000;

const items = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 30 * hour }),
    groupKey: fc.option(fc.constantFrom("a", "b", "__proto__", ""), { nil: undefined }),
    id: fc.uuid(),
  }),
  { maxLength: 60 },
);

describe("[CSL-134] the entries of a day", () => {
  it("[CSL-134] hold every item once, in order of time", () => {
    fc.assert(
      fc.property(items, (all) => {
        const entries = groupItems(all);
        expect(entries.flatMap((entry) => entry.items).toSorted(byId)).toEqual(all.toSorted(byId));
        for (const { first, items: grouped } of entries) {
          expect(first).toBe(grouped[0]);
          expect(grouped).toEqual(grouped.toSorted((a, b) => a.at - b.at));
        }
        const starts = entries.map(({ first }) => first.at);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      }),
    );
  });

  it("[CSL-134] join items of one key without a long pause, and nothing else", () => {
    fc.assert(
      fc.property(items, (all) => {
        const entries = groupItems(all);
        for (const { items: grouped } of entries) {
          expect(new Set(grouped.map(({ groupKey }) => groupKey)).size).toBe(1);
          if (grouped[0]?.groupKey === undefined) expect(grouped).toHaveLength(1);
          for (const [i, { at }] of grouped.entries())
            expect(at - (grouped[i - 1]?.at ?? at)).toBeLessThanOrEqual(hour);
        }
        // Two entries of one key have a long pause between them.
        for (const key of ["a", "b", "__proto__", ""]) {
          const same = entries.filter(({ first }) => first.groupKey === key);
          for (const [i, entry] of same.entries()) {
            const before = same[i - 1]?.items.at(-1);
            if (before !== undefined) expect(entry.first.at - before.at).toBeGreaterThan(hour);
          }
        }
      }),
    );
  });
});

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
