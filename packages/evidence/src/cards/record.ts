import {
  type FieldDeclaration,
  findField,
  type Json,
  type JsonObject,
  type StreamDeclaration,
} from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { RecordPlace } from "../handles/continuation.ts";
import { formatHandle } from "../handles/handle.ts";
import { isZone, toLocalTime } from "../text/local-time.ts";

/** A record reduced to what the grant covers, and its source. */
export interface EvidenceRecord {
  readonly connectorKey: string;
  readonly connection: { readonly id: string; readonly label?: string };
  readonly stream: StreamDeclaration;
  readonly recordId: string;
  readonly version: string;
  readonly emittedAt: string;
  readonly data: JsonObject;
  /** Visible fields; null for all. */
  readonly granted: ReadonlySet<string> | null;
  /** The owner's time zone, for UTC times of records without a zone. */
  readonly timeZone?: string | undefined;
}

export type EventTime = string | number;

export interface Provenance {
  /** The self-contained id. */
  readonly id: string;
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string;
  readonly stream: string;
  readonly record_id: string;
  readonly record_version: string;
  readonly event_time?: string | number;
  /** A UTC time with the offset of the record's or the owner's zone, or the date of an all-day event. */
  readonly local_time?: string;
  readonly emitted_at: string;
}

export interface GrantedField {
  readonly name: string;
  readonly field: FieldDeclaration | undefined;
  readonly value: Json;
}

export const getPlace = ({ connection, stream, recordId, version }: EvidenceRecord): RecordPlace => ({
  connectionId: connection.id,
  stream: stream.name,
  recordId,
  version,
});

/** Whether the record has the field and the grant covers it. */
export const isShown = ({ data, granted }: Pick<EvidenceRecord, "data" | "granted">, name: string): boolean =>
  (granted === null || granted.has(name)) && Object.hasOwn(data, name);

/** Visible values in declared order; undeclared ones come last. */
export function listGrantedFields(record: EvidenceRecord): GrantedField[] {
  const { stream, data } = record;
  const shown: GrantedField[] = [];
  const add = (name: string, field: FieldDeclaration | undefined): void => {
    const value = isShown(record, name) ? data[name] : undefined;
    if (value !== undefined) shown.push({ name, field, value });
  };
  for (const field of stream.fields) add(field.name, field);
  for (const name of Object.keys(data)) if (findField(stream, name) === undefined) add(name, undefined);
  return shown;
}

export function getProvenance(record: EvidenceRecord): Provenance {
  const { connection, connectorKey, stream, recordId, version, emittedAt } = record;
  const [eventTime] = listEventTimes(record);
  const local = eventTime === undefined ? undefined : getLocalTime(record, eventTime);
  // The offset differs from the stored one.
  const differs = local !== undefined && local !== toLocalTime(eventTime ?? "", "UTC");
  return {
    id: formatHandle({ connectionId: connection.id, stream: stream.name, recordId }),
    connection_id: connection.id,
    connector_key: connectorKey,
    ...(connection.label === undefined ? {} : { display_name: connection.label }),
    stream: stream.name,
    record_id: recordId,
    record_version: version,
    ...(eventTime === undefined ? {} : { event_time: eventTime }),
    ...(differs ? { local_time: local } : {}),
    emitted_at: emittedAt,
  };
}

/** When it happened, as stored: event-time fields first, then the times the stream declares. */
export function listEventTimes(record: Pick<EvidenceRecord, "stream" | "data" | "granted">): readonly EventTime[] {
  const { stream, data } = record;
  const times: EventTime[] = [];
  const add = (name: string, isEventTime: boolean) => {
    const value = isShown(record, name) ? data[name] : undefined;
    if ((typeof value === "string" && parseInstant(value) !== null) || (typeof value === "number" && isEventTime)) {
      times.push(value);
    }
  };
  for (const { name, role } of stream.fields) if (role === "event-time") add(name, true);
  for (const name of [stream.consentTimeField, stream.cursorField]) {
    if (name !== undefined) add(name, findField(stream, name)?.role === "event-time");
  }
  return times;
}

/** A time in the zone the record declares, else in the owner's. */
export function getLocalTime(record: EvidenceRecord, written: EventTime): string | undefined {
  if (typeof written === "string" && isAllDay(record)) return written.slice(0, 10);
  return toLocalTime(written, findZone(record) ?? record.timeZone);
}

/** Ignores UTC: calendars use it for events anywhere. */
function findZone(record: EvidenceRecord): string | undefined {
  const value = findDeclaredValue(
    record,
    "time-zone",
    (zone) => typeof zone === "string" && isZone(zone) && !isUtc(zone),
  );
  return typeof value === "string" ? value : undefined;
}

const isUtc = (zone: string): boolean => /^(?:(?:etc\/)?(?:utc|uct|gmt|zulu|universal)|[+-]00(?::?00)?)$/i.test(zone);

const isAllDay = (record: EvidenceRecord): boolean =>
  findDeclaredValue(record, "all-day", (value) => value === true) === true;

/** The first visible value of the declared type that is acceptable. */
function findDeclaredValue(record: EvidenceRecord, type: string, isFit: (value: Json) => boolean): Json | undefined {
  for (const field of record.stream.fields) {
    if (field.type !== type || !isShown(record, field.name)) continue;
    const value = record.data[field.name];
    if (value !== undefined && isFit(value)) return value;
  }
  return undefined;
}
