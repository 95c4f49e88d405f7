import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type {
  LogEntryDetail,
  ReadersQuery,
  ReadRecord,
  RecordReader,
  RecordReaders,
  RecordsRead,
} from "@pdpp/contract/owner";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { loadOwnerScope } from "../auth/authenticate.ts";
import { createReader } from "../read/reader.ts";
import { findOneConnection } from "../read/scope.ts";
import type { LoggedAccess } from "../store/access/log/log-entry.ts";
import { decodeVersions } from "../store/access/log/log-versions.ts";
import {
  findReaders,
  listVersionsReadUnder,
  type ReadCount,
  type ScannedRange,
  type RecordReader as StoredReader,
} from "../store/access/log/record-reads.ts";
import type { Scope } from "../store/access/scope.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { findRecordsByVersion, listRecordVersions, type RecordPlace } from "../store/records/records-of-versions.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Who has read a record, and which records were read under a grant. */

export async function findRecordReaders(
  { store, ownerNo }: OwnerContext,
  { connection_id, stream, record_id, before }: ReadersQuery,
  limit: number,
): Promise<RecordReaders> {
  const scope = findOneConnection(await loadOwnerScope(store, ownerNo), stream, connection_id);
  const { readers, ...looked } = await store.engine.read(async (on) => {
    const versions = await listRecordVersions(on, scope, record_id);
    if (versions.length === 0)
      throw new PdppError("not_found", `stream ${stream} has no record with that id`, { param: "record_id" });
    return findReaders(on, ownerNo, { connectionId: connection_id, stream, versions }, before);
  }, "heavy");
  return {
    object: "record_readers",
    connection_id,
    stream,
    record_id,
    readers: readers.slice(0, limit).map(describeReader),
    more: Math.max(0, readers.length - limit),
    ...describeScannedRange(looked),
  };
}

const describeScannedRange = ({ next, since }: ScannedRange) => ({
  next,
  since: since === null ? null : formatInstant(since),
});

const describeReader = ({ client, grantIds, sure, perhaps }: StoredReader): RecordReader => ({
  client,
  grant_ids: grantIds,
  times: sure?.times ?? 0,
  ...(sure === undefined ? {} : { last_at: formatInstant(sure.lastAt) }),
  ...(perhaps === undefined ? {} : { perhaps: { times: perhaps.times, last_at: formatInstant(perhaps.lastAt) } }),
});

/** Versions looked up per statement, and in total. Most records have one. */
const [batchVersions, maxVersions] = [200, 4000];

export async function listRecordsRead(
  { store, ownerNo, now }: OwnerContext,
  grantIds: readonly string[],
  limit: number,
  before: number | undefined,
): Promise<RecordsRead> {
  const scope = await loadOwnerScope(store, ownerNo);
  const { versions, unlisted, ...looked } = await store.engine.read(
    (on) => listVersionsReadUnder(on, ownerNo, grantIds, before),
    "heavy",
  );
  const newest = [...versions.keys()].slice(0, maxVersions);
  const ownerReader = createReader({ store, scope, now });
  const records: ReadRecord[] = [];
  const seen = new Set<string>();
  let gone = 0;
  let done = 0;
  for (; done < newest.length && records.length < limit; done += batchVersions) {
    const part = newest.slice(done, done + batchVersions);
    const places = await store.engine.read((on) => findPlaces(on, scope, part));
    for (const version of part) {
      const place = places.get(version);
      const id = JSON.stringify(place ?? version);
      if (seen.has(id)) continue;
      if (records.length >= limit) return answer(true);
      seen.add(id);
      const card = place && (await loadCurrentCard(ownerReader, place));
      if (place === undefined || card === undefined) gone += 1;
      else {
        const of = findOneConnection(scope, place.stream, place.connectionId);
        const known = await store.engine.read((on) => listRecordVersions(on, of, place.key));
        records.push(
          describeReadRecord(
            card,
            known.flatMap((each) => versions.get(each) ?? []),
          ),
        );
      }
    }
  }
  return answer(done < versions.size);

  function answer(hasMore: boolean): RecordsRead {
    return { object: "records_read", records, gone, unlisted, has_more: hasMore, ...describeScannedRange(looked) };
  }
}

const maxRecordsOfEntry = 50;

/** The records that the response of a log entry returned, in their current state. */
export async function listRecordsOfEntry(
  { store, ownerNo, now }: OwnerContext,
  { versions, records: total }: LoggedAccess,
): Promise<Pick<LogEntryDetail, "records" | "others">> {
  const listed = versions === undefined ? [] : decodeVersions(versions).listed.slice(0, maxRecordsOfEntry);
  if (listed.length === 0) return { records: [], others: total };
  const scope = await loadOwnerScope(store, ownerNo);
  const places = await store.engine.read((on) => findPlaces(on, scope, listed));
  const ownerReader = createReader({ store, scope, now });
  const records: LogEntryDetail["records"][number][] = [];
  for (const place of places.values()) {
    const card = await loadCurrentCard(ownerReader, place);
    if (card === undefined) continue;
    const { id, title, connection_id, stream, event_time } = card;
    records.push({ id, title, connection_id, stream, ...(event_time === undefined ? {} : { event_time }) });
  }
  return { records, others: Math.max(0, Math.max(total, listed.length) - records.length) };
}

async function findPlaces(
  on: ReadTransaction,
  { streams }: Scope,
  versions: readonly number[],
): Promise<Map<number, RecordPlace>> {
  const found = new Map<number, RecordPlace>();
  for (const stream of streams) {
    const wanted = versions.filter((version) => !found.has(version));
    for (const [version, place] of await findRecordsByVersion(on, stream, wanted)) found.set(version, place);
  }
  return found;
}

async function loadCurrentCard(
  ownerReader: ReadApi,
  { connectionId, stream, key }: RecordPlace,
): Promise<EvidenceCard | undefined> {
  try {
    const card = await ownerReader.fetch({ connection_id: connectionId, stream, record_id: key, view: "evidence" });
    return card.object === "evidence_card" ? card : undefined;
  } catch (error) {
    if (error instanceof PdppError && error.status === 404) return undefined;
    throw error;
  }
}

const describeReadRecord = (
  { id, title, connection_id, stream, event_time }: EvidenceCard,
  readings: readonly ReadCount[],
): ReadRecord => ({
  id,
  title,
  connection_id,
  stream,
  ...(event_time === undefined ? {} : { event_time }),
  times: readings.reduce((sum, { times }) => sum + times, 0),
  last_at: formatInstant(Math.max(...readings.map(({ lastAt }) => lastAt))),
});
