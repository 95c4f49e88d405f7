import { literal } from "./literal.ts";
import { eventTimeText } from "./local-time.ts";

interface Timed {
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

/** When a record happened, on a line of ours; a time that cannot be read stays a quotation of the record. */
export function timeText(of: Timed): string | undefined {
  if (of.event_time === undefined) return undefined;
  return eventTimeText(of) ?? literal(of.event_time);
}

/** The same for a card, which holds every value as it was written. A title that is made from the time has the local one already. */
export function timeWithValue(of: Timed & { readonly title: string }): string | undefined {
  const { event_time: written, local_time: local, title } = of;
  if (written === undefined) return undefined;
  const shown = local === undefined ? undefined : eventTimeText(of);
  const value = literal(written);
  return shown === undefined || title.endsWith(`, ${shown}`) ? value : `${shown} (${value})`;
}
