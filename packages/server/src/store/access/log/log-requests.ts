import { parseInstant } from "@pdpp/contract/instant";
import type { ReadTransaction, WriteTransaction } from "../../engine/engine.ts";
import { parseStoredJson } from "../../engine/json.ts";
import { joinAnd, type Sql, sql } from "../../engine/sql.ts";
import { lockChain } from "./log-chain.ts";
import { containsId, type LogRow } from "./log-entry.ts";

/**
 * What a read asked for may quote data that is deleted later, so it can be deleted without its entry. The chain covers its digest,
 * and the log says which deletion it went with.
 */

async function deleteRequests(on: WriteTransaction, ownerNo: number, conditions: readonly Sql[]): Promise<void> {
  await lockChain(on, ownerNo);
  const where = joinAnd([sql`owner_no = ${ownerNo} AND request IS NOT NULL`, ...conditions]);
  await on.run(sql`UPDATE access_log SET request = NULL WHERE ${where}`);
}

/** The caller logs the action that explains this, in the same transaction. */
export const deleteRequestsBefore = (on: WriteTransaction, ownerNo: number, before: number): Promise<void> =>
  deleteRequests(on, ownerNo, [sql`at < ${before}`]);

/** As above. */
export const deleteAllRequests = (on: WriteTransaction, ownerNo: number): Promise<void> =>
  deleteRequests(on, ownerNo, []);

/** For a connection whose removal is in the log. Includes requests that named it and got nothing. */
export function deleteRequestsOfConnection(on: WriteTransaction, ownerNo: number, id: string): Promise<void> {
  const isFrom = containsId("connection_ids", id);
  const isAbout = sql`(connection_ids = '[]' AND ${containsId("request", id)})`;
  const removal = sql`SELECT max(entry_no) FROM access_log WHERE owner_no = ${ownerNo} AND kind = 'act'
    AND operation = 'connection.remove' AND ${isFrom}`;
  return deleteRequests(on, ownerNo, [sql`entry_no < (${removal})`, sql`(${isFrom} OR ${isAbout})`]);
}

interface ActRow {
  entry_no: number;
  operation: string;
  subject: string | null;
  connection_ids: string;
}

/** Finds out whether an action of an owner explains that the request of a row in their log is missing. */
export async function loadRequestDeletions(on: ReadTransaction, ownerNo: number): Promise<(row: LogRow) => boolean> {
  const acts = await on.all<ActRow>(
    sql`SELECT entry_no, operation, subject, connection_ids FROM access_log WHERE owner_no = ${ownerNo} AND kind = 'act'
      AND operation IN ('records.prune', 'connection.remove', 'owner.erase', 'owner.remove') ORDER BY entry_no DESC`,
  );
  const deletions = acts.map((act) => ({ ...act, covers: parseDeletion(act) }));
  return (row) => deletions.some(({ entry_no, covers }) => entry_no > row.entry_no && covers(row));
}

function parseDeletion({ operation, subject, connection_ids }: ActRow): (row: LogRow) => boolean {
  if (operation === "records.prune") {
    const before = parseInstant(subject ?? "") ?? 0;
    return ({ at }) => at < before;
  }
  if (operation !== "connection.remove") return () => true;
  const [removed] = parseStoredJson<string[]>(connection_ids);
  return (row) => {
    const sources = parseStoredJson<string[]>(row.connection_ids);
    return sources.length === 0 || sources.some((id) => id === removed);
  };
}
