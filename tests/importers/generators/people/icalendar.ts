import { icalendar } from "#importers/formats/icalendar/icalendar";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

const padTwo = (n: number): string => String(n).padStart(2, "0");

interface Draft {
  readonly n: number;
  readonly title: string;
  readonly changed: number;
  readonly rule?: string;
}

function formatEvent({ n, title, changed, rule }: Draft): string {
  const day = `2025${padTwo((n % 12) + 1)}${padTwo((n % 28) + 1)}`;
  const when =
    n % 4 === 0
      ? [`DTSTART;VALUE=DATE:${day}`]
      : n % 4 === 1
        ? [`DTSTART:${day}T090000Z`, "DURATION:PT1H30M"]
        : [`DTSTART;TZID=Europe/Berlin:${day}T190000`, `DTEND;TZID=Europe/Berlin:${day}T203000`];
  return [
    "BEGIN:VEVENT",
    `UID:event-${n}@example.org`,
    ...when,
    `SUMMARY:${title.replaceAll(",", "\\,")}`,
    "DESCRIPTION:first line\\nsecond \\, line that is long enough to be folded by whoever wri",
    " tes it",
    "ORGANIZER;CN=Ada:mailto:ada@example.org",
    ...(rule === undefined ? [] : [`RRULE:${rule}`]),
    `LAST-MODIFIED:${changed}0101T000000Z`,
    "BEGIN:VALARM",
    "SUMMARY:not this",
    "END:VALARM",
    "END:VEVENT",
    "",
  ].join("\r\n");
}

const buildCalendar = (events: readonly string[]): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Home\r\n${events.join("")}END:VCALENDAR\r\n`;

const drawEvent = (dice: Dice, n: number): Draft => ({
  n,
  title: drawSentence(dice, 3),
  changed: 2024,
  ...(n % 5 === 2 ? { rule: "FREQ=WEEKLY;COUNT=4" } : {}),
});

const moved =
  "BEGIN:VEVENT\r\nUID:event-2@example.org\r\nRECURRENCE-ID;TZID=Europe/Berlin:20250310T190000\r\nDTSTART;TZID=Europe/Berlin:20250311T200000\r\nSUMMARY:moved by a day\r\nEND:VEVENT\r\n";

export const icalendarGenerator: Generator = {
  importer: icalendar,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawEvent(dice, n));
    const changed = all.slice(0, 2).map((each) => ({ ...each, title: "changed", changed: 2025 }));
    return {
      older: { "home.ics": buildCalendar([moved, ...all.map(formatEvent)]) },
      newer: {
        "home.ics": buildCalendar([
          ...[...changed, ...all.slice(2, -2), drawEvent(dice, size * 2), drawEvent(dice, size * 2 + 1)].map(
            formatEvent,
          ),
          moved,
        ]),
      },
    };
  },
  hostile(dice) {
    const good = [1, 3, 5].map((n) => formatEvent(drawEvent(dice, n)));
    const buildBadEvent = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT", ""].join("\r\n");
    return {
      files: {
        "broken.ics": buildCalendar([
          good[0] ?? "",
          buildBadEvent("UID:a", "SUMMARY:no start"),
          buildBadEvent("UID:b", "DTSTART:20250231T000000Z"),
          buildBadEvent("UID:c", "DTSTART:20250101T000000Z", "DURATION:P999999999999999999W", "SUMMARY:nul \u0000"),
          buildBadEvent("UID:d", "DTSTART:20250101T000000Z", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31"),
          buildBadEvent("UID:e", "DTSTART:20250101T000000Z", "RRULE:FREQ=SECONDLY"),
          buildBadEvent("UID:f", "DTSTART;TZID=Nowhere/Else:20250101T000000", "RRULE:FREQ=NEVER"),
          good[1] ?? "",
          "BEGIN:VTODO\r\nUID:todo\r\nEND:VTODO\r\n",
          good[2] ?? "",
          "BEGIN:VEVENT\r\nUID:cut\r\nDTSTART:20250101T000000Z\r\n",
        ]),
      },
      good: 3,
    };
  },
  endless: (dice, bytes) => ({
    path: "home.ics",
    *pieces() {
      yield "BEGIN:VCALENDAR\r\n";
      for (let n = 0, size = 0; size < bytes; n += 1) {
        const text = formatEvent(drawEvent(dice, n));
        size += text.length;
        yield text;
      }
    },
  }),
};
