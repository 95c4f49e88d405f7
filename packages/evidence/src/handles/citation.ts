import type { RecordHandle } from "./handle.ts";

/**
 * Addresses for people: the console's page of a record, with the passage that was found. They are names, never authority: the page
 * shows nothing without the owner's session.
 */

/** Characters of one field, in the version of the record that they were read in. */
export interface CitedPassage {
  readonly field: string;
  readonly start: number;
  readonly end: number;
  readonly version: string;
}

/** Longer addresses do not survive being copied around. */
const maxUrlChars = 2000;

/** Undefined for a record whose name has no address, or one that is too long. */
export function formatCitationUrl(pagesUrl: string, record: RecordHandle, passage?: CitedPassage): string | undefined {
  const { connectionId, stream, recordId } = record;
  if (![connectionId, stream, recordId, passage?.field ?? ""].every((part) => part.isWellFormed())) return undefined;
  const [connection, name] = [connectionId, stream].map(encodeURIComponent);
  // A path may have these as they are, and keys of several fields are full of them.
  const key = encodeURIComponent(recordId).replaceAll("%3A", ":").replaceAll("%2C", ",");
  const at = passage === undefined ? "" : `?at=${formatPassage(passage)}`;
  const url = `${pagesUrl}${citationPath}${connection}/${name}:${key}`;
  return url.length + at.length <= maxUrlChars ? url + at : url.length <= maxUrlChars ? url : undefined;
}

export const citationPath = "/record/";

/** Most records have one version only, so an address without one means the first. */
const firstVersion = "1";

const formatPassage = ({ field, start, end, version }: CitedPassage): string =>
  `${encodeURIComponent(field)}:${start}-${end}${version === firstVersion ? "" : `@${version}`}`;

/** The passage that the decoded value of `at` names. */
export function parsePassage(at: string): CitedPassage | null {
  const [, field, start, end, version = firstVersion] = /^(.+):(\d{1,15})-(\d{1,15})(?:@(\d{1,15}))?$/su.exec(at) ?? [];
  if (field === undefined || Number(start) >= Number(end)) return null;
  return { field, start: Number(start), end: Number(end), version };
}

/** The record that the path of an address names, as a browser sends it. */
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
