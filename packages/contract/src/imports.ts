import type { JsonObject } from "./declaration.ts";

/** Bringing exports in: what an importer read is stored in batches, and what became of it is remembered. */
export interface ImportsApi {
  /**
   * Begins a part of an import, which goes into one connection. One that was begun before from the same export with the same answers,
   * and not finished, goes on from its mark.
   */
  begin(request: ImportRequest): Promise<BegunPart>;
  /** Stores a batch with its mark: both, or neither. Answers the part's tally so far. */
  store(batch: ImportBatch): Promise<ImportTally>;
  finish(partId: string): Promise<void>;
  /** How many of these keys the stream holds already. */
  held(connectionId: string, stream: string, keys: readonly string[]): Promise<number>;
  /** What was answered when an export of that name last came into the connection, or else any other. */
  answers(connectionId: string, label: string): Promise<EarlierAnswers | null>;
  /** Every import, the newest first. */
  list(): Promise<ImportDocument[]>;
  get(importId: string): Promise<ImportDocument>;
  /** What was put aside in an import, and why. */
  aside(importId: string): Promise<AsideDocument[]>;
  /** The same with the bytes that are kept of it, some at a time: those behind `after`, or the first. */
  kept(importId: string, after?: KeptPlace): Promise<KeptItem[]>;
  /** Stores what an item that was put aside is read as now, and takes it from what is aside: both, or neither. */
  mend(mending: Mending): Promise<Mended>;
  /** Imports in short, the newest first: so many, from the one after `before` on. */
  history(limit: number, before?: string): Promise<ImportHistory>;
  /** What was put aside in an import, a page of it. */
  asidePage(importId: string, limit: number, after?: string): Promise<AsidePage>;
  /** Which import brought a record first, and which last. */
  origin(connectionId: string, stream: string, recordKey: string): Promise<RecordOrigin>;
}

export interface ImportRequest {
  readonly import_id: string;
  readonly connection_id: string;
  readonly format: string;
  readonly importer_version: string;
  readonly label: string;
  /** What tells this export from another. */
  readonly fingerprint: string;
  readonly sources: readonly { readonly path: string; readonly size_bytes: number }[];
  readonly answers: JsonObject;
  readonly exported_at: string;
}

interface EarlierAnswers {
  readonly label: string;
  readonly answers: JsonObject;
}

interface BegunPart {
  readonly part_id: string;
  readonly import_id: string;
  /** Where to go on; null at the beginning. */
  readonly mark: JsonObject | null;
  readonly tally: ImportTally;
}

/** How records that come again are put together with what is there. */
export interface MergeRules {
  /** Lists of which nothing is lost: all items that any export had, in order. */
  readonly union?: readonly string[];
  /** Where a newer export says nothing, what an older one said stays. */
  readonly fill?: readonly string[];
  /** The smallest and the largest that any export had. */
  readonly least?: readonly string[];
  readonly greatest?: readonly string[];
  /** Records with the same key that differ in one of these are two: one of them gets another key. */
  readonly distinct?: readonly string[];
}

export interface ImportBatch {
  readonly part_id: string;
  readonly records: readonly ImportedRecord[];
  readonly merge: Readonly<Record<string, MergeRules>>;
  readonly aside: readonly SetAside[];
  /** How many were left out, by stream. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly blobs: number;
  readonly mark: JsonObject | null;
}

export interface ImportedRecord {
  readonly stream: string;
  readonly data: JsonObject;
  /** When the record itself was last changed, in milliseconds; 0 where it does not say. */
  readonly changed_at: number;
}

/** `part`: bytes of a file that could not be read. `record`: a record that was read, and that the vault refused. */
export type AsideKind = "part" | "record";

export interface SetAside {
  readonly kind: AsideKind;
  /** What it would have been. */
  readonly stream: string;
  /** The file it was found in; empty for a record. */
  readonly path: string;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  readonly raw: Uint8Array;
}

interface KeptPlace {
  readonly part_id: string;
  readonly number: number;
}

export interface KeptItem extends KeptPlace, SetAside {
  readonly connection_id: string;
  readonly format: string;
  readonly answers: JsonObject;
  readonly exported_at: string;
}

export interface Mending extends KeptPlace {
  /** Of the importer that has read it now. */
  readonly importer_version: string;
  readonly records: readonly ImportedRecord[];
  readonly merge: ImportBatch["merge"];
  readonly skipped: ImportBatch["skipped"];
  readonly blobs: number;
}

/** Whether it was mended; if not, nothing was changed, and the reason says why. */
export type Mended = { readonly is_mended: true } | { readonly is_mended: false; readonly reason: string };

/** What became of the items of one stream. */
export interface StreamTally {
  readonly stored: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly aside: number;
  readonly skipped: number;
}

/** `read` is what the importer gave: every item of it is counted once in the streams. */
export interface ImportTally {
  readonly read: number;
  /** Files that came with what was read, whether their bytes were here already or not: an import that goes on cannot tell. */
  readonly blobs: number;
  /** Items that were put aside at first and could be read later. */
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

/** An import as a line of a list. */
export interface ImportSummary {
  readonly import_id: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  /** Of its first parts. */
  readonly labels: readonly string[];
  readonly parts: number;
  readonly stored: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly aside: number;
}

interface ImportHistory {
  readonly imports: readonly ImportSummary[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

interface AsidePage {
  readonly items: readonly AsideDocument[];
  readonly next: string | null;
}

export interface AsideDocument {
  readonly object: "aside";
  readonly kind: AsideKind;
  readonly connection_id: string;
  readonly stream: string;
  readonly path: string;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  /** Its beginning, as text. */
  readonly beginning: string;
}

interface RecordOrigin {
  readonly object: "record_origin";
  readonly first_import: string | null;
  readonly last_import: string | null;
}
