import type { JsonObject } from "@pdpp/contract/declaration";
import { findFieldSpec, type VaultSpec } from "../spec.ts";
import type { Candidates, ExpectedError } from "./checks.ts";
import { listVisibleChanges, projectRecord, type Source, type VisibleRecord } from "./grant.ts";
import { compareTexts, compareValues, toComparable } from "./order.ts";
import type { ModelRecord, Snapshot } from "./vault.ts";

export interface World {
  readonly vault: VaultSpec;
  readonly snapshot: Snapshot;
  readonly sources: readonly Source[];
}

/** Either a list of errors, one of which the response must return, or the content of a successful response. */
export type Prediction =
  | { readonly faults: readonly ExpectedError[]; readonly candidates?: Candidates }
  | { readonly list: ListPrediction }
  | { readonly record: JsonObject }
  | { readonly aggregate: JsonObject }
  | { readonly rows: readonly JsonObject[] }
  | { readonly lines: readonly JsonObject[] }
  | { readonly bytes: Uint8Array; readonly mimeType: string }
  | {
      readonly described: readonly JsonObject[];
      readonly as: string;
      /** The request is valid. */
      readonly mustAnswer: boolean;
    };

/** A number that two engines may round differently. */
export class About {
  readonly value: number;
  readonly within: number;

  constructor(value: number, within: number) {
    this.value = value;
    this.within = within;
  }
}

export interface ListPrediction {
  /** Every record of all pages, in order. */
  readonly records: readonly JsonObject[];
  readonly pageSize: number;
  readonly clamped: boolean;
  /** How many warnings say that exact filters found nothing. */
  readonly unmatched: number;
  readonly count: JsonObject;
  /** Set if the page is not complete. */
  readonly countOfParts?: JsonObject;
  readonly window?: JsonObject;
}

/** A record in a list. */
export function buildRecord(
  world: World,
  source: Source,
  record: VisibleRecord,
  fields?: ReadonlySet<string>,
): JsonObject {
  return { ...getIdentity(world, source, record), data: projectRecord(source, record, fields) };
}

export function getIdentity(world: World, source: Source, record: ModelRecord): JsonObject {
  const { revision, emittedAt } = listVisibleChanges(source, record);
  const label = world.vault.connections.find(({ id }) => id === record.connectionId)?.label;
  return {
    object: "record",
    id: record.key,
    stream: record.stream,
    connector_key: record.connectorKey,
    connection_id: record.connectionId,
    connector_instance_id: record.connectionId,
    ...(label === undefined ? {} : { display_name: label }),
    record_version: String(revision),
    emitted_at: new Date(emittedAt).toISOString(),
  };
}

/** Ordered by the cursor field if granted, else by key; nulls last either way; ties by key, then connection. */
export function sortRecords(source: Source, records: readonly VisibleRecord[], descending: boolean): VisibleRecord[] {
  const { cursorField } = source.stream;
  const field =
    cursorField !== undefined && source.fields.has(cursorField) ? findFieldSpec(source.stream, cursorField) : undefined;
  const sortValue = (record: VisibleRecord) =>
    field === undefined ? null : toComparable(field.kind, record.data[field.name]);
  const way = descending ? -1 : 1;
  return [...records].sort((a, b) => {
    const [x, y] = [sortValue(a), sortValue(b)];
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
    } else {
      const byValue = compareValues(x, y);
      if (byValue !== 0) return way * byValue;
    }
    const byKey = compareTexts(a.key, b.key);
    if (byKey !== 0) return way * byKey;
    return a.connectionId < b.connectionId ? -1 : 1;
  });
}
