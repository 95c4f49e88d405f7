import { toLiteral } from "./literal.ts";
import { formatEventTime } from "./local-time.ts";

interface Timed {
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

/** When a record happened, on a line of ours; a time that cannot be read stays a quotation of the record. */
export function formatTime(of: Timed): string | undefined {
  if (of.event_time === undefined) return undefined;
  return formatEventTime(of) ?? toLiteral(of.event_time);
}

/** The same for a card, which holds every value as it was written. A title that is made from the time has the local one already. */
export function formatTimeWithValue(of: Timed & { readonly title: string }): string | undefined {
  const { event_time: written, local_time: local, title } = of;
  if (written === undefined) return undefined;
  const shown = local === undefined ? undefined : formatEventTime(of);
  const value = toLiteral(written);
  return shown === undefined || title.endsWith(`, ${shown}`) ? value : `${shown} (${value})`;
}
