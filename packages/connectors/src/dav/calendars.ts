import { calendarVersion } from "@pdpp/importers/icalendar/manifest";
import { type CalendarObjectContext, readCalendarObject, readCalendarZone } from "@pdpp/importers/icalendar/object";
import { z } from "zod";
import type { Collection } from "./discover.ts";
import type { DavObject, DavRecord, DavService } from "./service.ts";

const event = z.object({ event_id: z.string(), occurrence_start: z.string(), recurrence: z.string().nullable() });

/** Rules are expanded until two years after the end of the month, so that within a month nothing changes by itself. */
export function findHorizon(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Events, each time they take place as a record, as in imported calendars. */
export function createCalendarService(timeZone: string | undefined, horizon: number): DavService {
  const describeContext = (collection: Collection): CalendarObjectContext => ({
    name: collection.name,
    ownZone: collection.timeZone === undefined ? undefined : readCalendarZone(collection.timeZone),
    zone: timeZone ?? "UTC",
    exportedAt: horizon,
  });
  return {
    type: "caldav",
    protocol: "CalDAV",
    plural: "calendars",
    stream: "events",
    keyFields: ["event_id", "occurrence_start"],
    resourceType: "calendar",
    homeSet: "c:calendar-home-set",
    homeSetName: "calendarHomeSet",
    data: "c:calendar-data",
    dataName: "calendarData",
    multiget: "c:calendar-multiget",
    start: /^\s*BEGIN:VCALENDAR/i,
    describeReading: (collection) =>
      JSON.stringify([calendarVersion, collection.name, collection.timeZone, timeZone ?? null]),
    async readObject(text, collection): Promise<DavObject> {
      const records: DavRecord[] = [];
      const rejected: DavObject["rejected"][number][] = [];
      let isOpen = false;
      for (const item of await readCalendarObject(text, describeContext(collection))) {
        if (item.kind === "rejected") rejected.push({ code: item.code, reason: item.reason });
        if (item.kind !== "record") continue;
        const { event_id: id, occurrence_start: part, recurrence } = event.parse(item.data);
        isOpen ||= recurrence !== null && !endsBefore(recurrence, horizon);
        records.push({ id, part, data: item.data });
      }
      return { records, rejected, isOpen };
    },
  };
}

/** Whether a rule has ended before the horizon; rules that count are not counted here. */
function endsBefore(rule: string, horizon: number): boolean {
  const [, year, month, day] = /\bUNTIL=(\d{4})(\d{2})(\d{2})/i.exec(rule) ?? [];
  return year !== undefined && Date.UTC(Number(year), Number(month) - 1, Number(day)) < horizon;
}
