import { formatRecordId, unprintable } from "../record-id.ts";
import { literal, named } from "./literal.ts";
import { harmless } from "./style.ts";
import { type View, wrapped } from "./view.ts";

/** What every card, hit and window says of where it comes from. */
export interface Source {
  readonly id: string;
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly stream: string;
  /** Empty where the server does not tell. */
  readonly record_version: string;
  readonly event_time?: string | number | undefined;
  readonly emitted_at: string;
}

/** Source, stream and time; the id by itself; its version and when it was stored. */
export function sourceLines(view: View, source: Source): string[] {
  const { record_version: version, emitted_at: stored } = source;
  const known = [
    ...(version === "" ? [] : [`version ${harmless(version)}`]),
    ...(stored === "" ? [] : [`stored ${harmless(stored)}`]),
  ];
  return [...placeLines(view, source), ...(known.length === 0 ? [] : [view.style.dim(`  ${known.join(", ")}`)])];
}

/** The same without the version, which a hit has no use for. */
export function placeLines(view: View, source: Source): string[] {
  const time = source.event_time === undefined ? [] : [String(source.event_time)];
  const where = [
    ...(source.display_name === undefined ? [] : labelPieces(source.display_name)),
    `${named(source.connector_key)}/${named(source.stream)}${time.length === 0 ? "" : ","}`,
    ...time.map((text) => (isTime.test(text) ? text : literal(text))),
  ];
  return [wrapped(where, view.width, "  "), view.style.dim(`  ${formatRecordId(source.id)}`)];
}

const isTime = /^[\w.:+-]+$/;

/** The words of a label, or all of it as one JSON string if a line of it could be taken for an id. */
function labelPieces(label: string): string[] {
  const plain = /^[^"\\/:]+$/.test(label) && !unprintable.test(label);
  return plain ? `${label},`.split(" ") : [`${literal(label)},`];
}
