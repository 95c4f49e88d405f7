import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatInstant, parseInstant } from "./instant.ts";

const EARLIEST = Date.parse("0000-01-01T00:00:00.000Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");
const instant = fc.integer({ min: EARLIEST, max: LATEST });
const offsetMinutes = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });
const digits = (minLength: number, maxLength: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${minLength},${maxLength}}$`));

const two = (number: number) => String(number).padStart(2, "0");

describe("parseInstant", () => {
  test("agrees with Date on whole milliseconds, with any separator and zone mark", () => {
    fc.assert(
      fc.property(instant, fc.constantFrom("T", "t", " "), fc.constantFrom("Z", "z", ""), (at, separator, zone) => {
        const iso = new Date(at).toISOString();
        expect(parseInstant(iso)).toBe(at);
        expect(parseInstant(iso.replace("T", separator).replace("Z", zone))).toBe(at);
        expect(parseInstant(iso.replace(".", ","))).toBe(at);
        expect(parseInstant(`${iso.slice(0, 19)}Z`)).toBe(Math.floor(at / 1000) * 1000);
        expect(parseInstant(`${iso.slice(0, 16)}Z`)).toBe(Math.floor(at / 60_000) * 60_000);
        expect(parseInstant(iso.slice(0, 10))).toBe(Math.floor(at / 86_400_000) * 86_400_000);
      }),
    );
  });

  test("takes the offset away, however it is written", () => {
    fc.assert(
      fc.property(instant, offsetMinutes, (at, offset) => {
        const sign = offset < 0 ? "-" : "+";
        const [hours, minutes] = [two(Math.trunc(Math.abs(offset) / 60)), two(Math.abs(offset) % 60)];
        const local = new Date(at).toISOString().slice(0, -1);
        const expected = at - offset * 60_000;
        expect(parseInstant(`${local}${sign}${hours}:${minutes}`)).toBe(expected);
        expect(parseInstant(`${local}${sign}${hours}${minutes}`)).toBe(expected);
        if (minutes === "00") expect(parseInstant(`${local}${sign}${hours}`)).toBe(expected);
      }),
    );
    expect(parseInstant("2026-01-02T03:04+05")).toBe(Date.parse("2026-01-02T03:04:00+05:00"));
    expect(parseInstant("1970-01-01T00:00:00-00:00")).toBe(0);
  });

  test("knows every calendar day, and no other", () => {
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(99), fc.nat(99), (year, month, day) => {
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect(parseInstant(text)).toBe(exists ? date.getTime() : null);
      }),
    );
  });

  test("keeps finer digits without leaving the millisecond", () => {
    fc.assert(
      fc.property(instant, digits(1, 40), (at, finer) => {
        const found = parseInstant(new Date(at).toISOString().replace("Z", `${finer}Z`))!;
        expect(Math.floor(found)).toBe(at);
        const expected = Number(`0.${finer}`);
        expect(Math.abs(found - at - expected)).toBeLessThanOrEqual(Math.abs(at) < 2 ** 41 ? 1 / 4096 : 1 / 32);
      }),
    );
    expect(parseInstant("2026-01-01T00:00:00.0000005Z")! - Date.UTC(2026, 0, 1)).toBeCloseTo(0.0005, 3);
    expect(parseInstant("2026-12-31T23:59:59.999999999Z")).toBeLessThan(Date.UTC(2027, 0, 1));
  });

  test("never gives a later instant a smaller number", () => {
    const second = fc.tuple(fc.integer({ min: 58, max: 60 }), digits(0, 20));
    fc.assert(
      fc.property(instant, second, second, (at, ...seconds) => {
        const minute = new Date(at).toISOString().slice(0, 16);
        const texts = seconds.map(([whole, finer]) => `${minute}:${whole}${finer && `.${finer}`}`).sort();
        const [earlier, later] = texts.map((text) => parseInstant(text)!) as [number, number];
        expect(earlier).toBeLessThanOrEqual(later);
        expect(later).toBeLessThan(Math.floor(at / 60_000) * 60_000 + 60_000);
      }),
    );
  });

  test("puts a leap second at the end of the second before", () => {
    const found = parseInstant("2016-12-31T23:59:60Z")!;
    expect(found).toBeGreaterThan(Date.UTC(2016, 11, 31, 23, 59, 59, 999));
    expect(found).toBeLessThan(Date.UTC(2017, 0, 1));
    expect(parseInstant("2016-12-31T23:59:60.5Z")).toBe(found);
  });

  test.each([
    ...["", " ", "2026", "2026-01", "2026-1-2", "20260102", "26-01-02", "+002026-01-02", "-2026-01-02", "12026-01-02"],
    ...["2026-02-30", "2025-02-29", "1900-02-29", "2026-00-10", "2026-13-10", "2026-04-31", "2026-01-00", "2026/01/02"],
    ...["2026-01-02T", "2026-01-02Z", "2026-01-02T03", "2026-01-02T03Z", "2026-01-02T24:00", "2026-01-02T24:00:00Z"],
    ...[
      "2026-01-02T03:60Z",
      "2026-01-02T03:04:61Z",
      "2026-01-02T3:04:05Z",
      "2026-01-02T03:04:5Z",
      "2026-01-02T030405Z",
    ],
    ...["2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.", "2026-01-02T03:04.5Z", "2026-01-02T03:04:05.1.2Z"],
    ...["2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05+1", "2026-01-02T03:04:05+100"],
    ...["2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05+01:0", "2026-01-02T03:04:05 +01:00", "2026-01-02T03:04:05+"],
    ...[
      "2026-01-02T03:04:05ZZ",
      "2026-01-02T03:04:05Z ",
      " 2026-01-02",
      "2026-01-02\n",
      "2026-01-02  03:04",
      "2026-01-02x",
    ],
    ...["2026-01-02_03:04", "٢٠٢٦-٠١-٠٢", "2026-01-02T03:04:05+0a:00", "2026-01-02T03:04:05−01:00", "now"],
  ])("refuses %j", (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test("answers any text with a finite number or null", () => {
    const near = fc.stringMatching(/^[0-9]{4}-[01][0-9]-[0-3][0-9][Tt ]?[0-9:.,+\-Zz]{0,20}$/);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), near),
        (text) => parseInstant(text) === null || Number.isFinite(parseInstant(text)),
      ),
    );
  });

  test("accepts a date-time exactly when Date reads it without moving a field", () => {
    const near = fc.stringMatching(
      /^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?Z$/,
    );
    fc.assert(
      fc.property(near, (text) => {
        const date = new Date(text.replace(/(\.\d{3})\d+/, "$1"));
        const overflowed = Number.isNaN(date.getTime()) || !text.startsWith(date.toISOString().slice(0, 19));
        if (!/:60(\.\d+)?Z$/.test(text)) expect(parseInstant(text) === null).toBe(overflowed);
      }),
    );
  });
});

describe("formatInstant", () => {
  test("is what Date writes, and reads back", () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(formatInstant(at)).toBe(new Date(at).toISOString());
        expect(formatInstant(Math.min(at + 0.9, LATEST))).toBe(formatInstant(at));
        expect(parseInstant(formatInstant(at))).toBe(at);
      }),
    );
  });

  test("keeps to four-digit years", () => {
    expect(formatInstant(parseInstant("9999-12-31T23:59:59-05:00")!)).toBe("9999-12-31T23:59:59.999Z");
    expect(formatInstant(parseInstant("0000-01-01T00:00:00+05:00")!)).toBe("0000-01-01T00:00:00.000Z");
    expect(formatInstant(Number.POSITIVE_INFINITY)).toBe("9999-12-31T23:59:59.999Z");
  });
});
