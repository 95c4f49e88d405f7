import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeRecurrence } from "./recurrence.ts";

const days = fc.subarray(["MO", "TU", "WE", "TH", "FR", "SA", "SU", "1MO", "-1WE", "2TU"]);
const rules = fc
  .record({
    FREQ: fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY"),
    INTERVAL: fc.option(fc.integer({ min: -2, max: 20_000 }), { nil: undefined }),
    BYDAY: fc.option(days, { nil: undefined }),
    BYMONTHDAY: fc.option(fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 3 }), { nil: undefined }),
    BYMONTH: fc.option(fc.array(fc.integer({ min: 0, max: 13 }), { maxLength: 3 }), { nil: undefined }),
    UNTIL: fc.option(fc.constantFrom("20260427T080000Z", "2026-04-27", "99991231", "x"), { nil: undefined }),
    COUNT: fc.option(fc.integer({ min: -1, max: 9 }), { nil: undefined }),
    BYSETPOS: fc.option(fc.constant("-1"), { nil: undefined }),
  })
  .map((parts) => Object.entries(parts).filter(([, value]) => value !== undefined))
  .map((parts) => parts.map(([name, value]) => `${name}=${String(value)}`).join(";"));

describe("the words of a recurrence rule", () => {
  it.each([
    ["FREQ=WEEKLY;BYDAY=WE", "every Wednesday"],
    ["RRULE:FREQ=WEEKLY;BYDAY=MO,TH", "every Monday and Thursday"],
    ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"],
    ["FREQ=DAILY;COUNT=5", "every day, 5 times"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;UNTIL=20261022T100000Z", "every 2 weeks on Thursday until 22 October 2026"],
    ["FREQ=MONTHLY;BYDAY=-1WE", "every month on the last Wednesday"],
    ["FREQ=MONTHLY;BYMONTHDAY=15", "every month on the 15th"],
    ["FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"],
    ["FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "every year on the 2nd Sunday of March"],
    ["FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "every year on the 3rd of May"],
    ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on weekday, with exceptions"],
    ["FREQ=SOMETIMES", undefined],
    ["", undefined],
  ])("[CSL-117] reads %s", (rule, words) => {
    expect(describeRecurrence(rule)).toBe(words);
  });

  it("[CSL-117] reads a rule given by its parts", () => {
    const rule = { frequency: "weekly", interval: 1, by_day: ["MO"], until: "2026-04-27", skipped: ["2025-12-22"] };
    expect(describeRecurrence(rule)).toBe("every Monday until 27 April 2026");
    for (const other of [null, 7, true, [], {}, { frequency: {} }]) expect(describeRecurrence(other)).toBeUndefined();
  });

  it("[CSL-117] puts every rule into a short sentence", () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const words = describeRecurrence(rule) ?? "";
        expect(words).toMatch(/^every [\w ,]+$/);
        expect(words).not.toMatch(/undefined|NaN|null| {2}/);
        expect(words.length).toBeLessThan(300);
      }),
    );
  });

  it("[CSL-117] accepts any text", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.jsonValue()), (rule) => void describeRecurrence(rule)));
  });
});
