import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, addMonths, getWeekStart, listMonthDays } from "./days.ts";
import { type CalendarEvent, getFirstDay, groupByDay, placeInDay } from "./layout.ts";

const hour = 3_600_000;
const noon = Date.parse("2026-10-28T12:00:00Z");

const buildEvent = (i: number, start: number, end: number, isAllDay: boolean): CalendarEvent => ({
  id: `e${i}`,
  source: "a",
  stream: "events",
  title: `Event ${i}`,
  start,
  end: Math.max(start, end),
  isAllDay,
  isCancelled: false,
  place: undefined,
  recurrence: undefined,
  series: undefined,
});

const zones = fc.constantFrom("UTC", "Europe/Berlin", "Pacific/Apia", "America/St_Johns");
const events = fc
  .array(
    fc.tuple(
      fc.integer({ min: noon - 80 * hour, max: noon + 80 * hour }),
      fc.oneof(fc.integer({ min: 0, max: 12 * hour }), fc.constantFrom(0, 900 * hour, 8e15 - noon)),
      fc.boolean(),
    ),
    { maxLength: 40 },
  )
  .map((all) => all.map(([start, length, isAllDay], i) => buildEvent(i, start, start + length, isAllDay)));

const week = Array.from({ length: 7 }, (_, i) => addDays("2026-10-26", i));

describe("the layout of a calendar", () => {
  it("[CSL-116] puts an event into every day it touches, and once into each", () => {
    fc.assert(
      fc.property(events, zones, (all, zone) => {
        const groups = groupByDay(all, week, zone);
        expect([...groups.keys()]).toEqual(week);
        for (const [day, some] of groups) {
          expect(new Set(some).size).toBe(some.length);
          for (const event of some) expect(getFirstDay(event, zone) <= day).toBe(true);
        }
        for (const event of all) {
          const first = getFirstDay(event, zone);
          if (week.includes(first)) expect(groups.get(first)).toContain(event);
        }
      }),
    );
  });

  it("[CSL-116] never covers one event with another", () => {
    fc.assert(
      fc.property(events, zones, (all, zone) => {
        const day = "2026-10-28";
        const timed = (groupByDay(all, week, zone).get(day) ?? []).filter(({ isAllDay }) => !isAllDay);
        const placed = placeInDay(timed, day, zone);
        expect(placed.map(({ event }) => event.id).sort()).toEqual(timed.map(({ id }) => id).sort());
        for (const one of placed) {
          expect(one.from).toBeGreaterThanOrEqual(0);
          expect(one.to).toBeLessThanOrEqual(1440);
          expect(one.to - one.from).toBeGreaterThanOrEqual(30);
          expect(one.lane).toBeLessThan(one.lanes);
          for (const other of placed) {
            const overlaps = one.from < other.to && other.from < one.to;
            if (one === other || !overlaps) continue;
            expect(one.lanes).toBe(other.lanes);
            expect(one.lane).not.toBe(other.lane);
          }
        }
      }),
    );
  });

  it("[CSL-116] shows whole weeks that cover the month", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 9998 }), fc.integer({ min: 1, max: 12 }), (year, number) => {
        const month = `${year}-${String(number).padStart(2, "0")}`;
        const days = listMonthDays(month);
        expect(days.length % 7).toBe(0);
        expect(days[0]).toBe(getWeekStart(`${month}-01`));
        expect(days.some((day) => day === addDays(`${addMonths(month, 1)}-01`, -1))).toBe(true);
        expect(addMonths(addMonths(month, 5), -5)).toBe(month);
      }),
    );
  });
});
