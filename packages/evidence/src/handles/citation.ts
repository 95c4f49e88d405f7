import type { RecordHandle } from "./handle.ts";

/**
 * URLs for people: the console page of a record, with the matched passage. They identify a record but grant nothing: the page
 * requires the owner's session.
 */

/** A range of characters in one field, at one version of the record. */
export interface CitedPassage {
  readonly field: string;
  readonly start: number;
  readonly end: number;
  readonly version: string;
}

/** Longer URLs do not survive copy and paste. */
const maxUrlChars = 2000;

/** Undefined if the URL would be invalid or too long. */
export function formatCitationUrl(pagesUrl: string, record: RecordHandle, passage?: CitedPassage): string | undefined {
  const { connectionId, stream, recordId } = record;
  if (![connectionId, stream, recordId, passage?.field ?? ""].every((part) => part.isWellFormed())) return undefined;
  const [connection, name] = [connectionId, stream].map(encodeURIComponent);
  // These characters are valid in a path, and composite keys are full of them.
  const key = encodeURIComponent(recordId).replaceAll("%3A", ":").replaceAll("%2C", ",");
  const at = passage === undefined ? "" : `?at=${formatPassage(passage)}`;
  const url = `${pagesUrl}${citationPath}${connection}/${name}:${key}`;
  return url.length + at.length <= maxUrlChars ? url + at : url.length <= maxUrlChars ? url : undefined;
}

export const citationPath = "/record/";

/** Most records have one version, so a URL without a version means the first. */
const firstVersion = "1";

const formatPassage = ({ field, start, end, version }: CitedPassage): string =>
  `${encodeURIComponent(field)}:${start}-${end}${version === firstVersion ? "" : `@${version}`}`;

/** Parses the decoded value of `at`. */
export function parsePassage(at: string): CitedPassage | null {
  const [, field, start, end, version = firstVersion] = /^(.+):(\d{1,15})-(\d{1,15})(?:@(\d{1,15}))?$/su.exec(at) ?? [];
  if (field === undefined || Number(start) >= Number(end)) return null;
  return { field, start: Number(start), end: Number(end), version };
}

/** Parses the path of a URL as a browser sends it. */
export function parseCitationPath(path: string): RecordHandle | null {
  const [, connection, stream, key] = /^\/record\/([^/:]+)\/([^/:]+):([^/]+)$/.exec(path) ?? [];
  if (connection === undefined || stream === undefined || key === undefined) return null;
  try {
    return {
      connectionId: decodeURIComponent(connection),
      stream: decodeURIComponent(stream),
      recordId: decodeURIComponent(key),
    };
  } catch {
    return null;
  }
}
