import { parseInstant } from "@pdpp/contract/instant";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEventTime, isTimeZone, isZone, parseLocalInstant, toLocalTime } from "./local-time.ts";

describe("local time", () => {
  it("[EVI-30] converts a UTC time to the zone, with the offset of that day", () => {
    expect(toLocalTime("2026-10-28T07:50:00.000Z", "Europe/Berlin")).toBe("2026-10-28T08:50:00+01:00");
    expect(toLocalTime("2026-06-28T14:30:00Z", "Europe/Berlin")).toBe("2026-06-28T16:30:00+02:00");
    expect(toLocalTime("2026-06-28 14:30", "Asia/Kolkata")).toBe("2026-06-28T20:00:00+05:30");
    expect(toLocalTime("2026-01-01T02:00:00Z", "America/St_Johns")).toBe("2025-12-31T22:30:00-03:30");
    expect(toLocalTime("2026-06-28T14:30:00Z", "-03:00")).toBe("2026-06-28T11:30:00-03:00");
    expect(toLocalTime("2026-06-28T14:30:00Z", "UTC")).toBe("2026-06-28T14:30:00+00:00");
  });

  it("[EVI-30] keeps the offset of a record, and leaves dates unchanged", () => {
    expect(toLocalTime("2026-03-30T19:12:00+02:00", "Asia/Tokyo")).toBe("2026-03-30T19:12:00+02:00");
    expect(toLocalTime("2026-03-30T19:12:00.25-0330", undefined)).toBe("2026-03-30T19:12:00-03:30");
    expect(toLocalTime("2026-03-30T19:12:00+02", undefined)).toBe("2026-03-30T19:12:00+02:00");
    expect(toLocalTime("2026-03-30T19:12:00+00:00", "Europe/Berlin")).toBe("2026-03-30T21:12:00+02:00");
    expect(toLocalTime("2026-03-30", "Europe/Berlin")).toBeUndefined();
    expect(toLocalTime("2026-03-30T19:12:00Z", undefined)).toBeUndefined();
    expect(toLocalTime(1_774_890_000_000, "Europe/Berlin")).toBeUndefined();
    expect(toLocalTime("next week", "Europe/Berlin")).toBeUndefined();
    expect(toLocalTime("9999-12-31T23:30:00Z", "Europe/Berlin")).toBeUndefined();
  });

  it("[EVI-30] denotes the same second in every zone", () => {
    const zones = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Africa/Monrovia", "+13:45"];
    fc.assert(
      fc.property(fc.integer({ min: -6e13, max: 2.5e14 }), fc.constantFrom(...zones), (instant, zone) => {
        const written = new Date(instant).toISOString();
        const local = toLocalTime(written, zone);
        expect(parseInstant(local ?? "")).toBe(Math.floor(instant / 1000) * 1000);
      }),
    );
  });

  it("[EVI-30] is formatted for people", () => {
    expect(formatEventTime({ event_time: "2026-10-28" })).toBe("2026-10-28");
    expect(formatEventTime({ event_time: "2026-10-28T07:50:00Z", local_time: "2026-10-28T08:50:00+01:00" })).toBe(
      "2026-10-28 08:50 +01:00",
    );
    expect(formatEventTime({ event_time: "2026-10-28T07:50:00+02:00" })).toBe("2026-10-28 07:50 +02:00");
    expect(formatEventTime({ event_time: "2026-05-01T00:00:00Z", local_time: "2026-05-01" })).toBe("2026-05-01");
    expect(formatEventTime({ event_time: "2026-10-28T07:50:00Z" })).toBe("2026-10-28 07:50 UTC");
    expect(formatEventTime({ event_time: "soon" })).toBeUndefined();
  });

  it("recognizes zones by name and offset", () => {
    for (const zone of ["Europe/Berlin", "europe/berlin", "UTC", "+05:30", "-03"])
      expect([zone, isZone(zone)]).toEqual([zone, true]);
    for (const zone of [
      "",
      "Berlin",
      "local",
      "5",
      "+2",
      "Europe/Berlin[u-ca=iso8601]",
      "2026-01-01T00:00Z",
      "x".repeat(99),
    ])
      expect([zone, isZone(zone)]).toEqual([zone, false]);
    expect(isTimeZone("+02:00")).toBe(false);
  });
});

describe("a requested time", () => {
  const at = (text: string, zone = "Europe/Berlin") => {
    const instant = parseLocalInstant(text, zone);
    return instant === null ? null : new Date(instant).toISOString();
  };

  it("[EVI-33] reads a date as that day, and a time without an offset as local time", () => {
    expect(at("2026-03-01")).toBe("2026-02-28T23:00:00.000Z");
    expect(at("2026-07-01")).toBe("2026-06-30T22:00:00.000Z");
    expect(at("2026-03-01T09:00")).toBe("2026-03-01T08:00:00.000Z");
    expect(at("2026-03-01 09:00:30,5000000000001")).toBe("2026-03-01T08:00:30.500Z");
    // Clocks go from 2:00 to 3:00 that night, and in São Paulo they once did at midnight.
    expect(at("2026-03-29T02:30")).toBe("2026-03-29T01:30:00.000Z");
    expect(at("2018-11-04", "America/Sao_Paulo")).toBe("2018-11-04T03:00:00.000Z");
    expect(at("2016-12-31T23:59:60")).toBe("2016-12-31T22:59:59.999Z");
  });

  it("[EVI-33] reads a time with an offset exactly, and rejects nonsense", () => {
    expect(at("2026-03-01T09:00Z")).toBe("2026-03-01T09:00:00.000Z");
    expect(at("2026-03-01T09:00:00-05:00")).toBe("2026-03-01T14:00:00.000Z");
    expect(at("2026-03-01T09:00+02")).toBe("2026-03-01T07:00:00.000Z");
    for (const nonsense of ["", "soon", "2026-02-30", "2026-03-01T25:00", "2026-03", "2026-03-01T09:00[Europe/Berlin]"])
      expect(at(nonsense)).toBeNull();
  });
});
