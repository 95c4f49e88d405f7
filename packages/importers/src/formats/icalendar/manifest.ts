import * as field from "../../core/records/field.ts";
import { defineManifest, defineStream } from "../../core/records/schema.ts";

/** Version of the reading logic, for imports and for calendars that are collected. */
export const calendarVersion = "2";

export const calendarManifest = defineManifest("icalendar", "Calendar", "1.0.0", [
  defineStream({
    name: "events",
    label: "Events",
    description:
      "What takes place when. A recurring event has a record for each time, up to two years after the export.",
    key: ["event_id", "occurrence_start"],
    time: "starts_at",
    fields: {
      event_id: field.text({
        description: "The calendar's own id; the same for every time a recurring event takes place.",
      }),
      occurrence_start: field.text({
        description: "Which of them: when it was first meant to begin; single for an event that does not recur.",
      }),
      calendar: field.maybeText({ x_pdpp_role: "secondary" }),
      title: field.title(),
      description: field.body(),
      location: field.maybeText({ x_pdpp_type: "place", x_pdpp_role: "secondary" }),
      organizer: field.actor(),
      attendees: field.texts({ x_pdpp_type: "person" }),
      starts_at: field.eventTime(),
      ends_at: field.time("When it ends; null where the calendar does not say."),
      is_all_day: { ...field.flag("Whole days: starts_at is midnight UTC of the first."), x_pdpp_type: "all-day" },
      time_zone: field.timeZone("The zone it was planned in."),
      time_zone_assumed: field.flag("The calendar does not say the zone."),
      status: field.maybeText({ description: "confirmed, tentative or cancelled." }),
      categories: field.texts(),
      url: field.maybeText(),
      recurrence: field.maybeText({ description: "The rule of a recurring event." }),
      is_moved: field.flag("This time differs from the rule."),
      updated_at: field.time("When it was last changed."),
    },
    presentation: {
      kind: "event",
      fields: {
        end: "ends_at",
        all_day: "is_all_day",
        place: "location",
        people: "attendees",
        recurrence: "recurrence",
        series: "event_id",
        status: "status",
      },
    },
    search: ["title", "description", "location", "organizer"],
    ranges: ["ends_at"],
    groups: ["calendar", "status", "organizer", "is_all_day"],
    distinct: ["event_id"],
  }),
]);
