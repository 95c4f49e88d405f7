import { type ContinuationTo, continueWith, type RecordArguments } from "@pdpp/contract/continuation";
import { budget } from "../sizes/budget.ts";

/** The record that a continuation reads, at the version that was shown. */
export interface RecordPlace {
  readonly connectionId: string;
  readonly stream: string;
  readonly recordId: string;
  readonly version: string;
}

const toRecordArguments = (place: RecordPlace): RecordArguments => ({
  connection_id: place.connectionId,
  stream: place.stream,
  record_id: place.recordId,
});

/**
 * Reads a field from an offset, as much as the surface reads at once. Offsets are tied to a version; the start of the field is
 * not.
 */
export function readFieldFrom(place: RecordPlace, field: string, offset: number): ContinuationTo<"readField"> {
  // Other servers may not have versions.
  const version = place.version === "" ? {} : { version: place.version };
  const window = offset === 0 ? {} : { offset_chars: offset, ...version };
  return continueWith("readField", { ...toRecordArguments(place), field, ...window });
}

export const fetchRecord = (place: RecordPlace): ContinuationTo<"fetch"> =>
  continueWith("fetch", toRecordArguments(place));

/** Reads the missing fields by name if they are few, else the whole record. */
export function fetchFields(place: RecordPlace, fields: readonly string[]): ContinuationTo<"fetch"> {
  const named = fields.length <= budget.card.namedFields ? { fields } : {};
  return continueWith("fetch", { ...toRecordArguments(place), ...named });
}

/** Reads the document of the fields after this one. */
export const fetchAfter = (
  place: RecordPlace,
  field: string,
  fields: readonly string[] | undefined,
): ContinuationTo<"fetch"> =>
  continueWith("fetch", {
    ...toRecordArguments(place),
    ...(fields === undefined ? {} : { fields }),
    after_field: field,
  });

export const readBlob = (place: RecordPlace, blobId: string): ContinuationTo<"readBlob"> =>
  continueWith("readBlob", { blob_id: blobId, connection_id: place.connectionId });
