import type { Json } from "@pdpp/contract/declaration";
import { budget } from "@pdpp/evidence/sizes/budget";

export type BlobReference = { [key: string]: Json } & { blob_id: string };

/** The media types of a blob: the one in the reference first, then the stored one. */
export function listMediaTypes({ mime_type: said }: BlobReference, stored: string): readonly [string, ...string[]] {
  const isLabel = typeof said === "string" && said.length <= budget.field.blobTextChars;
  return isLabel ? [said, stored] : [stored];
}

export const isBlobReference = (value: Json | undefined): value is BlobReference =>
  typeof value === "object" && value !== null && !Array.isArray(value) && typeof value.blob_id === "string";

export function listBlobIds(value: Json | undefined): string[] {
  const references = Array.isArray(value) ? value.filter(isBlobReference) : isBlobReference(value) ? [value] : [];
  return [...new Set(references.map((reference) => reference.blob_id))];
}
