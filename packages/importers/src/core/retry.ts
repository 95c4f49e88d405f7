import { describeError } from "./files.ts";
import { type Answers, type Importer, maxRawBytes, type RecordItem } from "./importer.ts";
import { missingFileNote } from "./records/attachment.ts";

/** Reading something again that was put aside, from the bytes that were kept of it. */

/** What it is now; or why it is nothing: it cannot be read still, or not without the file that it stood in. */
export type RereadResult =
  | { readonly kind: "read"; readonly records: readonly RecordItem[]; readonly skipped: number }
  | { readonly kind: "again"; readonly reason: string }
  | { readonly kind: "needs_file"; readonly reason: string };

interface RejectedBytes {
  readonly path: string;
  readonly raw: Uint8Array;
  readonly exportedAt: number;
}

const requireFile = (reason: string): RereadResult => ({ kind: "needs_file", reason });

export async function rereadRejected(
  importer: Importer,
  { path, raw, exportedAt }: RejectedBytes,
  answers: Answers,
): Promise<RereadResult> {
  if (raw.length === 0) return requireFile("nothing of it was kept");
  if (raw.length >= maxRawBytes) return requireFile("only its beginning was kept");
  const bytes = importer.toStandaloneFile?.(raw, path);
  if (bytes === undefined) return requireFile("it says too little without its file");
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
    return requireFile("its files lie beside it in the export");
  return records.length + skipped === 0
    ? { kind: "again", reason: "there is nothing in it" }
    : { kind: "read", records, skipped };
}

/** An element of a JSON file is a list of one. */
export const wrapInArray = (raw: Uint8Array): Uint8Array => Buffer.concat([Buffer.from("["), raw, Buffer.from("]")]);

/** A file of the format may hold one of them, just so. */
export const keepAsIs = (raw: Uint8Array): Uint8Array => raw;
