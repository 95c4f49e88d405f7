import type { JsonObject } from "@pdpp/contract/declaration";
import type { Entry, Tree } from "../tree/tree.ts";
import type { Claim, Mark, RecordItem, RejectedItem } from "./importer.ts";

/** Bytes kept of a rejected item. */
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

/** A claim for files that were exported when the newest of them was modified, unless `more` says otherwise. */
export const createClaim = (
  format: string,
  label: string,
  entries: readonly Entry[],
  more: Partial<Claim> = {},
): Claim => ({
  format,
  label,
  entries,
  companions: [],
  exportedAt: getLatestModification(entries),
  questions: [],
  ...more,
});

export const createRecord = (stream: string, data: JsonObject): RecordItem => ({ kind: "record", stream, data });

export const createDatedRecord = (stream: string, changedAt: number | undefined, data: JsonObject): RecordItem => ({
  ...createRecord(stream, data),
  ...(changedAt === undefined ? {} : { changedAt }),
});

export const createFileRecord = (stream: string, blob: RecordItem["blob"], data: JsonObject): RecordItem => ({
  ...createRecord(stream, data),
  ...(blob === undefined ? {} : { blob }),
});

/** Bytes in memory, as a stream. */
export async function* yieldBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The bytes of an entry, for the field that receives the blob reference. */
export const createBlob = (field: string, mimeType: string, entry: Entry): RecordItem["blob"] => ({
  field,
  mimeType,
  bytes: () => entry.bytes(),
});

/** Used as an export's date if nothing else says it. */
export const getLatestModification = (entries: readonly Entry[]): number =>
  entries.reduce((newest, { modifiedAt }) => Math.max(newest, modifiedAt), 0);

/** Entries that are not read themselves but belong to entries that are. */
export function findCompanions(tree: Tree, found: readonly Entry[], isBeside: (entry: Entry) => boolean): Entry[] {
  const read = new Set(found);
  return tree.entries.filter((entry) => !read.has(entry) && isBeside(entry));
}
