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

/** A record as the grant lets it be seen, and where it comes from. */
export interface EvidenceRecord {
  readonly connectorKey: string;
  readonly connection: { readonly id: string; readonly label?: string };
  readonly stream: StreamDeclaration;
  readonly recordId: string;
  readonly version: string;
  readonly emittedAt: string;
  readonly data: JsonObject;
  /** The fields that are shown; null for all. */
  readonly granted: ReadonlySet<string> | null;
  /** The owner's zone, for times in UTC of records that name none; left out where nobody knows it. */
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
  /** A time in UTC with the offset of the record's or the owner's zone; the date of an event that lasts all day. */
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

/** Whether the record has a value there, and the grant shows it. */
export const isShown = ({ data, granted }: Pick<EvidenceRecord, "data" | "granted">, name: string): boolean =>
  (granted === null || granted.has(name)) && Object.hasOwn(data, name);

/** The values that may be shown, in declared order; what is not declared comes last. */
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
  // Another offset than the written one.
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

/** When it happened, as written: by the field of that role, then by the times that the stream declares. */
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

/** A time of the record as it was where the record belongs: by the zone that it declares, else by the owner's. */
export function getLocalTime(record: EvidenceRecord, written: EventTime): string | undefined {
  if (typeof written === "string" && isAllDay(record)) return written.slice(0, 10);
  return toLocalTime(written, findZone(record) ?? record.timeZone);
}

/** UTC tells nothing of a place: calendars write it for events of any. */
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

/** The first shown value of that declared type that will do. */
function findDeclaredValue(record: EvidenceRecord, type: string, isFit: (value: Json) => boolean): Json | undefined {
  for (const field of record.stream.fields) {
    if (field.type !== type || !isShown(record, field.name)) continue;
    const value = record.data[field.name];
    if (value !== undefined && isFit(value)) return value;
  }
  return undefined;
}
