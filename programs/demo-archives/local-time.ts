import { demoVault } from "#demo/demo-vault";

export const { timeZone } = demoVault;

/** `2026-01-12T06:48:00` for an instant, by the household's clock. */
export function toLocalTime(instant: string): string {
  return Temporal.Instant.from(instant)
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString({ smallestUnit: "second" });
}

/** `2026-01-12T05:48:00Z` for a local time. */
export function toInstant(localTime: string): string {
  return Temporal.PlainDateTime.from(localTime).toZonedDateTime(timeZone).toInstant().toString();
}
