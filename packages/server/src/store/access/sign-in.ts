import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { aliasColumns, limitRows, sql } from "../engine/sql.ts";

/** Sign-in links and sessions of owners. Both are identified by the hash of their secret. */

export interface OwnerSession {
  readonly sessionId: string;
  readonly ownerNo: number;
  readonly browser: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

const sessionColumns = aliasColumns("session_id, owner_no, browser, created_at, seen_at");

export async function insertLink(
  on: WriteTransaction,
  hash: string,
  ownerNo: number,
  expiresAt: number,
): Promise<void> {
  await on.run(sql`DELETE FROM owner_link WHERE owner_no = ${ownerNo} AND expires_at < ${expiresAt - linkRetentionMs}`);
  await on.run(
    sql`INSERT INTO owner_link (link_hash, owner_no, expires_at) VALUES (${hash}, ${ownerNo}, ${expiresAt})`,
  );
}

const linkRetentionMs = 24 * 3_600_000;

export async function isLinkValid(on: ReadTransaction, hash: string, now: number): Promise<boolean> {
  const found = await on.one(
    sql`SELECT 1 AS found FROM owner_link WHERE link_hash = ${hash} AND used_at IS NULL AND expires_at > ${now}`,
  );
  return found !== undefined;
}

/** Returns the owner of a valid link, and invalidates it. */
export async function redeemLink(on: WriteTransaction, hash: string, now: number): Promise<number | undefined> {
  const used = await on.run(
    sql`UPDATE owner_link SET used_at = ${now} WHERE link_hash = ${hash} AND used_at IS NULL AND expires_at > ${now}`,
  );
  if (used === 0) return undefined;
  const row = await on.one<{ owner_no: number }>(sql`SELECT owner_no FROM owner_link WHERE link_hash = ${hash}`);
  return row?.owner_no;
}

export async function insertSession(on: WriteTransaction, hash: string, session: OwnerSession): Promise<void> {
  const { sessionId, ownerNo, browser, createdAt, seenAt } = session;
  await on.run(
    sql`DELETE FROM owner_session WHERE owner_no = ${ownerNo} AND created_at < ${createdAt - sessionRetentionMs}`,
  );
  await on.run(sql`INSERT INTO owner_session (session_hash, session_id, owner_no, browser, created_at, seen_at)
    VALUES (${hash}, ${sessionId}, ${ownerNo}, ${browser}, ${createdAt}, ${seenAt})`);
}

/** Longer than any session. */
const sessionRetentionMs = 30 * 24 * 3_600_000;

export async function listSessions(
  on: ReadTransaction,
  ownerNo: number,
  after: { readonly created: number; readonly seen: number },
  limit: number,
): Promise<OwnerSession[]> {
  return on.all<OwnerSession>(
    sql`SELECT ${sessionColumns} FROM owner_session WHERE owner_no = ${ownerNo} AND revoked_at IS NULL
      AND created_at >= ${after.created} AND seen_at >= ${after.seen} ORDER BY seen_at DESC, session_id ${limitRows(limit)}`,
  );
}

export async function findSessionByHash(on: ReadTransaction, hash: string): Promise<OwnerSession | undefined> {
  return on.one<OwnerSession>(
    sql`SELECT ${sessionColumns} FROM owner_session WHERE session_hash = ${hash} AND revoked_at IS NULL`,
  );
}

export async function touchSession(on: WriteTransaction, hash: string, now: number): Promise<void> {
  await on.run(sql`UPDATE owner_session SET seen_at = ${now} WHERE session_hash = ${hash}`);
}

export async function revokeSession(
  on: WriteTransaction,
  ownerNo: number,
  sessionId: string,
  now: number,
): Promise<boolean> {
  const revoked = await on.run(sql`UPDATE owner_session SET revoked_at = ${now}
    WHERE owner_no = ${ownerNo} AND session_id = ${sessionId} AND revoked_at IS NULL`);
  return revoked > 0;
}
