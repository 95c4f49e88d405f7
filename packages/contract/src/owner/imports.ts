import type { JsonObject } from "../manifest/declaration.ts";

/** Stores what importers read, in batches, and keeps a report of each import. */
export interface ImportsApi {
  /**
   * Starts one part of an import, which goes into one connection. Resumes from its checkpoint if the same export was
   * started before with the same answers.
   */
  begin(request: ImportRequest): Promise<StartedPart>;
  /** Stores a batch and its checkpoint in one transaction. Returns the part's totals so far. */
  store(batch: ImportBatch): Promise<ImportTally>;
  finish(partId: string): Promise<void>;
  countExisting(connectionId: string, stream: string, keys: readonly string[]): Promise<number>;
  /** The answers given for the last export of this name in the connection, else for any other export. */
  findEarlierAnswers(connectionId: string, label: string): Promise<EarlierAnswers | null>;
  list(): Promise<ImportDocument[]>;
  get(importId: string): Promise<ImportDocument>;
  listRejected(importId: string): Promise<RejectedItemDocument[]>;
  /** Rejected items with their stored bytes, in pages: those after `after`, or the first. */
  listRejectedForRetry(importId: string, after?: RejectedItemPosition): Promise<StoredRejectedItem[]>;
  /** Stores the records of a rejected item that can be read now and removes the item, in one transaction. */
  retryRejected(mending: RetryRequest): Promise<RetryResult>;
  /** Import summaries, newest first, starting after `before`. */
  loadHistory(limit: number, before?: string): Promise<ImportHistory>;
  loadRejectedPage(importId: string, limit: number, after?: string): Promise<RejectedItemPage>;
  /** The first and the last import that brought a record. */
  findOrigin(connectionId: string, stream: string, recordKey: string): Promise<RecordOrigin>;
}

export interface ImportRequest {
  readonly import_id: string;
  readonly connection_id: string;
  readonly format: string;
  readonly importer_version: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly sources: readonly { readonly path: string; readonly size_bytes: number }[];
  readonly answers: JsonObject;
  readonly exported_at: string;
}

interface EarlierAnswers {
  readonly label: string;
  readonly answers: JsonObject;
}

interface StartedPart {
  readonly part_id: string;
  readonly import_id: string;
  /** The checkpoint to resume from; null at the start. */
  readonly mark: JsonObject | null;
  readonly tally: ImportTally;
}

/** How to merge a record that was imported before. */
export interface MergeRules {
  /** Lists that keep every item any export had, in order. */
  readonly union?: readonly string[];
  /** Fields that keep their old value if a newer export has none. */
  readonly fill?: readonly string[];
  /** Fields that keep the minimum, or the maximum, of all exports. */
  readonly least?: readonly string[];
  readonly greatest?: readonly string[];
  /** If records with the same key differ in one of these fields, they are two records and one gets another key. */
  readonly distinct?: readonly string[];
}

export interface ImportBatch {
  readonly part_id: string;
  readonly records: readonly ImportedRecord[];
  readonly merge: Readonly<Record<string, MergeRules>>;
  readonly aside: readonly RejectedItem[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly blobs: number;
  readonly mark: JsonObject | null;
}

export interface ImportedRecord {
  readonly stream: string;
  readonly data: JsonObject;
  /** When the record itself last changed, in epoch milliseconds; 0 if unknown. */
  readonly changed_at: number;
}

/** `part`: bytes of a file that could not be read. `record`: a record that was read but rejected by the vault. */
type RejectedItemKind = "part" | "record";

export interface RejectedItem {
  readonly kind: RejectedItemKind;
  /** The stream it would have gone to. */
  readonly stream: string;
  /** The file it came from; empty for a record. */
  readonly path: string;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  readonly raw: Uint8Array;
}

interface RejectedItemPosition {
  readonly part_id: string;
  readonly number: number;
}

export interface StoredRejectedItem extends RejectedItemPosition, RejectedItem {
  readonly connection_id: string;
  readonly format: string;
  readonly answers: JsonObject;
  readonly exported_at: string;
}

export interface RetryRequest extends RejectedItemPosition {
  /** Version of the importer that reads it now. */
  readonly importer_version: string;
  readonly records: readonly ImportedRecord[];
  readonly merge: ImportBatch["merge"];
  readonly skipped: ImportBatch["skipped"];
  readonly blobs: number;
}

/** If the item was not repaired, nothing changed and `reason` says why. */
export type RetryResult = { readonly is_mended: true } | { readonly is_mended: false; readonly reason: string };

export interface StreamTally {
  readonly stored: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly aside: number;
  readonly skipped: number;
}

/** `read` is the number of items the importer produced; the streams count each of them once. */
export interface ImportTally {
  readonly read: number;
  /** Attached files, including those already stored; a resumed import cannot tell them apart. */
  readonly blobs: number;
  /** Rejected items that could be read later. */
  readonly mended?: number;
  readonly streams: Readonly<Record<string, StreamTally>>;
}

export interface ImportDocument {
  readonly object: "import";
  readonly import_id: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly parts: readonly ImportPart[];
}

interface ImportPart {
  readonly connection_id: string;
  readonly format: string;
  readonly importer_version: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly sources: ImportRequest["sources"];
  readonly answers: JsonObject;
  readonly exported_at: string;
  readonly finished_at: string | null;
  readonly tally: ImportTally;
}

export interface ImportSummary {
  readonly import_id: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  /** Labels of its first parts. */
  readonly labels: readonly string[];
  readonly parts: number;
  readonly stored: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly aside: number;
}

interface ImportHistory {
  readonly imports: readonly ImportSummary[];
  /** Start of the next page; null at the end. */
  readonly next: string | null;
}

interface RejectedItemPage {
  readonly items: readonly RejectedItemDocument[];
  readonly next: string | null;
}

export interface RejectedItemDocument {
  readonly object: "aside";
  readonly kind: RejectedItemKind;
  readonly connection_id: string;
  readonly stream: string;
  readonly path: string;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  /** The start of the item, as text. */
  readonly beginning: string;
}

interface RecordOrigin {
  readonly object: "record_origin";
  readonly first_import: string | null;
  readonly last_import: string | null;
}
