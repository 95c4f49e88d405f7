import { formatInstant } from "@pdpp/contract/instant";
import type { DailyReads } from "@pdpp/contract/owner";

/** Reads per day, for a chart. */

const day = 86_400_000;
export const daysShown = 30;

const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const formatDay = (at: number): string => formatInstant(at).slice(0, 10);

/** Records read per day, oldest first. */
export function countByDay(
  read: readonly DailyReads[],
  now: number,
): { readonly label: string; readonly count: number }[] {
  return Array.from({ length: daysShown }, (_, i) => {
    const at = now - (daysShown - 1 - i) * day;
    const records = read.filter((each) => each.day === formatDay(at)).reduce((sum, each) => sum + each.records, 0);
    return { label: shortDay.format(at), count: records };
  });
}

export const getStartOfDay = (at: number, timeZone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).startOfDay().epochMilliseconds;
