import type { DemoRecord } from "../demo-types.ts";
import type { CalendarKey, EventDraft } from "../drafts.ts";
import { addDays, addMinutes, collectedAt, firstDay, timeZone, utc } from "../local-time.ts";

export const calendars: Record<CalendarKey, { name: string; colour: string }> = {
  family: { name: "Family", colour: "#3a7d5d" },
  ada: { name: "Ada", colour: "#b5532a" },
  work: { name: "Work", colour: "#31568c" },
  school: { name: "Grundschule am Lindenufer", colour: "#a3862b" },
};

export function* calendarRecords(): Iterable<DemoRecord> {
  for (const [key, calendar] of Object.entries(calendars)) {
    const data = { id: `cal_${key}`, name: calendar.name, colour: calendar.colour, time_zone: timeZone };
    yield { key: data.id, emitted_at: `${firstDay}T06:04:00Z`, data };
  }
}

export function* eventRecords(events: readonly EventDraft[]): Iterable<DemoRecord> {
  for (const event of events) {
    const start = event.allDay ? `${event.start}T00:00:00Z` : utc(event.start);
    const end = event.allDay
      ? `${addDays(event.start, event.length)}T00:00:00Z`
      : utc(addMinutes(event.start, event.length));
    // What was made before the year began is seen by the connector's first run.
    const updated = utc(event.made < firstDay ? `${firstDay} 07:00` : event.made);
    yield {
      key: [event.id, start],
      emitted_at: collectedAt(updated),
      data: {
        event_id: event.id,
        occurrence_start: start,
        occurrence_end: end,
        duration_minutes: event.allDay ? event.length * 1440 : event.length,
        all_day: event.allDay,
        time_zone: timeZone,
        calendar_id: `cal_${event.calendar}`,
        title: event.title,
        location: event.location,
        description: event.description,
        organizer: event.organizer,
        attendees: event.guests,
        status: event.status,
        recurrence: event.recurrence ? { ...event.recurrence } : null,
        updated_at: updated,
      },
    };
  }
}
