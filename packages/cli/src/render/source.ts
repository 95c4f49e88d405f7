import { harmless } from "./style.ts";
import { type View, wrapped } from "./view.ts";

/** What every card, hit and window says of where it comes from. */
export interface Source {
  readonly id?: string;
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly stream: string;
  readonly record_version: string;
  readonly event_time?: string | number | undefined;
  readonly emitted_at: string;
}

/** Source, stream and time; then the id, its version and when it came in. */
export function sourceLine(view: View, source: Source): string[] {
  const label = source.display_name === undefined ? "" : `${harmless(source.display_name)}, `;
  const time = source.event_time === undefined ? "" : `, ${harmless(String(source.event_time))}`;
  const where = `${label}${harmless(source.connector_key)}/${harmless(source.stream)}${time}`;
  const what = [
    ...(source.id === undefined ? [] : [`${harmless(source.id)},`]),
    `version ${harmless(source.record_version)},`,
    `received ${harmless(source.emitted_at)}`,
  ];
  // An id is of use only when it is whole, whatever blanks it has.
  return [wrapped(where, view.width, "  "), view.style.dim(wrapped(what, view.width, "  "))];
}
