import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
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
import type { Catalog } from "../store/catalog/catalog.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { toIndexText } from "../store/engine/index-text.ts";
import { parseJsonObject } from "../store/engine/json.ts";
import {
  type Link,
  loadLinks,
  loadPart,
  loadRecordTexts,
  type StoredPart,
  saveLinks,
  updatePart,
} from "../store/imports/imports.ts";
import { mergeRecords, type Precedence, pickNewer } from "../store/imports/merge.ts";
import { insertRejected } from "../store/imports/rejected-items.ts";
import type { WriteTarget } from "../store/records/classify-writes.ts";
import { writeRecords } from "../store/records/write-records.ts";
import type { Store } from "../store/store.ts";
import { extractSearchableTexts } from "./extract-texts.ts";
import { type ParsedRecord, parseData } from "./parse-record.ts";

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
    for (const [stream, records] of Map.groupBy(batch.records, ({ stream }) => stream)) {
      await storeStreamRecords(writing, stream, records, batch.merge[stream] ?? {}, outcome);
    }
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
    this.#streams[stream] = { ...counts, [what]: counts[what] + times };
    this.#read += times;
  }

  tally(blobs: number): ImportTally {
    const before = this.#before;
    return { ...before, read: before.read + this.#read, blobs: before.blobs + blobs, streams: this.#streams };
  }
}

export async function storeStreamRecords(
  { on, store, ownerNo, connection, part, now }: BatchContext,
  name: string,
  records: readonly ImportedRecord[],
  rules: MergeRules,
  outcome: BatchTally,
): Promise<void> {
  const found = findStream(await store.catalog(on), connection, name);
  const stream = found.isBuilt ? found : await buildStream(on, found);
  const target: WriteTarget = { ownerNo, connectionNo: connection.no, stream };
  let round = new Map<string, { parsed: ParsedRecord; standing: Precedence }>();
  const write = async (): Promise<void> => {
    for (const what of await writeDistinctRecords(on, store, target, part, round, rules, now))
      outcome.count(name, what);
    round = new Map();
  };
  for (const record of records) {
    const text = JSON.stringify(record.data);
    const parsed = parseData(stream, text, part.exportedAt);
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
    const key = toIndexText(parsed.key);
    // Duplicates within one export are merged like those of two exports.
    if (round.has(key)) await write();
    round.set(key, { parsed, standing: { ...getPrecedence(part), changedAt: record.changed_at } });
  }
  await write();
}

const getPrecedence = ({ exportedAt, importerVersion, fingerprint }: StoredPart): Precedence => ({
  changedAt: 0,
  exportedAt,
  importerVersion,
  fingerprint,
});

function findStream(catalog: Catalog, { connectorKey }: Connection, name: string) {
  const found = catalog.connectors.get(connectorKey)?.streams.get(name);
  if (found === undefined)
    throw new PdppError("not_found", `connector ${connectorKey} has no stream ${JSON.stringify(name)}`);
  return found;
}

interface Incoming {
  readonly parsed: ParsedRecord;
  readonly standing: Precedence;
}

type StoredAs = "stored" | "changed" | "unchanged";

async function writeDistinctRecords(
  on: WriteTransaction,
  store: Store,
  target: WriteTarget,
  part: StoredPart,
  round: ReadonlyMap<string, Incoming>,
  rules: MergeRules,
  now: number,
): Promise<StoredAs[]> {
  if (round.size === 0) return [];
  const keys = [...round.keys()];
  const held = await loadRecordTexts(on, target, keys);
  const before = await loadLinks(on, target, keys);
  const links = new Map<string, Link>();
  const written: ParsedRecord[] = [];
  const conflicting: { incoming: Incoming; isRead: boolean }[] = [];
  for (const [key, incoming] of round) {
    const { parsed, standing } = incoming;
    const there = held.get(key);
    const link = before.get(key);
    const fresh = { ...standing, firstPart: part.partNo, lastPart: part.partNo };
    if (there === undefined) {
      links.set(key, fresh);
      written.push(parsed);
      continue;
    }
    const form = { data: parseJsonObject(there.text), text: there.text };
    // A record that was not imported takes its precedence from its own `emitted_at`.
    const heldAs = link ?? { ...standing, changedAt: 0, exportedAt: there.emittedAt, fingerprint: "" };
    const [mine, theirs] = [computeIdentity(parsed.data, rules), computeIdentity(form.data, rules)];
    if (mine > theirs) {
      conflicting.push({ incoming: { parsed: renameRecord(target, parsed, mine), standing }, isRead: true });
    } else if (mine < theirs) {
      conflicting.push({
        incoming: { parsed: renameRecord(target, { ...parsed, ...form }, theirs), standing: heldAs },
        isRead: false,
      });
      links.set(key, fresh);
      written.push(parsed);
    } else {
      const data = mergeRecords(form, heldAs, parsed, standing, rules);
      const last = pickNewer(standing, heldAs);
      const lastPart = last === standing ? part.partNo : (link?.lastPart ?? part.partNo);
      const latest = { ...last, firstPart: link?.firstPart ?? part.partNo, lastPart };
      if (link === undefined || !isSameLink(link, latest)) links.set(key, latest);
      written.push({ ...parsed, data, text: JSON.stringify(data) });
    }
  }
  const outcomes = written.length === 0 ? [] : await writeRecords(on, target, written, now);
  await saveLinks(on, target, links);
  const results: StoredAs[] = outcomes.map((outcome) =>
    outcome === "created" ? "stored" : outcome === "updated" ? "changed" : "unchanged",
  );
  for (const { incoming, isRead } of conflicting) {
    const alone = new Map([[toIndexText(incoming.parsed.key), incoming]]);
    const { distinct: _, ...others } = rules;
    const became = await writeDistinctRecords(on, store, target, part, alone, others, now);
    if (isRead) results.push(...became);
  }
  return results;
}

/** Distinguishes records with the same key; empty if the key is sufficient. */
function computeIdentity(data: JsonObject, { distinct = [] }: MergeRules): string {
  if (distinct.length === 0) return "";
  const said = distinct.map((field) => data[field] ?? null);
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 12);
}

/** Gives a record another key. Which of two records keeps the key depends on their contents, not on the order of imports. */
function renameRecord({ stream }: WriteTarget, record: ParsedRecord, identity: string): ParsedRecord {
  const [field = "", ...others] = stream.declaration.primaryKey;
  if (others.length > 0)
    throw new Error(
      `records of ${stream.declaration.name} cannot be distinguished: their primary key has several fields`,
    );
  const key = `${record.key}~${identity}`;
  const data = { ...record.data, [field]: key };
  return { ...record, key, data, text: JSON.stringify(data) };
}

const isSameLink = (a: Link, b: Link): boolean =>
  a.lastPart === b.lastPart &&
  a.changedAt === b.changedAt &&
  a.exportedAt === b.exportedAt &&
  a.importerVersion === b.importerVersion;
