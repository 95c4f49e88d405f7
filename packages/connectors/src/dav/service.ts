import type { JsonObject } from "@pdpp/contract/declaration";
import type { Collection } from "./discover.ts";

/** The differences between CalDAV and CardDAV. */
export interface DavService {
  readonly type: "caldav" | "carddav";
  readonly protocol: string;
  /** For messages: calendars. */
  readonly plural: string;
  readonly stream: string;
  readonly keyFields: readonly [string] | readonly [string, string];
  /** The element in `resourcetype`, and properties, as sent and as parsed. */
  readonly resourceType: string;
  readonly homeSet: string;
  readonly homeSetName: string;
  readonly data: string;
  readonly dataName: string;
  readonly multiget: string;
  /** How an object's text begins; anything else is an error page. */
  readonly start: RegExp;
  /** Changes if the same objects would become other records; then all of them are read again. */
  describeReading(collection: Collection): string;
  readObject(text: string, collection: Collection): Promise<DavObject>;
}

export interface DavObject {
  readonly records: readonly DavRecord[];
  /** Parts that could not be read. */
  readonly rejected: readonly { readonly code: string; readonly reason: string }[];
  /** It becomes more records as time passes. */
  readonly isOpen: boolean;
}

export interface DavRecord {
  readonly id: string;
  /** Which of the records with this id; empty if there is only one. */
  readonly part: string;
  readonly data: JsonObject;
  readonly blob?: { readonly field: string; readonly mimeType: string; bytes(): AsyncIterable<Uint8Array> };
}

/** The key of a record as the vault writes it. */
export const formatKey = (id: string, part: string): string => (part === "" ? id : JSON.stringify([id, part]));
