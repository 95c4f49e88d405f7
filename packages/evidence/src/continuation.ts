import { type ContinuationTo, continueWith, type RecordArguments } from "@pdpp/contract/continuation";
import { budget } from "./budget.ts";

/** The record that a continuation goes on in, at the version that was shown. */
export interface RecordPlace {
  readonly connectionId: string;
  readonly stream: string;
  readonly recordId: string;
  readonly version: string;
}

const recordArguments = (place: RecordPlace): RecordArguments => ({
  connection_id: place.connectionId,
  stream: place.stream,
  record_id: place.recordId,
});

export function readFieldFrom(
  place: RecordPlace,
  field: string,
  offset: number,
  limit: number = budget.window.chars,
): ContinuationTo<"readField"> {
  const window = { offset_chars: offset, limit_chars: Math.min(limit, budget.window.mostChars) };
  // A server without versions has none to go on in.
  const version = place.version === "" ? {} : { version: place.version };
  return continueWith("readField", { ...recordArguments(place), field, ...window, ...version });
}

/** The rest of a record: these fields if they are few enough to be named, else all. */
export function fetchFields(place: RecordPlace, fields: readonly string[]): ContinuationTo<"fetch"> {
  const named = fields.length <= budget.card.namedFields ? { fields } : {};
  return continueWith("fetch", { ...recordArguments(place), ...named });
}

/** The document of the fields that follow one. */
export const fetchAfter = (
  place: RecordPlace,
  field: string,
  fields: readonly string[] | undefined,
): ContinuationTo<"fetch"> =>
  continueWith("fetch", {
    ...recordArguments(place),
    ...(fields === undefined ? {} : { fields }),
    after_field: field,
  });

export const readBlobOf = (place: RecordPlace, blobId: string): ContinuationTo<"readBlob"> =>
  continueWith("readBlob", { blob_id: blobId, connection_id: place.connectionId });
