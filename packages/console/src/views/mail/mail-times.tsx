import { getZoneOffset } from "@pdpp/evidence/text/local-time";
import type { Html } from "../../frame/frame.tsx";

/** Times of mails, in the owner's time zone. */

const createFormat = (form: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...form, timeZone: "UTC" });
const exact = createFormat({
  weekday: "long",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const short = createFormat({ day: "numeric", month: "short", year: "numeric" });

const toLocal = (at: number, zone: string): number => at + getZoneOffset(zone, at);

export const getLocalDay = (at: number, zone: string): string => new Date(toLocal(at, zone)).toISOString().slice(0, 10);

export const renderExactTime = (at: number, zone: string): Html => (
  <time datetime={new Date(at).toISOString()}>{exact.format(toLocal(at, zone))}</time>
);

export const formatShortDay = (at: number, zone: string): string => short.format(toLocal(at, zone));

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const day = 86_400_000;

export function formatLongAgo(at: number, now: number): string {
  const days = Math.round((at - now) / day);
  const [size, unit] =
    Math.abs(days) < 45
      ? ([days, "day"] as const)
      : Math.abs(days) < 2 * 365.25
        ? ([Math.trunc(days / 30.44), "month"] as const)
        : ([Math.trunc(days / 365.25), "year"] as const);
  return relative.format(size, unit);
}
