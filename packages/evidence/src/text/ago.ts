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

/** A time to come relative to now, such as `in 18 minutes`. */
export function formatUpcoming(at: number, now: number): string {
  const left = at - now;
  if (left < minute) return "in a moment";
  if (left < hour) return `in ${formatCount(Math.round(left / minute), "minute")}`;
  if (left < day) return `in ${formatCount(Math.round(left / hour), "hour")}`;
  return `in ${formatCount(Math.round(left / day), "day")}`;
}

const formatCount = (count: number, unit: string): string => (count === 1 ? `one ${unit}` : `${count} ${unit}s`);
