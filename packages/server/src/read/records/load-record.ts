import { PdppError } from "@pdpp/contract/errors";
import type { StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { maxLongCharsPerPage, type ReadData, readData, type StoredData } from "../../store/records/record-data.ts";
import type { StoredRecord } from "../../store/records/records.ts";
import type { ReadContext } from "../context.ts";
import type { ShownRecord } from "./cards.ts";
import type { Projection } from "./projection.ts";

/** A listed record with its data. */
export type LoadedRecord = ShownRecord & Pick<StoredRecord, "position" | "version">;

/** Whether one of the records is so long that a light-only reader leaves it to a reading thread. */
export const areTooLong = ({ isLightOnly }: ReadContext, records: readonly Pick<StoredData, "data">[]): boolean =>
  isLightOnly && records.some(({ data }) => data === null);

/** The data of a record, with the long texts of the fields that are shown. */
export function dataShown(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  projection: Projection,
  record: StoredData,
): Promise<ReadData> {
  context.stillWanted();
  return readData(on, scope, record, (field) => projection === null || projection.has(field));
}

export async function loaded(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  projection: Projection,
  record: StoredRecord,
): Promise<LoadedRecord> {
  const { data } = await dataShown(context, on, scope, projection, record);
  return { ...record, data };
}

/** As many of the records as there are until their long texts fill a page; always one. */
export async function loadedPage(
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
    const { data, longChars } = await dataShown(context, on, scope, projection, record);
    long += longChars;
    page.push({ ...record, data });
  }
  return page;
}

/** Related records come all or not at all. */
export async function loadedAll(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  records: readonly StoredRecord[],
): Promise<LoadedRecord[]> {
  const page = await loadedPage(context, on, scope, scope.fields, records);
  if (page.length === records.length) return page;
  throw new PdppError(
    "query_too_heavy",
    `the related records of stream ${scope.stream.declaration.name} are too large for one answer; leave expand out and list them`,
    { param: "expand" },
  );
}
