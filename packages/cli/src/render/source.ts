import { formatEventTime } from "@pdpp/evidence/text/local-time";
import { formatRecordId, unprintable } from "../input/record-id.ts";
import { formatName, quoteText } from "./terminal/literal.ts";
import { cleanLine, formatReadableTime } from "./terminal/readable.ts";
import { escapeUnprintable, showLabel } from "./terminal/style.ts";
import { type View, wrapText } from "./view.ts";

export interface Source {
  readonly id: string;
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly stream: string;
  /** Empty if the server does not provide it. */
  readonly record_version: string;
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
  readonly emitted_at: string;
}

export function formatSource(view: View, source: Source): string[] {
  const { record_version: version, emitted_at: stored } = source;
  const known = [
    ...(version === "" ? [] : [`version ${escapeUnprintable(version)}`]),
    ...(stored === "" ? [] : [`stored ${(view.terminal && formatReadableTime(stored)) || escapeUnprintable(stored)}`]),
  ];
  const place = view.terminal
    ? formatReadablePlace(view, source)
    : formatOrigin(view, source, splitTime(source, "with its value"));
  return [...place, ...(known.length === 0 ? [] : [view.style.dim(`  ${known.join(", ")}`)])];
}

/** Like formatSource, without the version. */
export const formatPlace = (view: View, source: Source): string[] =>
  view.terminal ? formatReadablePlace(view, source) : formatOrigin(view, source, splitTime(source));

function formatReadablePlace(view: View, source: Source): string[] {
  const { display_name: name, event_time: written } = source;
  const time = written === undefined ? undefined : (formatReadableTime(written) ?? cleanLine(String(written)));
  const label =
    name === undefined ? `${formatName(source.connector_key)}/${formatName(source.stream)}` : showLabel(name);
  const place = time === undefined ? label : `${label}, ${time}`;
  return [wrapText(place, view.width, "  "), view.style.dim(`  ${formatRecordId(source.id)}`)];
}

function formatOrigin(view: View, source: Source, time: readonly string[]): string[] {
  const pieces = [
    ...(source.display_name === undefined ? [] : splitLabel(source.display_name)),
    `${formatName(source.connector_key)}/${formatName(source.stream)}${time.length === 0 ? "" : ","}`,
    ...time,
  ];
  return [wrapText(pieces, view.width, "  "), view.style.dim(`  ${formatRecordId(source.id)}`)];
}

/** Local time, plus the original value for cards. */
function splitTime(source: Source, withValue?: "with its value"): string[] {
  const { event_time: written } = source;
  if (written === undefined) return [];
  const value = /^[\w.:+-]+$/.test(String(written)) ? String(written) : quoteText(String(written));
  const local = formatEventTime(source);
  if (local === undefined || (withValue !== undefined && source.local_time === undefined)) return [value];
  return withValue === undefined ? [local] : [local, `(${value})`];
}

/** Quotes a label as a whole if a wrapped line of it could look like an id. */
function splitLabel(label: string): string[] {
  const plain = /^[^"\\/:]+$/.test(label) && !unprintable.test(label);
  return plain ? `${label},`.split(" ") : [`${quoteText(label)},`];
}

export const formatCitation = ({ citation_url: url }: { readonly citation_url?: string | undefined }): string[] =>
  url === undefined || /[^!-~]/.test(url) ? [] : [`page: ${url}`];
