import { escapeText, writeContentLines } from "./content-lines.ts";
import { type CalendarEvent, contacts, owner } from "./household.ts";
import { timeZone, toInstant, toLocalTime } from "./local-time.ts";

/** A calendar as Google exports it: a series is one event with its rule, followed by the occurrences that differ from it. */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): string {
  const series = Map.groupBy(events, ({ event_id, recurrence, occurrence_start }) =>
    recurrence === null ? `${event_id} ${occurrence_start}` : event_id,
  );
  return writeContentLines([
    "BEGIN:VCALENDAR",
    "PRODID:-//Google Inc//Google Calendar 70.9054//EN",
    "VERSION:2.0",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `X-WR-CALNAME:${escapeText(name)}`,
    `X-WR-TIMEZONE:${timeZone}`,
    ...zone,
    ...[...series.values()].flatMap(formatSeries),
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

/** `20260112T064800`: iCalendar times have no separators. */
const removeSeparators = (time: string): string => time.replaceAll(/[-:]/g, "");
const formatLocalTime = (instant: string): string => removeSeparators(toLocalTime(instant));

function formatSeries(events: readonly CalendarEvent[]): string[] {
  const [first, ...others] = events;
  if (first === undefined) return [];
  if (first.recurrence === null) return formatEvent(first, []);
  const { frequency, interval, by_day, until, skipped } = first.recurrence;
  const clock = toLocalTime(first.occurrence_start).slice(11);
  const rule = [
    `FREQ=${frequency.toUpperCase()}`,
    `UNTIL=${removeSeparators(toInstant(`${until}T${clock}`))}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    `BYDAY=${by_day.join(",")}`,
  ].join(";");
  const ruleLines = [
    `RRULE:${rule}`,
    ...skipped.map((day) => `EXDATE;TZID=${timeZone}:${removeSeparators(`${day}T${clock}`)}`),
  ];
  const exceptions = others.filter((event) => describeOccurrence(event) !== describeOccurrence(first));
  return [
    ...formatEvent(first, ruleLines),
    ...exceptions.flatMap((event) =>
      formatEvent(event, [`RECURRENCE-ID;TZID=${timeZone}:${formatLocalTime(event.occurrence_start)}`]),
    ),
  ];
}

/** Everything about an occurrence except its day. */
const describeOccurrence = ({ occurrence_start, occurrence_end, updated_at: _, ...rest }: CalendarEvent): string =>
  JSON.stringify([toLocalTime(occurrence_start).slice(11), toLocalTime(occurrence_end).slice(11), rest]);

const responses: Readonly<Record<string, string>> = {
  accepted: "ACCEPTED",
  declined: "DECLINED",
  tentative: "TENTATIVE",
  needsAction: "NEEDS-ACTION",
};

const findAddress = (name: string): string =>
  [owner, ...contacts].find((person) => person.name === name)?.address ?? "unknown@example.org";

/** Google writes local times where a series needs them and UTC elsewhere. */
function formatTime(name: string, instant: string, isAllDay: boolean, isLocal: boolean): string {
  if (isAllDay) return `${name};VALUE=DATE:${removeSeparators(instant.slice(0, 10))}`;
  return isLocal ? `${name};TZID=${timeZone}:${formatLocalTime(instant)}` : `${name}:${removeSeparators(instant)}`;
}

function formatEvent(event: CalendarEvent, ruleLines: readonly string[]): string[] {
  const isLocal = ruleLines.length > 0;
  return [
    "BEGIN:VEVENT",
    formatTime("DTSTART", event.occurrence_start, event.all_day, isLocal),
    formatTime("DTEND", event.occurrence_end, event.all_day, isLocal),
    ...ruleLines,
    "DTSTAMP:20261101T060000Z",
    `ORGANIZER;CN=${event.organizer}:mailto:${findAddress(event.organizer)}`,
    `UID:${event.event_id}@google.com`,
    ...event.attendees.map(
      ({ name, response }) =>
        `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=${responses[response] ?? "NEEDS-ACTION"};CN=${name}:mailto:${findAddress(name)}`,
    ),
    `CREATED:${removeSeparators(event.updated_at)}`,
    ...(event.description === null ? [] : [`DESCRIPTION:${escapeText(event.description)}`]),
    `LAST-MODIFIED:${removeSeparators(event.updated_at)}`,
    ...(event.location === null ? [] : [`LOCATION:${escapeText(event.location)}`]),
    "SEQUENCE:0",
    `STATUS:${event.status.toUpperCase()}`,
    `SUMMARY:${escapeText(event.title)}`,
    "TRANSP:OPAQUE",
    "END:VEVENT",
  ];
}
