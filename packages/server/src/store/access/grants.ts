import type { Grant } from "@pdpp/contract/grant";
import type { Reading, Writing } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";

/** Grants and tokens as stored. A token is known by the hash of its secret; the secret itself is nowhere. */

export interface StoredGrant {
  readonly grant: Grant;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export type TokenKind = "owner" | "client" | "mcp_package";

export interface StoredToken {
  readonly tokenId: string;
  readonly ownerNo: number;
  readonly kind: TokenKind;
  readonly grantId: string | null;
  readonly packageId: string | null;
  readonly clientName: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

interface GrantRow {
  body: string;
  expires_at: number | null;
  revoked_at: number | null;
}
interface TokenRow {
  token_id: string;
  owner_no: number;
  kind: TokenKind;
  grant_id: string | null;
  package_id: string | null;
  client_name: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

const storedGrant = (row: GrantRow): StoredGrant => ({
  grant: JSON.parse(row.body),
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

const storedToken = (row: TokenRow): StoredToken => ({
  tokenId: row.token_id,
  ownerNo: row.owner_no,
  kind: row.kind,
  grantId: row.grant_id,
  packageId: row.package_id,
  clientName: row.client_name,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

export async function insertGrant(
  on: Writing,
  ownerNo: number,
  grant: Grant,
  issuedAt: number,
  expiresAt: number | null,
): Promise<void> {
  await on.run(sql`INSERT INTO access_grant (owner_no, grant_id, package_id, body, issued_at, expires_at)
    VALUES (${ownerNo}, ${grant.grant_id}, ${grant.package_id ?? null}, ${JSON.stringify(grant)}, ${issuedAt}, ${expiresAt})`);
}

export async function insertToken(on: Writing, hash: string, token: StoredToken): Promise<void> {
  await on.run(sql`INSERT INTO token (token_hash, token_id, owner_no, kind, grant_id, package_id, client_name, created_at, expires_at)
    VALUES (${hash}, ${token.tokenId}, ${token.ownerNo}, ${token.kind}, ${token.grantId}, ${token.packageId}, ${token.clientName},
      ${token.createdAt}, ${token.expiresAt})`);
}

export async function tokenByHash(on: Reading, hash: string): Promise<StoredToken | undefined> {
  const row = await on.one<TokenRow>(sql`SELECT * FROM token WHERE token_hash = ${hash}`);
  return row && storedToken(row);
}

export async function tokens(on: Reading, ownerNo: number, kind: TokenKind): Promise<StoredToken[]> {
  const rows = await on.all<TokenRow>(
    sql`SELECT * FROM token WHERE owner_no = ${ownerNo} AND kind = ${kind} ORDER BY created_at, token_id`,
  );
  return rows.map(storedToken);
}

/** The grants a token stands for. */
export async function grantsOf(on: Reading, token: StoredToken): Promise<StoredGrant[]> {
  if (token.kind === "owner") return [];
  const rows = await on.all<GrantRow>(
    token.packageId === null
      ? sql`SELECT * FROM access_grant WHERE owner_no = ${token.ownerNo} AND grant_id = ${token.grantId}`
      : sql`SELECT * FROM access_grant WHERE owner_no = ${token.ownerNo} AND package_id = ${token.packageId} ORDER BY grant_id`,
  );
  return rows.map(storedGrant);
}

export async function grants(on: Reading, ownerNo: number): Promise<StoredGrant[]> {
  const rows = await on.all<GrantRow>(
    sql`SELECT * FROM access_grant WHERE owner_no = ${ownerNo} ORDER BY issued_at, grant_id`,
  );
  return rows.map(storedGrant);
}

/** Revokes a grant, a package with its grants, or an owner token; answers whether there was one. */
export async function revoke(on: Writing, ownerNo: number, id: string, now: number): Promise<boolean> {
  const grants = await on.run(sql`UPDATE access_grant SET revoked_at = COALESCE(revoked_at, ${now})
    WHERE owner_no = ${ownerNo} AND (grant_id = ${id} OR package_id = ${id})`);
  const tokens = await on.run(sql`UPDATE token SET revoked_at = COALESCE(revoked_at, ${now})
    WHERE owner_no = ${ownerNo} AND (token_id = ${id} OR package_id = ${id} OR grant_id = ${id})`);
  return grants + tokens > 0;
}
