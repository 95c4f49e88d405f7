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
  /** Ends a part, and remembers the files that it read. */
  finish(partId: string, files?: ReadFiles): Promise<void>;
  /** Exports that were imported from files of these names, newest first. */
  recall(names: readonly string[]): Promise<RememberedExport[]>;
  /** Counts the records of a stream that are in none of these remembered exports. */
  countOthers(connectionId: string, stream: string, memoryIds: readonly string[]): Promise<number>;
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
  /** Without it, the files are not remembered. */
  readonly memory?: {
    /** The remembered export that this part continues, without reading its files again; null if it reads everything. */
    readonly continues: string | null;
    /** Facts that the importer detected before reading, and a digest of the importers that were offered the files. */
    readonly known: string;
    readonly detection: string;
  };
}

/** Files that were read, and names of remembered files that no longer exist. */
export interface ReadFiles {
  readonly added: readonly RememberedFile[];
  readonly dropped: readonly string[];
}

/** A file as it was when it was imported. */
export interface RememberedFile {
  readonly name: string;
  readonly size_bytes: number;
  /** Inode and times from the file system; empty if they cannot be trusted. */
  readonly stamp: string;
  readonly crc: number | null;
  /** Of its bytes; empty if unknown. */
  readonly digest: string;
  /** Of its beginning and end; empty if unknown. */
  readonly ends: string;
  readonly is_companion: boolean;
}

/** The files of an export whose records are as they were imported. */
export interface RememberedExport {
  readonly memory_id: string;
  readonly connection_id: string;
  readonly format: string;
  readonly importer_version: string;
  readonly answers: JsonObject;
  readonly label: string;
  readonly known: string;
  readonly detection: string;
  readonly imported_at: string;
  readonly files: readonly RememberedFile[];
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
  /** False if the export that it should continue has been forgotten since the plan: everything must be read. */
  readonly is_continued: boolean;
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
  /** Records of another stream that follow their owner in a batch and are renamed with it. */
  readonly owns?: { readonly stream: string; readonly field: string };
  /** An export repeats these records (a chat, an account): those with the same key are one record, whatever their content. */
  readonly is_shared?: boolean;
  /** An export has one version of each item, so that two with the same key are two items even if one was changed later. */
  readonly is_single_version?: boolean;
  /** Each record replaces the stored one: a live source sends changes in their order. */
  readonly replaces?: boolean;
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
  /** The record as a live source sent it, which takes precedence over `data`: `{key, data, emitted_at, op?}`. */
  readonly line?: string;
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
  /** Only live sources delete records one by one. */
  readonly deleted?: number;
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

/** Imports, or runs of a live source. */
interface RecordOrigin {
  readonly object: "record_origin";
  readonly first_import: string | null;
  readonly last_import: string | null;
}
