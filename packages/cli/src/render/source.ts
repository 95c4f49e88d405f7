import { spellRecordId, unprintable } from "../record-id.ts";
import { literal, named } from "./literal.ts";
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
  const time = source.event_time === undefined ? [] : [String(source.event_time)];
  const where = [
    ...(source.display_name === undefined ? [] : labelPieces(source.display_name)),
    `${named(source.connector_key)}/${named(source.stream)}${time.length === 0 ? "" : ","}`,
    ...time.map((text) => (isTime.test(text) ? text : literal(text))),
  ];
  const what = [
    ...(source.id === undefined ? [] : [`${spellRecordId(source.id)},`]),
    `version ${harmless(source.record_version)},`,
    `received ${harmless(source.emitted_at)}`,
  ];
  // An id is of use only when it is whole, whatever blanks it has.
  return [wrapped(where, view.width, "  "), view.style.dim(wrapped(what, view.width, "  "))];
}

const isTime = /^[\w.:+-]+$/;

/** The words of a label, or all of it as one JSON string if a line of it could be taken for an id. */
function labelPieces(label: string): string[] {
  const plain = /^[^"\\/:]+$/.test(label) && !unprintable.test(label);
  return plain ? `${label},`.split(" ") : [`${literal(label)},`];
}
