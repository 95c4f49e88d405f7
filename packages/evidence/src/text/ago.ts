const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A past time relative to now, such as `3 minutes ago`. */
export function formatAgo(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return "just now";
  if (past < hour) return `${formatCount(Math.floor(past / minute), "minute")} ago`;
  if (past < day) return `${formatCount(Math.floor(past / hour), "hour")} ago`;
  return `${formatCount(Math.floor(past / day), "day")} ago`;
}

const formatCount = (count: number, unit: string): string => (count === 1 ? `one ${unit}` : `${count} ${unit}s`);
