import type { JsonObject } from "@pdpp/contract/declaration";
import { extractTexts } from "../store/blobs/searchable-texts.ts";
import type { CatalogStream } from "../store/catalog/catalog.ts";
import { listBlobTextFields } from "../store/search/indexing.ts";
import type { Store } from "../store/store.ts";

/** Extracts the blob texts that the active or the pending manifest makes searchable, before the records are written. */
export async function extractSearchableTexts(
  { engine, blobTexts }: Store,
  ownerNo: number,
  { declaration, searchPlans: indexed }: CatalogStream,
  records: readonly JsonObject[],
): Promise<void> {
  const waiting = indexed.flatMap(({ blobFields = [] }) => blobFields);
  await extractTexts(
    engine,
    blobTexts,
    ownerNo,
    [...new Set([...listBlobTextFields(declaration), ...waiting])],
    records,
  );
}
