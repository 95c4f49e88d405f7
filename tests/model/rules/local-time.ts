/** Local time from the platform's zone data, independent of the server's arithmetic. */

const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(zone: string): Intl.DateTimeFormat {
  const held = formats.get(zone);
  if (held !== undefined) return held;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  formats.set(zone, made);
  return made;
}

export function getBucketKey(instant: number, granularity: string, zone: string): string {
  const parts = Object.fromEntries(
    getFormat(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute } = parts as Record<string, string>;
  const date = `${year!.padStart(4, "0")}-${month}-${day}`;
  switch (granularity) {
    case "minute":
      return `${date}T${hour}:${minute}`;
    case "hour":
      return `${date}T${hour}:00`;
    case "day":
      return date;
    case "week": {
      const noon = new Date(`${date}T12:00:00Z`);
      noon.setUTCDate(noon.getUTCDate() - ((noon.getUTCDay() + 6) % 7));
      return noon.toISOString().slice(0, 10);
    }
    case "month":
      return `${date.slice(0, 7)}-01`;
    case "quarter":
      return `${date.slice(0, 5)}${String(Math.floor((Number(month) - 1) / 3) * 3 + 1).padStart(2, "0")}-01`;
    default:
      return `${date.slice(0, 4)}-01-01`;
  }
}
