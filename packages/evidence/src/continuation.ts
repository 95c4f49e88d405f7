import { addressOf } from "@pdpp/contract/address";
import { budget } from "./budget.ts";

/** The next read, as an operation of the contract with its arguments. Each surface spells it its own way. */

export interface RecordArguments {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
}

export interface ReadFieldArguments extends RecordArguments {
  /** A path, as `field-path.ts` spells it. */
  readonly field: string;
  readonly offset_chars?: number;
  readonly limit_chars?: number;
  readonly q?: string;
  readonly before_chars?: number;
  readonly after_chars?: number;
  readonly version?: string;
  readonly cursor?: string;
}

export interface ContinuationArguments {
  readonly fetch: RecordArguments & { readonly fields?: readonly string[]; readonly after_field?: string };
  readonly readField: ReadFieldArguments;
  readonly readBlob: { readonly blob_id: string; readonly connection_id: string };
  readonly queryRecords: {
    readonly stream: string;
    readonly connection_id?: string;
    readonly cursor?: string;
    readonly limit?: number;
    readonly fields?: readonly string[];
    readonly filter?: { readonly [field: string]: string };
  };
  readonly search: {
    readonly q: string;
    readonly streams?: readonly string[];
    readonly connection_id?: string;
    readonly cursor?: string;
    readonly limit?: number;
  };
  readonly schema: { readonly stream?: string; readonly connection_id?: string };
}

export type ContinuationOperation = keyof ContinuationArguments;

export type ContinuationTo<N extends ContinuationOperation> = {
  readonly operation: N;
  readonly arguments: ContinuationArguments[N];
};
export type Continuation = { [N in ContinuationOperation]: ContinuationTo<N> }[ContinuationOperation];

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
  return { operation: "readField", arguments: { ...recordArguments(place), field, ...window, version: place.version } };
}

/** The rest of a record: these fields if they are few enough to be named, else all. */
export function fetchFields(place: RecordPlace, fields: readonly string[]): ContinuationTo<"fetch"> {
  const named = fields.length <= budget.card.namedFields ? { fields } : {};
  return { operation: "fetch", arguments: { ...recordArguments(place), ...named } };
}

/** The document of the fields that follow one. */
export const fetchAfter = (
  place: RecordPlace,
  field: string,
  fields: readonly string[] | undefined,
): ContinuationTo<"fetch"> => ({
  operation: "fetch",
  arguments: { ...recordArguments(place), ...(fields === undefined ? {} : { fields }), after_field: field },
});

export const readBlobOf = (place: RecordPlace, blobId: string): ContinuationTo<"readBlob"> => ({
  operation: "readBlob",
  arguments: { blob_id: blobId, connection_id: place.connectionId },
});

export interface RestContinuation {
  readonly operation: ContinuationOperation;
  readonly method: "GET";
  readonly url: string;
}

/** The REST spelling. */
export const restSpelling = (
  { operation, arguments: input }: Continuation,
  address: typeof addressOf = addressOf,
): RestContinuation => ({ operation, method: "GET", url: address(operation, { ...input }) });
