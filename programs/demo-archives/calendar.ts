import type { EventDraft } from "#demo/drafts";
import { addDays, addMinutes, timeZone, utc } from "#demo/local-time";
import { people } from "#demo/people";
import { contentLines, escaped } from "./content-lines.ts";

/** A calendar as Google exports it: a series is one event with its rule, and what differs from the rule stands beside it. */
export function calendarFile(name: string, events: readonly EventDraft[]): string {
  const series = Map.groupBy(events, ({ id, recurrence, start }) => (recurrence === null ? `${id} ${start}` : id));
  return contentLines([
    "BEGIN:VCALENDAR",
    "PRODID:-//Google Inc//Google Calendar 70.9054//EN",
    "VERSION:2.0",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `X-WR-CALNAME:${escaped(name)}`,
    `X-WR-TIMEZONE:${timeZone}`,
    ...zone,
    ...[...series.values()].flatMap(eventLines),
    "END:VCALENDAR",
  ]);
}

const zone = [
  "BEGIN:VTIMEZONE",
  `TZID:${timeZone}`,
  `X-LIC-LOCATION:${timeZone}`,
  ...[
    ["DAYLIGHT", "+0100", "+0200", "CEST", "19700329T020000", "3"],
    ["STANDARD", "+0200", "+0100", "CET", "19701025T030000", "10"],
  ].flatMap(([kind, from, to, short, start, month]) => [
    `BEGIN:${kind}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    `TZNAME:${short}`,
    `DTSTART:${start}`,
    `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=-1SU`,
    `END:${kind}`,
  ]),
  "END:VTIMEZONE",
];

const plain = (text: string): string => text.replaceAll(/[-:]/g, "");
const utcTime = (local: string): string => plain(utc(local));
/** `20260112T064800`, by the clock of the household. */
const localTime = (local: string): string => `${plain(local).replace(" ", "T")}00`;

function eventLines(events: readonly EventDraft[]): string[] {
  const [first, ...others] = events;
  if (first === undefined) return [];
  if (first.recurrence === null) return lines(first, []);
  const { frequency, interval, by_day, until, skipped } = first.recurrence;
  const clock = first.start.slice(11);
  const rule = [
    `FREQ=${frequency.toUpperCase()}`,
    `UNTIL=${utcTime(`${until} ${clock}`)}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    `BYDAY=${by_day.join(",")}`,
  ].join(";");
  const own = [`RRULE:${rule}`, ...skipped.map((day) => `EXDATE;TZID=${timeZone}:${localTime(`${day} ${clock}`)}`)];
  const differing = others.filter((event) => told(event) !== told(first));
  return [
    ...lines(first, own),
    ...differing.flatMap((event) => lines(event, [`RECURRENCE-ID;TZID=${timeZone}:${localTime(event.start)}`])),
  ];
}

/** All that an event says, but for the day. */
const told = ({ start, made: _, ...rest }: EventDraft): string => JSON.stringify([start.slice(11), rest]);

const answers: Readonly<Record<string, string>> = {
  accepted: "ACCEPTED",
  declined: "DECLINED",
  tentative: "TENTATIVE",
  needsAction: "NEEDS-ACTION",
};

const addressOf = (name: string): string =>
  Object.values(people).find((person) => person.name === name)?.address ?? "unknown@example.org";

function lines(event: EventDraft, own: readonly string[]): string[] {
  const when = event.allDay
    ? [`DTSTART;VALUE=DATE:${plain(event.start)}`, `DTEND;VALUE=DATE:${plain(addDays(event.start, event.length))}`]
    : own.length > 0
      ? [
          `DTSTART;TZID=${timeZone}:${localTime(event.start)}`,
          `DTEND;TZID=${timeZone}:${localTime(addMinutes(event.start, event.length))}`,
        ]
      : [`DTSTART:${utcTime(event.start)}`, `DTEND:${utcTime(addMinutes(event.start, event.length))}`];
  return [
    "BEGIN:VEVENT",
    ...when,
    ...own,
    `DTSTAMP:${utcTime("2026-11-01 07:00")}`,
    `ORGANIZER;CN=${event.organizer}:mailto:${addressOf(event.organizer)}`,
    `UID:${event.id}@google.com`,
    ...event.guests.map(
      ({ name, response }) =>
        `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=${answers[response] ?? "NEEDS-ACTION"};CN=${name}:mailto:${addressOf(name)}`,
    ),
    `CREATED:${utcTime(event.made)}`,
    ...(event.description === null ? [] : [`DESCRIPTION:${escaped(event.description)}`]),
    `LAST-MODIFIED:${utcTime(event.made)}`,
    ...(event.location === null ? [] : [`LOCATION:${escaped(event.location)}`]),
    "SEQUENCE:0",
    `STATUS:${event.status.toUpperCase()}`,
    `SUMMARY:${escaped(event.title)}`,
    "TRANSP:OPAQUE",
    "END:VEVENT",
  ];
}
