import type { StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { listMatchedWords } from "../frame/render/marked-text.tsx";

/** The words of a search as one record has them. */
export async function findMatchedWords(
  reader: ReadApi,
  { name, primaryKey }: StreamDeclaration,
  { connectionId, recordId }: RecordHandle,
  q: string | undefined,
): Promise<string[]> {
  const [key] = primaryKey;
  if (q === undefined || key === undefined || primaryKey.length > 1) return [];
  try {
    const input = { q, streams: [name], connection_id: connectionId, filter: { [key]: recordId }, limit: 1 };
    return listMatchedWords((await reader.search(input)).data);
  } catch (error) {
    // A query that can't be searched marks nothing.
    if (error instanceof PdppError && error.status < 500) return [];
    throw error;
  }
}
