import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { ImportedRecord, ImportTally, RejectedItem } from "@pdpp/contract/imports";
import { formatInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers, Claim, Importer, Mark, RecordItem } from "@pdpp/importers/importer";
import { reject } from "@pdpp/importers/items";
import { computeFingerprint } from "@pdpp/importers/plan";
import { type Damage, damageIn, damageOf } from "@pdpp/importers/tree";
import { type ChosenConnection, getDeclaration, type PlannedPart } from "../plan/plan-part.ts";

/** Large, because each batch rewrites every index page it touches. */
const maxBatchRecords = 2000;
/** Small, because a batch is in memory several times on its way to disk. */
const maxBatchChars = 384 * 1024;
/** A batch normally ends at a checkpoint; without one it may grow to this many times its limit. */
const maxOverfill = 8;

export interface StoringOptions {
  readonly answers: Answers;
  /** Only these streams; all when empty. */
  readonly only: readonly string[];
  readonly importId: string;
  /** Called with the number of bytes processed. */
  readonly onProgress?: (bytes: number) => void;
}

export interface StoredPartReport {
  readonly importId: string;
  readonly tally: ImportTally;
}

/**
 * Registers the connector and creates the connection if needed. Returns the part with its final connection id: ids of removed
 * connections are never reused. `made` holds the connections created by this import.
 */
export async function prepareConnection(
  owner: OwnerApi,
  part: PlannedPart,
  made: Map<string, ChosenConnection> = new Map(),
): Promise<PlannedPart> {
  const { importer, connection } = part;
  await owner.connectors.register(getDeclaration(importer));
  await owner.connectors.reindex();
  if (!connection.isNew) return part;
  const chosen = made.get(connection.id) ?? (await addConnection(owner, importer.key, connection));
  made.set(connection.id, chosen);
  return { ...part, connection: chosen };
}

async function addConnection(owner: OwnerApi, key: string, wanted: ChosenConnection): Promise<ChosenConnection> {
  for (let n = 2, id = wanted.id; ; n += 1) {
    try {
      await owner.connections.add({ connector_key: key, connection_id: id, display_name: wanted.label });
      return { ...wanted, id };
    } catch (error) {
      if (!(error instanceof PdppError) || error.code !== "connection_exists") throw error;
      // A concurrent import may have just created it; a removed connection only blocks the id.
      const there = (await owner.connections.list()).find(({ connection_id }) => connection_id === id);
      if (there?.connector_key === key && there.display_name === wanted.label) return { ...wanted, id, isNew: false };
      id = `${key}-${n}`;
    }
  }
}

export async function storePart(
  owner: OwnerApi,
  part: PlannedPart,
  options: StoringOptions,
): Promise<StoredPartReport> {
  const { importer, claim, connection } = part;
  const { answers, only } = options;
  const begun = await owner.imports.begin({
    import_id: options.importId,
    connection_id: connection.id,
    format: importer.key,
    importer_version: importer.version,
    label: claim.label,
    fingerprint: await computeFingerprint(claim),
    sources: claim.entries.slice(0, 100).map(({ path, size }) => ({ path, size_bytes: size })),
    answers: { ...toAnswersJson(answers), only: [...only] },
    exported_at: formatInstant(claim.exportedAt),
  });
  const batch = new Batch(owner, begun.part_id, importer, begun.tally);
  const from = parseMark(begun.mark);
  const own = new Set(claim.entries.map(({ path }) => path));
  const tell = (damage: Damage): void =>
    batch.aside({
      ...reject(damage.path, damage.offset, damage.code, damage.reason),
      stream: importer.mainStream,
      kind: "part",
    });
  let told = from?.entry ?? 0;
  /** Reports damage of each file once, after reading it; a later checkpoint records that this was done. */
  const tellUpTo = (end: number): void => {
    for (const entry of claim.entries.slice(told, end)) {
      const damage = damageOf(entry);
      if (damage !== undefined) tell(damage);
    }
    told = Math.max(told, end);
  };
  for await (const item of importer.read(claim, answers, from)) {
    if (item.kind === "mark") {
      tellUpTo(item.entry);
      await batch.mark(item);
      options.onProgress?.(countBytesBefore(claim, item));
    } else if (item.kind === "rejected") batch.aside({ ...item, stream: importer.mainStream, kind: "part" });
    else if (item.kind === "skipped") batch.skip(importer.mainStream);
    else if (only.length > 0 && !only.includes(item.stream)) batch.skip(item.stream);
    else {
      const { record, damage } = await storeBlob(owner, item, connection.id);
      if (damage !== undefined && !own.has(damage.path)) tell(damage);
      await batch.record(record, item.blob !== undefined && damage === undefined);
    }
  }
  tellUpTo(claim.entries.length);
  await batch.store();
  await owner.imports.finish(begun.part_id);
  return { importId: begun.import_id, tally: batch.tally };
}

/** Fixed key order, so that equal answers have equal JSON. */
function toAnswersJson(answers: Answers): JsonObject {
  const { time_zone = null, date_order = null, me = null, attachments } = answers;
  return { time_zone, date_order, me, attachments };
}

function parseMark(mark: JsonObject | null): Mark | undefined {
  if (mark === null || typeof mark.entry !== "number" || typeof mark.offset !== "number") return undefined;
  return { kind: "mark", entry: mark.entry, offset: mark.offset };
}

const countBytesBefore = (claim: Claim, { entry, offset }: Mark): number =>
  claim.entries.slice(0, entry).reduce((sum, { size }) => sum + size, offset);

/** Stores the attachment of a record first and puts its reference into the record, unless the bytes are damaged. */
export async function storeBlob(
  owner: OwnerApi,
  { stream, data, changedAt = 0, blob }: RecordItem,
  connectionId: string,
): Promise<{ record: ImportedRecord; damage?: Damage }> {
  const record = { stream, data, changed_at: changedAt };
  if (blob === undefined) return { record };
  const bytes = blob.bytes();
  const ref = await owner.blobs.put({ connection_id: connectionId, mime_type: blob.mimeType }, bytes);
  const damage = damageIn(bytes);
  // Nothing refers to the partial blob, so it will be deleted.
  if (damage !== undefined) return { record, damage };
  const { blob_id, mime_type, size_bytes, sha256 } = ref;
  return { record: { ...record, data: { ...data, [blob.field]: { blob_id, mime_type, size_bytes, sha256 } } } };
}

class Batch {
  tally: ImportTally;
  readonly #owner: OwnerApi;
  readonly #partId: string;
  readonly #importer: Importer;
  #records: ImportedRecord[] = [];
  #aside: RejectedItem[] = [];
  #skipped: Record<string, number> = {};
  #blobs = 0;
  #chars = 0;
  #mark: Mark | null = null;

  constructor(owner: OwnerApi, partId: string, importer: Importer, tally: ImportTally) {
    this.#owner = owner;
    this.#partId = partId;
    this.#importer = importer;
    this.tally = tally;
  }

  async record(record: ImportedRecord, hasBlob: boolean): Promise<void> {
    if (hasBlob) this.#blobs += 1;
    this.#records.push(record);
    this.#chars += estimateSize(record.data);
    if (this.#isFull(maxOverfill)) await this.store();
  }

  aside(item: RejectedItem): void {
    this.#aside.push(item);
    this.#chars += item.raw.length;
  }

  skip(stream: string): void {
    this.#skipped[stream] = (this.#skipped[stream] ?? 0) + 1;
  }

  async mark(mark: Mark): Promise<void> {
    this.#mark = mark;
    if (this.#isFull(1)) await this.store();
  }

  #isFull(times: number): boolean {
    return this.#records.length >= maxBatchRecords * times || this.#chars >= maxBatchChars * times;
  }

  async store(): Promise<void> {
    const mark = this.#mark === null ? null : { entry: this.#mark.entry, offset: this.#mark.offset };
    this.tally = await this.#owner.imports.store({
      part_id: this.#partId,
      records: this.#records,
      merge: this.#importer.mergeRules ?? {},
      aside: this.#aside,
      skipped: this.#skipped,
      blobs: this.#blobs,
      mark,
    });
    this.#records = [];
    this.#aside = [];
    this.#skipped = {};
    this.#blobs = 0;
    this.#chars = 0;
    this.#mark = null;
  }
}

/** Strings make up nearly all of a record. */
function estimateSize(data: JsonObject): number {
  let size = 0;
  for (const value of Object.values(data)) size += typeof value === "string" ? value.length : 20;
  return size;
}
