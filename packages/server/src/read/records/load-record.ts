import { PdppError } from "@pdpp/contract/errors";
import type { StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import {
  loadDataBytes,
  maxLongCharsPerPage,
  type ReadData,
  readData,
  type StoredData,
} from "../../store/records/record-data.ts";
import type { StoredRecord } from "../../store/records/records.ts";
import type { ReadContext } from "../context.ts";
import type { ShownRecord } from "./cards.ts";
import type { Projection } from "./projection.ts";

export type LoadedRecord = ShownRecord & Pick<StoredRecord, "position" | "version">;

/** Whether one of the records is long, and this reader leaves long ones to a reading thread. */
export const hasTooLongRecord = ({ isLightOnly }: ReadContext, records: readonly Pick<StoredData, "data">[]): boolean =>
  isLightOnly && records.some(({ data }) => data === null);

/** Reading this much of long records takes a few milliseconds, less than waiting for a thread. */
const maxLightBytes = 262_144;

/** Whether a light-only reader leaves these records to a reading thread. */
export async function isTooLong(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  records: readonly StoredData[],
): Promise<boolean> {
  if (!hasTooLongRecord(context, records)) return false;
  let total = 0;
  for (const record of records) {
    if (record.data === null) total += await loadDataBytes(on, scope, record);
    if (total > maxLightBytes) return true;
  }
  return false;
}

export function loadShownData(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  projection: Projection,
  record: StoredData,
): Promise<ReadData> {
  context.throwIfStopped();
  return readData(on, scope, record, (field) => projection === null || projection.has(field));
}

export async function loadRecord(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  projection: Projection,
  record: StoredRecord,
): Promise<LoadedRecord> {
  const { data } = await loadShownData(context, on, scope, projection, record);
  return { ...record, data };
}

export async function loadPage(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  projection: Projection,
  records: readonly StoredRecord[],
): Promise<LoadedRecord[]> {
  const page: LoadedRecord[] = [];
  let long = 0;
  for (const record of records) {
    if (long >= maxLongCharsPerPage) break;
    const { data, longChars } = await loadShownData(context, on, scope, projection, record);
    long += longChars;
    page.push({ ...record, data });
  }
  return page;
}

export async function loadAll(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  records: readonly StoredRecord[],
): Promise<LoadedRecord[]> {
  const page = await loadPage(context, on, scope, scope.fields, records);
  if (page.length === records.length) return page;
  throw new PdppError(
    "query_too_heavy",
    `the related records of stream ${scope.stream.declaration.name} are too large for one answer; leave expand out and list them`,
    { param: "expand" },
  );
}
