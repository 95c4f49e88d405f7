import type { Grant } from "@pdpp/contract/grant";
import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { sql } from "../engine/sql.ts";

export interface AccessToken {
  readonly tokenId: string;
  readonly ownerNo: number;
  readonly packageId: string;
  readonly clientName: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The authorization server's own record of it, without the secret. */
  readonly oauth: string;
}

export async function insertAccessToken(on: WriteTransaction, hash: string, token: AccessToken): Promise<void> {
  const { tokenId, ownerNo, packageId, clientName, createdAt, expiresAt, oauth } = token;
  await on.run(sql`INSERT INTO token (token_hash, token_id, owner_no, kind, package_id, client_name, created_at, expires_at, oauth)
    VALUES (${hash}, ${tokenId}, ${ownerNo}, 'mcp_package', ${packageId}, ${clientName}, ${createdAt}, ${expiresAt}, ${oauth})`);
  // Tokens that expired a day ago are deleted. Their grants and log entries stay.
  await on.run(
    sql`DELETE FROM token WHERE owner_no = ${ownerNo} AND oauth IS NOT NULL AND package_id = ${packageId} AND expires_at < ${createdAt - retentionMs}`,
  );
}

const retentionMs = 24 * 3_600_000;

export async function loadAccessTokenBody(on: ReadTransaction, hash: string, now: number): Promise<string | undefined> {
  const row = await on.one<{ oauth: string }>(
    sql`SELECT oauth FROM token WHERE token_hash = ${hash} AND oauth IS NOT NULL AND revoked_at IS NULL AND expires_at > ${now}`,
  );
  return row?.oauth;
}

export async function revokeAccessToken(on: WriteTransaction, hash: string, now: number): Promise<void> {
  await on.run(
    sql`UPDATE token SET revoked_at = ${now} WHERE token_hash = ${hash} AND oauth IS NOT NULL AND revoked_at IS NULL`,
  );
}

export async function findPackageHolder(
  on: ReadTransaction,
  packageId: string,
): Promise<{ readonly ownerNo: number; readonly clientName: string; readonly isRevoked: boolean } | undefined> {
  const row = await on.one<{ owner_no: number; body: string; revoked_at: number | null }>(
    sql`SELECT owner_no, body, revoked_at FROM access_grant WHERE package_id = ${packageId} ORDER BY revoked_at IS NULL DESC, grant_id LIMIT 1`,
  );
  if (row === undefined) return undefined;
  return {
    ownerNo: row.owner_no,
    clientName: parseStoredJson<Grant>(row.body).client.name,
    isRevoked: row.revoked_at !== null,
  };
}

export async function isPackageActive(on: ReadTransaction, packageId: string, now: number): Promise<boolean> {
  const row = await on.one(sql`SELECT 1 AS held FROM access_grant WHERE package_id = ${packageId} AND revoked_at IS NULL
    AND expired_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}) LIMIT 1`);
  return row !== undefined;
}

/** When the last grant of a package expires; null if one never does. */
export async function getPackageExpiry(on: ReadTransaction, packageId: string): Promise<number | null> {
  const row = await on.one<{ open: number; ends: number | null }>(
    sql`SELECT count(*) - count(expires_at) AS open, max(expires_at) AS ends FROM access_grant
      WHERE package_id = ${packageId} AND revoked_at IS NULL`,
  );
  return row === undefined || row.open > 0 ? null : row.ends;
}
