import type { Item, RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { icalendar } from "#importers/formats/icalendar/icalendar";
import { createMemoryTree } from "../support.ts";

const exportedAt = Date.UTC(2026, 0, 1);

async function read(...lines: string[]): Promise<{ events: RecordItem["data"][]; others: Item[]; asked: string[] }> {
  const text = ["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR", ""].join("\r\n");
  const { claims } = await detect(createMemoryTree({ "a.ics": text }, exportedAt), [icalendar]);
  const found: { events: RecordItem["data"][]; others: Item[]; asked: string[] } = {
    events: [],
    others: [],
    asked: [],
  };
  for (const { claim } of claims) {
    found.asked.push(...claim.questions.map(({ key }) => key));
    for await (const item of icalendar.read(claim, { time_zone: "America/New_York", attachments: true })) {
      if (item.kind === "record") found.events.push(item.data);
      else if (item.kind !== "mark") found.others.push(item);
    }
  }
  return found;
}

const readEvent = (...lines: string[]): string[] => ["BEGIN:VEVENT", "UID:u1", ...lines, "END:VEVENT"];
const starts = (events: RecordItem["data"][]) => events.map(({ starts_at }) => starts_at);

describe("[IMP-11] calendars", () => {
  it("keep the clock of their zone when the clocks are moved", async () => {
    const { events } = await read(
      ...readEvent(
        "DTSTART;TZID=W. Europe Standard Time:20260320T190000",
        "DURATION:PT90M",
        "RRULE:FREQ=WEEKLY;UNTIL=20260405",
      ),
    );
    expect(starts(events)).toEqual([
      "2026-03-20T19:00:00+01:00",
      "2026-03-27T19:00:00+01:00",
      "2026-04-03T19:00:00+02:00",
    ]);
    expect(events[2]).toMatchObject({
      ends_at: "2026-04-03T20:30:00+02:00",
      occurrence_start: "2026-04-03T17:00:00.000Z",
      time_zone: "Europe/Berlin",
    });
  });

  it("know what was moved, taken out and added, in whichever order it stands", async () => {
    const moved = readEvent("RECURRENCE-ID:20260102T100000Z", "DTSTART:20260103T120000Z", "SUMMARY:moved");
    const series = readEvent(
      "DTSTART:20260101T100000Z",
      "RRULE:FREQ=DAILY;COUNT=4",
      "EXDATE:20260103T100000Z",
      "RDATE:20260201T100000Z",
    );
    for (const lines of [
      [...moved, ...series],
      [...series, ...moved],
    ]) {
      const { events } = await read(...lines);
      const shown = events.map(({ occurrence_start, starts_at, status, is_moved }) => [
        String(occurrence_start).slice(5, 10),
        String(starts_at).slice(5, 10),
        status,
        is_moved,
      ]);
      expect(shown.sort()).toEqual([
        ["01-01", "01-01", null, false],
        ["01-02", "01-03", null, true],
        ["01-03", "01-03", "cancelled", false],
        ["01-04", "01-04", null, false],
        ["02-01", "02-01", null, false],
      ]);
    }
  });

  it("have whole days, times without a zone, and zones of their own", async () => {
    const day = await read(...readEvent("DTSTART;VALUE=DATE:20260131", "SUMMARY:a\\, b\\nc"));
    expect([day.asked, day.events]).toMatchObject([
      [],
      [
        {
          occurrence_start: "single",
          starts_at: "2026-01-31T00:00:00Z",
          ends_at: "2026-02-01T00:00:00Z",
          is_all_day: true,
          title: "a, b\nc",
        },
      ],
    ]);
    const floating = await read(...readEvent("DTSTART:20260131T090000"));
    expect([floating.asked, floating.events]).toMatchObject([
      ["time_zone"],
      [{ starts_at: "2026-01-31T09:00:00-05:00", time_zone_assumed: true }],
    ]);
    const named = await read("X-WR-TIMEZONE:Asia/Tokyo", ...readEvent("DTSTART:20260131T090000"));
    expect([named.asked, named.events]).toMatchObject([
      [],
      [{ starts_at: "2026-01-31T09:00:00+09:00", time_zone_assumed: false }],
    ]);
    const own = [
      "BEGIN:VTIMEZONE",
      "TZID:Our office",
      "BEGIN:STANDARD",
      "DTSTART:19700101T000000",
      "TZOFFSETFROM:+0530",
      "TZOFFSETTO:+0530",
      "END:STANDARD",
      "END:VTIMEZONE",
    ];
    const office = await read(...own, ...readEvent("DTSTART;TZID=Our office:20260131T090000"));
    expect(starts(office.events)).toEqual(["2026-01-31T09:00:00+05:30"]);
  });

  it("know a zone by when its clocks are moved, whatever an office calls it", async () => {
    const buildRule = (kind: string, from: string, to: string, when: string): string[] => [
      `BEGIN:${kind}`,
      "DTSTART:16010101T020000",
      `TZOFFSETFROM:${from}`,
      `TZOFFSETTO:${to}`,
      `RRULE:FREQ=YEARLY;${when}`,
      `END:${kind}`,
    ];
    const buildZone = (name: string, ...rules: string[][]): string[] => [
      "BEGIN:VTIMEZONE",
      `TZID:${name}`,
      ...rules.flat(),
      "END:VTIMEZONE",
    ];
    const { events } = await read(
      ...buildZone(
        "Mitteleuropa",
        buildRule("STANDARD", "+0200", "+0100", "BYDAY=-1SU;BYMONTH=10"),
        buildRule("DAYLIGHT", "+0100", "+0200", "BYDAY=-1SU;BYMONTH=3"),
      ),
      ...buildZone(
        "Customized Time Zone",
        buildRule("DAYLIGHT", "-0500", "-0400", "BYMONTH=3;BYDAY=2SU"),
        buildRule("STANDARD", "-0400", "-0500", "BYMONTH=11;BYDAY=1SU"),
      ),
      ...readEvent("DTSTART;TZID=Mitteleuropa:20240715T100000"),
      ...readEvent("DTSTART;TZID=Mitteleuropa:20240115T100000"),
      ...readEvent("DTSTART;TZID=Customized Time Zone:20240320T100000"),
      ...readEvent("DTSTART;TZID=Alaskan Standard Time:20240715T100000"),
    );
    expect(starts(events)).toEqual([
      "2024-07-15T10:00:00+02:00",
      "2024-01-15T10:00:00+01:00",
      "2024-03-20T10:00:00-04:00",
      "2024-07-15T10:00:00-08:00",
    ]);
  });

  it("know zones as Windows shows them, and ask for one that nothing tells", async () => {
    const readTime = async (zone: string) => {
      const { events, asked } = await read(...readEvent(`DTSTART;TZID="${zone}":20240715T100000`));
      return [events[0]?.starts_at, asked.length];
    };
    expect(await readTime("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna")).toEqual([
      "2024-07-15T10:00:00+02:00",
      0,
    ]);
    expect(await readTime("(UTC-05:00) Eastern Time (US & Canada)")).toEqual(["2024-07-15T10:00:00-04:00", 0]);
    expect(await readTime("(GMT+10:00) Canberra, Melbourne, Sydney")).toEqual(["2024-07-15T10:00:00+10:00", 0]);
    expect(await readTime("(UTC-03:00) Buenos Aires")).toEqual(["2024-07-15T10:00:00-03:00", 0]);
    expect(await readTime("Our office")).toEqual(["2024-07-15T10:00:00-04:00", 1]);
  });

  it("end a whole day with the beginning of the next, where a program ends it with itself", async () => {
    const { events } = await read(...readEvent("DTSTART;VALUE=DATE:20240115", "DTEND;VALUE=DATE:20240115"));
    expect(events).toMatchObject([{ starts_at: "2024-01-15T00:00:00Z", ends_at: "2024-01-16T00:00:00Z" }]);
  });

  it("are bounded: two years after the export, 5,000 times, and every rule ends", async () => {
    const daily = await read(...readEvent("DTSTART:20000101T100000Z", "RRULE:FREQ=DAILY"));
    expect([daily.events.length, starts(daily.events).at(-1)]).toEqual([5000, "2028-01-02T10:00:00Z"]);
    const never = await read(...readEvent("DTSTART:20260101T100000Z", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31"));
    expect([starts(never.events), never.others]).toMatchObject([
      ["2026-01-01T10:00:00Z"],
      [{ kind: "rejected", code: "bad_rule" }],
    ]);
    const long = await read(...readEvent("DTSTART:20260101T100000Z", "DURATION:P999999999999999999W"));
    expect(long.events).toMatchObject([{ ends_at: null }]);
  });
});
