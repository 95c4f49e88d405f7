import { toLiteral } from "./literal.ts";
import { formatEventTime } from "./local-time.ts";

interface Timed {
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

/** When a record happened. A time that cannot be parsed is quoted. */
export function formatTime(of: Timed): string | undefined {
  if (of.event_time === undefined) return undefined;
  return formatEventTime(of) ?? toLiteral(of.event_time);
}

/** For cards, which show every value as stored. A title made from the time already contains the local time. */
export function formatTimeWithValue(of: Timed & { readonly title: string }): string | undefined {
  const { event_time: written, local_time: local, title } = of;
  if (written === undefined) return undefined;
  const shown = local === undefined ? undefined : formatEventTime(of);
  const value = toLiteral(written);
  return shown === undefined || title.endsWith(`, ${shown}`) ? value : `${shown} (${value})`;
}
