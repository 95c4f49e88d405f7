import { formatInstant, parseInstant } from "@pdpp/contract/instant";

/** Years, months and days in UTC, as the reader counts them. */

export type Period = "year" | "month" | "day";

/** The first day after the period that starts on that day. */
export function getPeriodEnd(since: string, period: Period): string {
  const at = new Date(parseInstant(since) ?? 0);
  if (period === "year") at.setUTCFullYear(at.getUTCFullYear() + 1);
  else if (period === "month") at.setUTCMonth(at.getUTCMonth() + 1);
  else at.setUTCDate(at.getUTCDate() + 1);
  return formatInstant(at.getTime()).slice(0, 10);
}

/** All periods from first to last, including empty ones; at most the last `most`. */
export function listPeriods(
  period: Period,
  first: string,
  last: string,
  most: number,
): { readonly since: string; readonly until: string }[] {
  const back = new Date(parseInstant(last) ?? 0);
  if (period === "year") back.setUTCFullYear(back.getUTCFullYear() - (most - 1));
  else if (period === "month") back.setUTCMonth(back.getUTCMonth() - (most - 1));
  else back.setUTCDate(back.getUTCDate() - (most - 1));
  const earliest = formatInstant(back.getTime()).slice(0, 10);
  const all: { since: string; until: string }[] = [];
  for (let since = first < earliest ? earliest : first; since <= last && all.length < most; ) {
    const until = getPeriodEnd(since, period);
    all.push({ since, until });
    if (until <= since) break;
    since = until;
  }
  return all;
}

const createUtcFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
const months = createUtcFormat({ month: "short", year: "numeric" });
const days = createUtcFormat({ day: "numeric", month: "short", year: "numeric" });

export function formatPeriod(period: Period, since: string): string {
  const at = parseInstant(since.slice(0, 10)) ?? 0;
  if (period === "year") return since.slice(0, 4);
  return (period === "month" ? months : days).format(at);
}
