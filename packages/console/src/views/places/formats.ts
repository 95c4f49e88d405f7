/** 11.8 km */
export const formatDistance = (meters: number): string =>
  meters < 1000
    ? `${Math.round(meters)} m`
    : `${(meters / 1000).toLocaleString("en", { maximumFractionDigits: meters < 100_000 ? 1 : 0 })} km`;

/** 2,864 m, or −25 m */
export const formatHeight = (meters: number): string =>
  `${Math.round(meters).toLocaleString("en").replace("-", "−")} m`;

/** 4 h 42 min */
export function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "under 1 min";
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  if (days > 0) return `${days.toLocaleString("en")} d${hours > 0 ? ` ${hours} h` : ""}`;
  return [hours > 0 ? `${hours} h` : "", rest > 0 ? `${rest} min` : ""].filter((part) => part !== "").join(" ");
}
