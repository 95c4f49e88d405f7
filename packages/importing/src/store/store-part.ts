import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { ImportedRecord, ImportTally, RejectedItem } from "@pdpp/contract/imports";
import { formatInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers, Claim, Importer, Mark, RecordItem } from "@pdpp/importers/importer";
import { reject } from "@pdpp/importers/items";
import { computeFingerprint, digestEnds } from "@pdpp/importers/plan";
import { type Damage, damageIn, damageOf, digestReads, type Entry } from "@pdpp/importers/tree";
import { formatKnown, isCompatible, type Recalled, type Recollection, type Remainder } from "../memory/recall.ts";
import { listReadFiles } from "../memory/remember.ts";
import { type ChosenConnection, getConnectorKey, getDeclaration, type PlannedPart } from "../plan/plan-part.ts";
import { parseAnswers, toAnswersJson } from "./answers-json.ts";
import { countRejected } from "./tally.ts";

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
  /** When and with which importers the files were listed; without it, they are not remembered. */
  readonly recollection?: Pick<Recollection, "lookedAt" | "detection">;
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
  const chosen = made.get(connection.id) ?? (await addConnection(owner, getConnectorKey(importer), connection));
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
  const { only, recollection } = options;
  const wanted = isStillRecalled(part, options) ? part.recalled : undefined;
  const answers = wanted === undefined ? options.answers : parseAnswers(wanted.remembered.answers);
  const ends = await digestAllEnds(claim, wanted);
  const begun = await owner.imports.begin({
    import_id: options.importId,
    connection_id: connection.id,
    format: importer.key,
    importer_version: importer.version,
    label: claim.label,
    fingerprint: await computeFingerprint(claim, (entry) => ends.get(entry)),
    sources: claim.entries.slice(0, 100).map(({ path, size }) => ({ path, size_bytes: size })),
    answers: { ...toAnswersJson(answers), only: [...only], ...(importer.variant && { variant: importer.variant }) },
    exported_at: formatInstant(claim.exportedAt),
    ...(recollection && {
      memory: {
        continues: wanted?.remembered.memory_id ?? null,
        known: formatKnown(claim),
        detection: recollection.detection,
      },
    }),
  });
  const batch = new Batch(owner, begun.part_id, importer, begun.tally);
  const from = parseMark(begun.mark);
  const recalled = begun.is_continued ? wanted : undefined;
  digestReads([...claim.entries, ...claim.companions]);
  const context = { owner, part, batch, answers, only, onProgress: options.onProgress ?? (() => undefined) };
  if (recalled === undefined) await readClaim(context, { claim, ...(from && { from }) }, true);
  // Marks are places in the whole claim, so a part that skips files has none; if interrupted, it reads the rest again.
  else for (const rest of recalled.rest) await readClaim(context, rest, false);
  await batch.store();
  const { rejectedPaths } = batch;
  const wasRefused = countRejected(batch.tally) > countRejected(begun.tally) + batch.rejections;
  // Files that were read before an interruption may have changed since.
  const isKnown = recollection !== undefined && from === undefined && !wasRefused;
  const reading = { importer, claim, recalled, lookedAt: recollection?.lookedAt ?? 0, ends, rejectedPaths };
  await owner.imports.finish(begun.part_id, isKnown ? listReadFiles(reading) : undefined);
  return { importId: begun.import_id, tally: batch.tally };
}

/** The owner may have chosen another connection or other answers since the plan was made. */
const isStillRecalled = ({ importer, connection, recalled }: PlannedPart, { answers, only }: StoringOptions): boolean =>
  recalled?.remembered.connection_id === connection.id &&
  isCompatible(recalled.remembered.answers, importer, { answers, only });

async function digestAllEnds({ entries }: Claim, recalled: Recalled | undefined): Promise<Map<Entry, string>> {
  const ends = new Map<Entry, string>();
  for (const entry of entries)
    if (entry.crc === undefined) ends.set(entry, recalled?.same.get(entry)?.ends || (await digestEnds(entry)));
  return ends;
}

interface ReadingContext {
  readonly owner: OwnerApi;
  readonly part: PlannedPart;
  readonly batch: Batch;
  readonly answers: Answers;
  readonly only: readonly string[];
  readonly onProgress: (bytes: number) => void;
}

/** Reads a claim, or what is left of it. `hasMarks` makes it resumable. */
async function readClaim(
  { owner, part: { importer, connection }, batch, answers, only, onProgress }: ReadingContext,
  { claim, from }: Remainder,
  hasMarks: boolean,
): Promise<void> {
  const own = new Set(claim.entries.map(({ path }) => path));
  const tell = (damage: Damage): void => batch.reject(reject(damage.path, damage.offset, damage.code, damage.reason));
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
      await batch.mark(item, hasMarks);
      if (hasMarks) onProgress(countBytesBefore(claim, item));
    } else if (item.kind === "rejected") batch.reject(item);
    else if (item.kind === "skipped") batch.skip(importer.mainStream);
    else if (only.length > 0 && !only.includes(item.stream)) batch.skip(item.stream);
    else {
      const { record, damage } = await storeBlob(owner, item, connection.id);
      if (damage !== undefined && !own.has(damage.path)) tell(damage);
      await batch.record(record, item.blob !== undefined && damage === undefined);
    }
  }
  tellUpTo(claim.entries.length);
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
  /** Files from which items were rejected, and how many. */
  readonly rejectedPaths = new Set<string>();
  rejections = 0;

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

  reject(item: Omit<RejectedItem, "stream" | "kind">): void {
    const { path, offset, code, reason, raw } = item;
    this.#aside.push({ path, offset, code, reason, raw, stream: this.#importer.mainStream, kind: "part" });
    this.#chars += raw.length;
    this.rejectedPaths.add(path);
    this.rejections += 1;
  }

  skip(stream: string): void {
    this.#skipped[stream] = (this.#skipped[stream] ?? 0) + 1;
  }

  /** A place where a batch may end; `isKept` if the import can resume there. */
  async mark(mark: Mark, isKept: boolean): Promise<void> {
    if (isKept) this.#mark = mark;
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
