import type { SavedQuestion } from "@pdpp/contract/searches";
import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { sql } from "../engine/sql.ts";

/** Searches that owners saved. Not records: grants, exports and the word index never include them. */
export interface SavedSearchRow {
  readonly id: string;
  readonly name: string;
  readonly question: SavedQuestion;
  readonly createdAt: number;
}

export async function listSavedSearches(on: ReadTransaction, ownerNo: number): Promise<SavedSearchRow[]> {
  const rows = await on.allCached<Omit<SavedSearchRow, "question"> & { readonly question: string }>(
    sql`SELECT search_id AS id, name, question, created_at AS "createdAt" FROM saved_search
      WHERE owner_no = ${ownerNo} ORDER BY created_at DESC, search_id`,
  );
  return rows.map((row) => ({ ...row, question: parseStoredJson<SavedQuestion>(row.question) }));
}

export async function insertSavedSearch(on: WriteTransaction, ownerNo: number, search: SavedSearchRow): Promise<void> {
  const { id, name, question, createdAt } = search;
  await on.run(sql`INSERT INTO saved_search (owner_no, search_id, name, question, created_at)
    VALUES (${ownerNo}, ${id}, ${name}, ${JSON.stringify(question)}, ${createdAt})`);
}

export async function renameSavedSearch(
  on: WriteTransaction,
  ownerNo: number,
  id: string,
  name: string,
): Promise<boolean> {
  const renamed = await on.run(
    sql`UPDATE saved_search SET name = ${name} WHERE owner_no = ${ownerNo} AND search_id = ${id}`,
  );
  return renamed > 0;
}

export async function deleteSavedSearch(on: WriteTransaction, ownerNo: number, id: string): Promise<boolean> {
  return (await on.run(sql`DELETE FROM saved_search WHERE owner_no = ${ownerNo} AND search_id = ${id}`)) > 0;
}

/** Without its source, a search that was limited to it could only fail. */
export async function deleteSearchesOfSource(on: WriteTransaction, ownerNo: number, source: string): Promise<void> {
  for (const { id, question } of await listSavedSearches(on, ownerNo))
    if (question.source === source) await deleteSavedSearch(on, ownerNo, id);
}

export async function deleteAllSearches(on: WriteTransaction, ownerNo: number): Promise<void> {
  await on.run(sql`DELETE FROM saved_search WHERE owner_no = ${ownerNo}`);
}
