import type { Answers, Importer, RecordItem } from "./importer.ts";
import { maxRawBytes } from "./items.ts";
import { missingFileNote } from "./records/attachment.ts";
import { describeError } from "./text/describe-error.ts";

/** Retries a rejected item from the bytes that were kept of it. */

/** `again`: still rejected. `needs_file`: cannot be read without the file that it came from. */
export type RetryResult =
  | { readonly kind: "read"; readonly records: readonly RecordItem[]; readonly skipped: number }
  | { readonly kind: "again"; readonly reason: string }
  | { readonly kind: "needs_file"; readonly reason: string };

interface RejectedBytes {
  readonly path: string;
  readonly raw: Uint8Array;
  readonly exportedAt: number;
}

const requireFile = (reason: string): RetryResult => ({ kind: "needs_file", reason });

export async function retryRejected(
  importer: Importer,
  { path, raw, exportedAt }: RejectedBytes,
  answers: Answers,
): Promise<RetryResult> {
  if (raw.length === 0) return requireFile("its content was not kept");
  if (raw.length >= maxRawBytes) return requireFile("only its beginning was kept");
  const bytes = importer.toStandaloneFile?.(raw, path);
  if (bytes === undefined) return requireFile("it cannot be read without its file");
  const entry = {
    path,
    size: bytes.length,
    modifiedAt: exportedAt,
    source: path,
    async *bytes(from = 0) {
      yield bytes.subarray(from);
    },
  };
  const claim = { format: importer.key, label: path, entries: [entry], companions: [], exportedAt, questions: [] };
  const records: RecordItem[] = [];
  let skipped = 0;
  try {
    for await (const item of importer.read(claim, answers)) {
      if (item.kind === "rejected") return { kind: "again", reason: item.reason };
      if (item.kind === "skipped") skipped += 1;
      if (item.kind === "record") records.push(item);
    }
  } catch (error) {
    return { kind: "again", reason: describeError(error) };
  }
  if (records.some(({ data }) => data.note === missingFileNote))
    return requireFile("its attachments are in the export");
  return records.length + skipped === 0
    ? { kind: "again", reason: "it contains nothing to import" }
    : { kind: "read", records, skipped };
}

/** Turns one element of a JSON file into a file with that element alone. */
export const wrapInArray = (raw: Uint8Array): Uint8Array => Buffer.concat([Buffer.from("["), raw, Buffer.from("]")]);

/** For formats whose files may hold a single item. */
export const keepAsIs = (raw: Uint8Array): Uint8Array => raw;
