import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { type Engine, type ReadTransaction, requireRow } from "../engine/engine.ts";
import { join, sql } from "../engine/sql.ts";
import { type BlobReference, isBlobReference, listMediaTypes } from "./blob-fields.ts";
import { type BlobTexts, detectTextFormat } from "./blob-texts.ts";
import { loadBlobMetadata } from "./blobs.ts";

interface PlacedReference {
  /** The path from the field to the reference: empty, or an index into a list. */
  readonly steps: readonly number[];
  readonly reference: BlobReference;
}

/** Per field. */
const maxReferences = 16;

/** Each blob once, in the order of the list. */
function findReferences(value: Json | undefined): PlacedReference[] {
  const items = Array.isArray(value) ? value.map((item, n) => ({ item, steps: [n] })) : [{ item: value, steps: [] }];
  const found = new Map<string, PlacedReference>();
  for (const { item, steps } of items) {
    if (found.size >= maxReferences) break;
    if (isBlobReference(item) && !found.has(item.blob_id)) found.set(item.blob_id, { steps, reference: item });
  }
  return [...found.values()];
}

/** Extracts missing texts. A parser may take seconds, so call it before the transaction that indexes the texts. */
export async function extractTexts(
  engine: Engine,
  texts: BlobTexts,
  ownerNo: number,
  fields: readonly string[],
  records: readonly JsonObject[],
): Promise<void> {
  for (const data of fields.length === 0 ? [] : records) {
    for (const { reference } of fields.flatMap((field) => findReferences(getOwnValue(data, field)))) {
      const { blob_id: id } = reference;
      const stored = await engine.read((on) => loadBlobMetadata(on, ownerNo, id));
      if (stored === undefined) continue;
      const mediaTypes = listMediaTypes(reference, stored.mimeType);
      await texts.prepare(ownerNo, { id, sizeBytes: stored.sizeBytes, mediaTypes });
    }
  }
}

const getOwnValue = (data: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(data, field) ? data[field] : undefined;

export interface TextPlace {
  readonly steps: readonly number[];
  readonly blobId: string;
  readonly form: string;
  readonly chars: number;
}

export async function findTextPlaces(
  on: ReadTransaction,
  ownerNo: number,
  data: JsonObject,
  field: string,
): Promise<TextPlace[]> {
  const references = findReferences(getOwnValue(data, field));
  if (references.length === 0) return [];
  const ids = references.map(({ reference }) => sql`${reference.blob_id}`);
  const rows = await on.all<{ blob_id: string; mime_type: string; form: string; chars: number }>(
    sql`SELECT b.blob_id, b.mime_type, t.form, t.chars FROM blob AS b
      JOIN blob_text AS t ON t.owner_no = b.owner_no AND t.blob_id = b.blob_id
      WHERE b.owner_no = ${ownerNo} AND b.blob_id IN (${join(ids, ", ")}) AND t.text IS NOT NULL`,
  );
  return references.flatMap(({ steps, reference }) => {
    const row = rows.find(
      ({ blob_id, mime_type, form }) =>
        blob_id === reference.blob_id && detectTextFormat(listMediaTypes(reference, mime_type))?.form === form,
    );
    return row === undefined ? [] : [{ steps, blobId: row.blob_id, form: row.form, chars: row.chars }];
  });
}

export async function loadTextAt(on: ReadTransaction, ownerNo: number, { blobId, form }: TextPlace): Promise<string> {
  const { text } = await requireRow<{ text: string }>(
    on,
    sql`SELECT text FROM blob_text WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} AND form = ${form}`,
  );
  return text;
}

export async function loadIndexedBlobText(
  on: ReadTransaction,
  ownerNo: number,
  data: JsonObject,
  field: string,
): Promise<string | null> {
  const texts: string[] = [];
  for (const place of await findTextPlaces(on, ownerNo, data, field)) texts.push(await loadTextAt(on, ownerNo, place));
  return texts.length === 0 ? null : texts.join("\n");
}
