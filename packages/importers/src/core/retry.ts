import { wordsOf } from "./files.ts";
import { type Answers, type Importer, keptRawBytes, type RecordItem } from "./importer.ts";
import { missing } from "./records/attachment.ts";

/** Reading something again that was put aside, from the bytes that were kept of it. */

/** What it is now; or why it is nothing: it cannot be read still, or not without the file that it stood in. */
export type Alone =
  | { readonly kind: "read"; readonly records: readonly RecordItem[]; readonly skipped: number }
  | { readonly kind: "again"; readonly reason: string }
  | { readonly kind: "needs_file"; readonly reason: string };

interface Kept {
  readonly path: string;
  readonly raw: Uint8Array;
  readonly exportedAt: number;
}

const needsFile = (reason: string): Alone => ({ kind: "needs_file", reason });

export async function readAlone(importer: Importer, { path, raw, exportedAt }: Kept, answers: Answers): Promise<Alone> {
  if (raw.length === 0) return needsFile("nothing of it was kept");
  if (raw.length >= keptRawBytes) return needsFile("only its beginning was kept");
  const bytes = importer.alone?.(raw, path);
  if (bytes === undefined) return needsFile("it says too little without its file");
  const entry = {
    path,
    size: bytes.length,
    modifiedAt: exportedAt,
    source: path,
    async *bytes(from = 0) {
      yield bytes.subarray(from);
    },
  };
  const claim = { format: importer.key, label: path, entries: [entry], beside: [], exportedAt, questions: [] };
  const records: RecordItem[] = [];
  let skipped = 0;
  try {
    for await (const item of importer.read(claim, answers)) {
      if (item.kind === "aside") return { kind: "again", reason: item.reason };
      if (item.kind === "skipped") skipped += 1;
      if (item.kind === "record") records.push(item);
    }
  } catch (error) {
    return { kind: "again", reason: wordsOf(error) };
  }
  if (records.some(({ data }) => data.note === missing)) return needsFile("its files lie beside it in the export");
  return records.length + skipped === 0
    ? { kind: "again", reason: "there is nothing in it" }
    : { kind: "read", records, skipped };
}

/** An element of a JSON file is a list of one. */
export const inList = (raw: Uint8Array): Uint8Array => Buffer.concat([Buffer.from("["), raw, Buffer.from("]")]);

/** A file of the format may hold one of them, just so. */
export const asItIs = (raw: Uint8Array): Uint8Array => raw;
