import { getCharset, getTextKind, isDocument, type TextKind } from "@pdpp/evidence/fields/media-type";
import { countChars } from "@pdpp/evidence/text/text";
import { createDocumentReader, type DocumentReader, defaultDocumentReader } from "@pdpp/importers/documents";
import type { Engine, ReadTransaction } from "../engine/engine.ts";
import { requireValue } from "../engine/require-value.ts";
import { sql } from "../engine/sql.ts";
import { readTextBeginning } from "./blob-text.ts";
import type { BlobBytes } from "./blobs.ts";

/**
 * The text of blobs, extracted once and stored. A blob is identified by its digest, so its text never becomes stale. A process
 * with limits on size, time and memory parses documents.
 */

type BlobText =
  | { readonly text: string; readonly chars: number; readonly isCut: boolean }
  | { readonly reason: string };

export interface TypedBlob {
  readonly id: string;
  readonly sizeBytes: number;
  /** In order of precedence. */
  readonly mediaTypes: readonly [string, ...string[]];
}

export interface BlobTexts {
  /** Returns the stored text, or extracts it. Null if the media type has no text. */
  load(ownerNo: number, blob: TypedBlob): Promise<BlobText | null>;
  prepare(ownerNo: number, blob: TypedBlob): Promise<void>;
  close(): Promise<void>;
}

/** Per blob. Importers keep the same amount of a document. */
const maxTextChars = 1_000_000;
const maxDocumentBytes = 20 * 1024 ** 2;

/** How the bytes are decoded: another charset gives another text. */
export function detectTextFormat(mediaTypes: TypedBlob["mediaTypes"]): { kind: TextKind; form: string } | null {
  const kind = getTextKind(mediaTypes[0]);
  if (kind === null) return null;
  const charset = isDocument(kind) ? undefined : mediaTypes.map(getCharset).find((each) => each !== undefined);
  return { kind, form: charset === undefined ? kind : `${kind} ${charset.toLowerCase().slice(0, 40)}` };
}

export function openBlobTexts(engine: Engine, bytes: BlobBytes, canWrite: boolean): BlobTexts {
  let documents: DocumentReader | undefined;
  const underway = new Map<string, Promise<BlobText>>();
  const extractOnce = async (ownerNo: number, blob: TypedBlob, kind: TextKind, form: string): Promise<BlobText> => {
    documents ??= createDocumentReader(defaultDocumentReader);
    const text = await extract(bytes, documents, ownerNo, blob, kind);
    // A full disk must not prevent reading. The text is extracted again next time.
    if (canWrite) await saveText(engine, ownerNo, blob.id, form, text).catch(() => undefined);
    return text;
  };
  const extractText = (ownerNo: number, blob: TypedBlob, kind: TextKind, form: string): Promise<BlobText> => {
    const key = `${ownerNo} ${blob.id} ${form}`;
    const extracting = underway.get(key) ?? extractOnce(ownerNo, blob, kind, form);
    underway.set(key, extracting);
    return extracting.finally(() => underway.delete(key));
  };
  return {
    async load(ownerNo, blob) {
      const asked = detectTextFormat(blob.mediaTypes);
      if (asked === null) return null;
      const kept = await engine.read((on) => loadText(on, ownerNo, blob.id, asked.form));
      return kept ?? extractText(ownerNo, blob, asked.kind, asked.form);
    },
    async prepare(ownerNo, blob) {
      const asked = detectTextFormat(blob.mediaTypes);
      if (asked === null || (await engine.read((on) => hasText(on, ownerNo, blob.id, asked.form)))) return;
      await extractText(ownerNo, blob, asked.kind, asked.form);
    },
    close: async () => documents?.close(),
  };
}

class NoText extends Error {}

async function extract(
  bytes: BlobBytes,
  documents: DocumentReader,
  ownerNo: number,
  { id, sizeBytes, mediaTypes }: TypedBlob,
  kind: TextKind,
): Promise<BlobText> {
  const read = (first: number, last: number) => bytes.read(ownerNo, id, first, last);
  if (isDocument(kind)) {
    if (sizeBytes > maxDocumentBytes)
      return { reason: `the document has ${sizeBytes} bytes; the limit is ${maxDocumentBytes}` };
    const whole =
      sizeBytes === 0
        ? new Uint8Array(0)
        : await new Uint8Array(await new Response(read(0, sizeBytes - 1)).arrayBuffer());
    const { text, note, isTruncated } = await documents.extractText(kind, whole);
    return text === null ? { reason: note ?? "there is no text in it" } : createBlobText(text, isTruncated);
  }
  const refuse = (why: string) => new NoText(why);
  try {
    const blob = { id, sizeBytes, mediaTypes, kind, bytes: read, refuse, refuseSize: refuse };
    const { text, isCut } = await readTextBeginning(blob, maxTextChars);
    return createBlobText(text, isCut);
  } catch (error) {
    if (error instanceof NoText) return { reason: error.message };
    throw error;
  }
}

/** Neither engine stores NUL. A space in its place keeps all offsets. */
function createBlobText(found: string, isCut: boolean): BlobText {
  const text = found.replaceAll("\0", " ").toWellFormed();
  return { text, chars: countChars(text), isCut };
}

async function loadText(
  on: ReadTransaction,
  ownerNo: number,
  blobId: string,
  form: string,
): Promise<BlobText | undefined> {
  const row = await on.one<{ text: string | null; chars: number; is_cut: number; reason: string | null }>(
    sql`SELECT text, chars, is_cut, reason FROM blob_text
      WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} AND form = ${form}`,
  );
  if (row === undefined) return undefined;
  return row.text === null
    ? { reason: requireValue(row.reason, `the reason why ${blobId} has no text`) }
    : { text: row.text, chars: row.chars, isCut: row.is_cut === 1 };
}

async function hasText(on: ReadTransaction, ownerNo: number, blobId: string, form: string): Promise<boolean> {
  const row = await on.one(sql`SELECT 1 AS kept FROM blob_text
    WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} AND form = ${form}`);
  return row !== undefined;
}

/** Stores nothing if the blob was deleted while its text was being extracted. */
async function saveText(engine: Engine, ownerNo: number, blobId: string, form: string, found: BlobText): Promise<void> {
  const { text, chars, isCut, reason } = { text: null, chars: 0, isCut: false, reason: null, ...found };
  await engine.write((on) =>
    on.run(sql`INSERT INTO blob_text (owner_no, blob_id, form, text, chars, is_cut, reason)
      SELECT owner_no, blob_id, ${form}, ${text}, ${chars}, ${isCut ? 1 : 0}, ${reason} FROM blob
      WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} ON CONFLICT (owner_no, blob_id, form) DO NOTHING`),
  );
}
