import { PdppError } from "@pdpp/contract/errors";
import type {
  ImportBatch,
  ImportedRecord,
  ImportTally,
  MergeRules,
  RejectedItem,
  StreamTally,
} from "@pdpp/contract/imports";
import { buildStream } from "../store/catalog/build-stream.ts";
import type { Catalog, CatalogStream } from "../store/catalog/catalog.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { toIndexText } from "../store/engine/index-text.ts";
import { loadPart, type StoredPart, updatePart } from "../store/imports/imports.ts";
import type { Precedence } from "../store/imports/merge.ts";
import { insertRejected } from "../store/imports/rejected-items.ts";
import type { WriteTarget } from "../store/records/classify-writes.ts";
import type { Store } from "../store/store.ts";
import { extractSearchableTexts } from "./extract-texts.ts";
import type { Item } from "./import-collisions.ts";
import { type Incoming, type RoundContext, writeRound } from "./import-round.ts";
import { findOwners, followOwner, Renames } from "./owned-records.ts";
import { parseData, parseRecord } from "./parse-record.ts";

export async function storeImportBatch(
  store: Store,
  ownerNo: number,
  partNo: number,
  batch: ImportBatch,
  now: number,
): Promise<ImportTally> {
  await extractImportedTexts(store, ownerNo, partNo, batch.records);
  return store.engine.write(async (on) => {
    await lockOwner(on, ownerNo);
    const part = await loadPart(on, ownerNo, partNo);
    const connection = (await listConnections(on, ownerNo)).find(({ no }) => no === part?.connectionNo);
    if (part === undefined || connection === undefined) {
      throw new PdppError("connection_not_found", "the connection was removed during the import");
    }
    const writing = { on, store, ownerNo, connection, part, now };
    const outcome = new BatchTally(part.tally);
    await storeAllStreams(writing, batch.records, batch.merge, outcome);
    const all = [...batch.aside, ...outcome.rejected];
    await insertRejected(on, ownerNo, part, countRejected(part.tally), all);
    for (const { stream } of all) outcome.count(stream, "aside");
    for (const [stream, times] of Object.entries(batch.skipped)) outcome.count(stream, "skipped", times);
    const tally = outcome.tally(batch.blobs);
    await updatePart(on, ownerNo, partNo, { mark: batch.mark, tally });
    return tally;
  });
}

export async function extractImportedTexts(
  store: Store,
  ownerNo: number,
  partNo: number,
  records: readonly ImportedRecord[],
): Promise<void> {
  const connectorKey = await store.engine.read(async (on) => {
    const part = await loadPart(on, ownerNo, partNo);
    return (await listConnections(on, ownerNo)).find(({ no }) => no === part?.connectionNo)?.connectorKey;
  });
  const streams =
    connectorKey === undefined ? undefined : (await store.catalog()).connectors.get(connectorKey)?.streams;
  for (const [name, ofStream] of Map.groupBy(records, ({ stream }) => stream)) {
    const stream = streams?.get(name);
    if (stream === undefined) continue;
    const data = ofStream.map((record) => record.data);
    await extractSearchableTexts(store, ownerNo, stream, data);
  }
}

const countRejected = ({ streams }: ImportTally): number =>
  Object.values(streams).reduce((sum, { aside }) => sum + aside, 0);

export interface BatchContext {
  readonly on: WriteTransaction;
  readonly store: Store;
  readonly ownerNo: number;
  readonly connection: Connection;
  readonly part: StoredPart;
  readonly now: number;
}

export class BatchTally {
  readonly rejected: RejectedItem[] = [];
  readonly #before: ImportTally;
  readonly #streams: Record<string, StreamTally>;
  #read = 0;

  constructor(before: ImportTally) {
    this.#before = before;
    this.#streams = { ...before.streams };
  }

  count(stream: string, what: keyof StreamTally, times = 1): void {
    const counts = this.#streams[stream] ?? { stored: 0, changed: 0, unchanged: 0, aside: 0, skipped: 0 };
    this.#streams[stream] = { ...counts, [what]: (counts[what] ?? 0) + times };
    this.#read += times;
  }

  tally(blobs: number): ImportTally {
    const before = this.#before;
    return { ...before, read: before.read + this.#read, blobs: before.blobs + blobs, streams: this.#streams };
  }
}

/** Stores owners before what they own, because an owner may get another key. */
export async function storeAllStreams(
  context: BatchContext,
  records: readonly ImportedRecord[],
  merge: ImportBatch["merge"],
  outcome: BatchTally,
): Promise<void> {
  const owners = findOwners(records, merge);
  const renames = new Renames();
  for (const [stream, ofStream] of Map.groupBy(records, ({ stream }) => stream)) {
    const named = ofStream.map((record) => followOwner(record, owners.get(record), renames));
    await storeStreamRecords(context, stream, named, merge[stream] ?? {}, outcome, renames);
  }
}

async function storeStreamRecords(
  { on, store, ownerNo, connection, part, now }: BatchContext,
  name: string,
  records: readonly ImportedRecord[],
  rules: MergeRules,
  outcome: BatchTally,
  renames: Renames,
): Promise<void> {
  const catalog = await store.catalog(on);
  const target: WriteTarget = {
    ownerNo,
    connectionNo: connection.no,
    stream: await findStream(on, catalog, connection, name),
  };
  const owned = rules.owns === undefined ? undefined : await findStream(on, catalog, connection, rules.owns.stream);
  const incoming: [string, Incoming][] = [];
  for (const record of records) {
    const text = JSON.stringify(record.data);
    const parsed =
      record.line === undefined
        ? parseData(target.stream, text, part.exportedAt)
        : parseRecord(target.stream, record.line, part.exportedAt, connection.id);
    if ("reason" in parsed) {
      const raw = Buffer.from(text.slice(0, 20_000));
      outcome.rejected.push({
        kind: "record",
        stream: name,
        path: "",
        offset: 0,
        code: parsed.code,
        reason: parsed.reason,
        raw,
      });
      continue;
    }
    const standing = { ...getPrecedence(part), changedAt: record.changed_at };
    incoming.push([toIndexText(parsed.key), { parsed, standing, source: record }]);
  }
  const writing: RoundContext = {
    on,
    target,
    part,
    rules,
    now,
    renames,
    owned: owned && { ...target, stream: owned },
    items: groupItems(incoming),
  };
  let round = new Map<string, Incoming>();
  const write = async (): Promise<void> => {
    for (const what of await writeRound(writing, round)) outcome.count(name, what);
    round = new Map();
  };
  for (const [key, each] of incoming) {
    if (round.has(key)) await write();
    round.set(key, each);
  }
  await write();
}

function groupItems(incoming: readonly [string, Incoming][]): Map<string, Item[]> {
  const groups = Map.groupBy(incoming, ([key]) => key);
  return new Map(
    [...groups].map(([key, group]) => [
      key,
      group.map(([, { parsed, standing }]) => ({ data: parsed.data, changedAt: standing.changedAt })),
    ]),
  );
}

const getPrecedence = ({ exportedAt, importerVersion, fingerprint, answers }: StoredPart): Precedence => ({
  changedAt: 0,
  exportedAt,
  importerVersion,
  fingerprint,
  answers: JSON.stringify(answers),
});

async function findStream(
  on: WriteTransaction,
  catalog: Catalog,
  { connectorKey }: Connection,
  name: string,
): Promise<CatalogStream> {
  const found = catalog.connectors.get(connectorKey)?.streams.get(name);
  if (found === undefined)
    throw new PdppError("not_found", `connector ${connectorKey} has no stream ${JSON.stringify(name)}`);
  return found.isBuilt ? found : buildStream(on, found);
}
