import type { Json } from "@pdpp/contract/declaration";

type BlobReference = { [key: string]: Json } & { blob_id: string };

export const isBlobReference = (value: Json | undefined): value is BlobReference =>
  typeof value === "object" && value !== null && !Array.isArray(value) && typeof value.blob_id === "string";

/** The blobs that a value of a declared blob field refers to: one reference, or a list of them. */
export function blobIdsOf(value: Json | undefined): string[] {
  const references = Array.isArray(value) ? value.filter(isBlobReference) : isBlobReference(value) ? [value] : [];
  return [...new Set(references.map((reference) => reference.blob_id))];
}
