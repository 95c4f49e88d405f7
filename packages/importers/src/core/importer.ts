import type { JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import type { Entry, Tree } from "../tree/tree.ts";

/** Reads one kind of export. Importers are pure: no store, no clock, no network. */
export interface Importer {
  /** The name on the command line, and the connector key. */
  readonly key: string;
  readonly title: string;
  /**
   * Version of the reading logic (the manifest has its own). Reading an export again with a newer version replaces the older result.
   */
  readonly version: string;
  /** Tells apart importers of the same version: a digest of the owner's mapping file. */
  readonly variant?: string;
  /** Test data the importer has seen. */
  readonly testedWith: "real files" | "files of that shape" | "generated files" | "unproven";
  readonly manifest: JsonObject;
  /** The stream to which rejected items are attributed. */
  readonly mainStream: string;
  /** Streams that every export contains in full: a record missing from an export was deleted at the source. */
  readonly completeStreams?: readonly string[];
  /**
   * Fields of the main stream that say where the record's file is. If a record is missing and a new one differs only in them, its file was
   * renamed or moved.
   */
  readonly placeFields?: readonly string[];
  /** How to merge a record with an earlier version of it, by stream. */
  readonly mergeRules?: Readonly<Record<string, MergeRules>>;
  /** Whether a file looks like this format. `head` is its first 64 KiB. */
  sniff(path: string, head: Head): boolean;
  /** Advises on a file of this source that cannot be read; undefined for other files. */
  advise?(path: string, head: Head): string | undefined;
  /** Groups the recognized files, together with the files that they refer to. */
  createClaims(found: readonly Entry[], tree: Tree): Promise<Claim[]>;
  /** Claims files that no other importer has claimed. */
  claimLeftovers?(left: readonly Entry[], tree: Tree): Promise<Claim[]>;
  /** Reads a claim, optionally resuming after a mark. */
  read(claim: Claim, answers: Answers, from?: Mark): AsyncIterable<Item>;
  /**
   * Turns a rejected item into a file of its own, so that it can be retried without the original file. Missing or undefined if the item
   * cannot be understood on its own.
   */
  toStandaloneFile?(raw: Uint8Array, path: string): Uint8Array | undefined;
  /** Lists what `read` would yield, but faster; used for planning. */
  previewRecords?(claim: Claim, answers: Answers, from?: Mark): AsyncIterable<RecordPreview>;
  /**
   * Each file is read by its content alone, independent of other files, and of its name but for `describeName`. Files that were imported before are skipped;
   * other importers skip a claim only if none of its files changed.
   */
  readonly readsFilesAlone?: true;
  /** What a file's name says about its content, such as the flags of a mail. A renamed file is read again only if this changed. */
  describeName?(path: string): string;
  /**
   * Whether a file that was imported when it ended at `offset` has only grown by whole items since; then `read` continues at that offset.
   * The bytes before it are the same.
   */
  canContinueAt?(entry: Entry, offset: number): Promise<boolean>;
}

export interface Head {
  readonly bytes: Uint8Array;
  /** Decoded as UTF-8, without a byte order mark. */
  readonly text: string;
}

/** Files that belong together, and what the owner must answer to read them. */
export interface Claim {
  readonly format: string;
  /** Display name: "WhatsApp chat with Ada". */
  readonly label: string;
  /** Files to read, in this order. */
  readonly entries: readonly Entry[];
  /** Files that are looked up while reading: pictures, lists of names. */
  readonly companions: readonly Entry[];
  /** When the export was made, as far as known. */
  readonly exportedAt: number;
  readonly questions: readonly Question[];
  /** Facts that the importer detected while claiming and uses again while reading. */
  readonly known?: Readonly<Record<string, string>>;
}

export type QuestionKey = "time_zone" | "date_order" | "me";

/** Something the files do not say and the owner has to answer. */
export interface Question {
  readonly key: QuestionKey;
  readonly text: string;
  readonly choices?: readonly string[];
  /** Used without asking; a question without a default must be answered. */
  readonly defaultAnswer?: string;
}

export interface Answers {
  readonly time_zone?: string | undefined;
  readonly date_order?: string | undefined;
  readonly me?: string | undefined;
  readonly attachments: boolean;
}

export interface RecordItem {
  readonly kind: "record";
  readonly stream: string;
  readonly data: JsonObject;
  /** When the record was last changed, if it says so; otherwise the export's date decides which version is newer. */
  readonly changedAt?: number;
  /** Bytes to store, and the field that receives the blob reference. */
  readonly blob?: { readonly field: string; readonly mimeType: string; bytes(): AsyncIterable<Uint8Array> };
}

/** Something that could not be read. */
export interface RejectedItem {
  readonly kind: "rejected";
  readonly path: string;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  /** Its bytes, truncated to `maxRawBytes`. */
  readonly raw: Uint8Array;
}

/** Something that was skipped on purpose. */
interface SkippedItem {
  readonly kind: "skipped";
  readonly path: string;
  readonly reason: string;
}

/** A resume point: everything before it has been yielded. */
export interface Mark {
  readonly kind: "mark";
  /** Index into the claim's entries. */
  readonly entry: number;
  readonly offset: number;
}

export type Item = RecordItem | RejectedItem | SkippedItem | Mark;

export interface RecordPreview {
  readonly stream: string;
  readonly key: string;
  readonly at?: string | undefined;
  /** Its time zone was assumed, because the export does not name one. */
  readonly assumesZone?: boolean;
}
