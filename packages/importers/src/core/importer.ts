import type { JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import type { Entry, Tree } from "../tree/tree.ts";

/** What reads one kind of export. It knows no store, no clock and no network. */
export interface Importer {
  /** Its name on the command line, and the key of its connector. */
  readonly key: string;
  readonly title: string;
  /** Of the reading; the manifest has a version of its own. A newer reading of the same export replaces an older one. */
  readonly version: string;
  /** What it was tried on. */
  readonly testedWith: "real files" | "files of that shape" | "generated files" | "unproven";
  readonly manifest: JsonObject;
  /** The stream that its files are about: what cannot be read would have been one of these. */
  readonly mainStream: string;
  /** Streams of which an export has everything: what it lacks is gone from the source. */
  readonly completeStreams?: readonly string[];
  /** How records that came before and come again are put together, by stream. */
  readonly mergeRules?: Readonly<Record<string, MergeRules>>;
  /** Whether a file looks like this format. `head` is its first 64 KiB. */
  sniff(path: string, head: Head): boolean;
  /** What to do instead with a file of this source that cannot be read; undefined where it is none. */
  advise?(path: string, head: Head): string | undefined;
  /** What the files that look like it are, together with what lies beside them. */
  createClaims(found: readonly Entry[], tree: Tree): Promise<Claim[]>;
  /** What those of the tree's files are that no claim has. */
  claimLeftovers?(left: readonly Entry[], tree: Tree): Promise<Claim[]>;
  /** Reads a claim, from a mark on. */
  read(claim: Claim, answers: Answers, from?: Mark): AsyncIterable<Item>;
  /**
   * An item that was put aside, as a file of its own, so that it can be read again when the file that it stood in is gone. Left out, or
   * undefined, where an item says too little without its file.
   */
  toStandaloneFile?(raw: Uint8Array, path: string): Uint8Array | undefined;
  /** What `read` would give, found faster: for the plan. */
  previewRecords?(claim: Claim, answers: Answers): AsyncIterable<RecordPreview>;
}

export interface Head {
  readonly bytes: Uint8Array;
  /** As UTF-8, without a byte order mark. */
  readonly text: string;
}

/** Files that belong together, and what must be known to read them. */
export interface Claim {
  readonly format: string;
  /** For people: "WhatsApp chat with Ada". */
  readonly label: string;
  /** What is read, in this order. */
  readonly entries: readonly Entry[];
  /** What is looked up while reading: pictures, lists of names. */
  readonly companions: readonly Entry[];
  /** When the export was made, as far as it says. */
  readonly exportedAt: number;
  readonly questions: readonly Question[];
  /** What the importer has found out and need not look for again. */
  readonly known?: Readonly<Record<string, string>>;
}

export type QuestionKey = "time_zone" | "date_order" | "me";

/** Something the files do not say. */
export interface Question {
  readonly key: QuestionKey;
  /** For people. */
  readonly text: string;
  readonly choices?: readonly string[];
  /** What is taken where nobody answers; without it there must be an answer. */
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
  /** When the record itself was last changed, if it says so; else the export's date decides which of two is newer. */
  readonly changedAt?: number;
  /** Bytes to be stored, and the field that gets the reference to them. */
  readonly blob?: { readonly field: string; readonly mimeType: string; bytes(): AsyncIterable<Uint8Array> };
}

/** Something that could not be read. */
export interface RejectedItem {
  readonly kind: "rejected";
  readonly path: string;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  /** What it was, or its beginning. */
  readonly raw: Uint8Array;
}

/** Something that was left out on purpose. */
interface SkippedItem {
  readonly kind: "skipped";
  readonly path: string;
  readonly reason: string;
}

/** Everything up to here has been given; reading can go on from here. */
export interface Mark {
  readonly kind: "mark";
  /** Which of the claim's entries. */
  readonly entry: number;
  readonly offset: number;
}

export type Item = RecordItem | RejectedItem | SkippedItem | Mark;

export interface RecordPreview {
  readonly stream: string;
  readonly key: string;
  readonly at?: string | undefined;
  /** Its time was read in a zone that the export does not name. */
  readonly assumesZone?: boolean;
}

/** So much of something that was put aside is kept. */
export const maxRawBytes = 65_536;

export const reject = (
  path: string,
  offset: number,
  code: string,
  reason: string,
  raw: Uint8Array | string = "",
): RejectedItem => ({
  kind: "rejected",
  path,
  offset,
  code,
  reason,
  raw: Buffer.from(typeof raw === "string" ? Buffer.from(raw) : raw.subarray(0, maxRawBytes)).subarray(0, maxRawBytes),
});

export const mark = (entry: number, offset: number): Mark => ({ kind: "mark", entry, offset });

/** The newest of some files: what an export's date is where nothing else tells. */
export const getLatestModification = (entries: readonly Entry[]): number =>
  entries.reduce((newest, { modifiedAt }) => Math.max(newest, modifiedAt), 0);

/** The entries of a tree that are not read and yet belong to what is. */
export function findCompanions(tree: Tree, found: readonly Entry[], isBeside: (entry: Entry) => boolean): Entry[] {
  const read = new Set(found);
  return tree.entries.filter((entry) => !read.has(entry) && isBeside(entry));
}
