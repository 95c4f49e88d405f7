import type { Html } from "../../frame/frame.tsx";

/** Days without a time, as the owner's calendar has them. */

const dayMs = 86_400_000;
const shortDays = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  day: "numeric",
  month: "short",
  year: "numeric",
});

export const getDay = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);

function formatAgo(day: string, today: string): string {
  const days = Math.round((Date.parse(today) - Date.parse(day)) / dayMs);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return days > 1 && days < 14 ? `${days} days ago` : shortDays.format(Date.parse(day));
}

export const renderContactDay = (day: string | null | undefined, today: string): Html =>
  day === null || day === undefined || Number.isNaN(Date.parse(day)) ? (
    <>Unknown</>
  ) : (
    <time datetime={day} title={shortDays.format(Date.parse(day))}>
      {formatAgo(day, today)}
    </time>
  );

/** The last `count` months up to today, oldest first, such as `2026-10`. */
export function listMonths(today: string, count: number): string[] {
  const [year = 0, month = 1] = today.split("-").map(Number);
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.UTC(year, month - count + i, 1)).toISOString().slice(0, 7),
  );
}
