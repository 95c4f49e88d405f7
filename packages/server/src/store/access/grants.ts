import type { Grant } from "@pdpp/contract/grant";
import type { OwnerRight } from "@pdpp/contract/owner";
import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { aliasColumns, raw, type Sql, sql } from "../engine/sql.ts";

/** Grants and tokens. A token is identified by the hash of its secret; the secret itself is not stored. */

export interface StoredGrant {
  readonly grant: Grant;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** When it was first seen expired: the clock may have been set back since. */
  readonly expiredAt: number | null;
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
  readonly expiredAt: number | null;
  /** For an owner's token: what it may do, and with which connections; null means everything. */
  readonly may: readonly OwnerRight[] | null;
  readonly connectionIds: readonly string[] | null;
  /** The authorization server's own record, if it issued the token. Several such tokens may share the same grants. */
  readonly oauth?: string;
}

export type NewToken = Omit<StoredToken, "revokedAt" | "expiredAt">;

type TokenRow = Omit<StoredToken, "may" | "connectionIds" | "oauth"> &
  Readonly<Record<"may" | "connectionIds" | "oauth", string | null>>;

const tokenColumns = aliasColumns(
  `token_id, owner_no, kind, grant_id, package_id, client_name, created_at, expires_at, revoked_at, expired_at, may,
    connection_ids, oauth`,
);

/** As rows of `token` have it, under the names of our types. */
export const decodeToken = ({ may, connectionIds, oauth, ...row }: TokenRow): StoredToken => ({
  ...row,
  may: may === null ? null : parseStoredJson(may),
  connectionIds: connectionIds === null ? null : parseStoredJson(connectionIds),
  ...(oauth === null ? {} : { oauth }),
});

type GrantRow = Omit<StoredGrant, "grant"> & { readonly body: string };

const grantColumns = aliasColumns("body, expires_at, revoked_at, expired_at");

export const decodeGrant = ({ body, ...row }: GrantRow): StoredGrant => ({ grant: parseStoredJson(body), ...row });

async function selectGrants(on: ReadTransaction, where: Sql, order = raw("grant_id")): Promise<StoredGrant[]> {
  const rows = await on.all<GrantRow>(sql`SELECT ${grantColumns} FROM access_grant WHERE ${where} ORDER BY ${order}`);
  return rows.map(decodeGrant);
}

export async function insertGrant(
  on: WriteTransaction,
  ownerNo: number,
  grant: Grant,
  issuedAt: number,
  expiresAt: number | null,
): Promise<void> {
  await on.run(sql`INSERT INTO access_grant (owner_no, grant_id, package_id, body, issued_at, expires_at)
    VALUES (${ownerNo}, ${grant.grant_id}, ${grant.package_id ?? null}, ${JSON.stringify(grant)}, ${issuedAt}, ${expiresAt})`);
}

export async function insertToken(on: WriteTransaction, hash: string, token: NewToken): Promise<void> {
  const may = token.may === null ? null : JSON.stringify(token.may);
  const connectionIds = token.connectionIds === null ? null : JSON.stringify(token.connectionIds);
  await on.run(sql`INSERT INTO token (token_hash, token_id, owner_no, kind, grant_id, package_id, client_name, created_at, expires_at,
      may, connection_ids)
    VALUES (${hash}, ${token.tokenId}, ${token.ownerNo}, ${token.kind}, ${token.grantId}, ${token.packageId}, ${token.clientName},
      ${token.createdAt}, ${token.expiresAt}, ${may}, ${connectionIds})`);
}

export async function markExpired(on: WriteTransaction, token: StoredToken, now: number): Promise<void> {
  const over = sql`expired_at IS NULL AND expires_at <= ${now}`;
  await on.run(sql`UPDATE token SET expired_at = ${now} WHERE token_id = ${token.tokenId} AND ${over}`);
  const whose = token.packageId === null ? sql`grant_id = ${token.grantId}` : sql`package_id = ${token.packageId}`;
  await on.run(
    sql`UPDATE access_grant SET expired_at = ${now} WHERE owner_no = ${token.ownerNo} AND ${whose} AND ${over}`,
  );
}

export async function findTokenByHash(on: ReadTransaction, hash: string): Promise<StoredToken | undefined> {
  const row = await on.one<TokenRow>(sql`SELECT ${tokenColumns} FROM token WHERE token_hash = ${hash}`);
  return row && decodeToken(row);
}

export async function listTokens(on: ReadTransaction, ownerNo: number, kind: TokenKind): Promise<StoredToken[]> {
  const rows = await on.all<TokenRow>(
    sql`SELECT ${tokenColumns} FROM token WHERE owner_no = ${ownerNo} AND kind = ${kind} ORDER BY created_at, token_id`,
  );
  return rows.map(decodeToken);
}

export async function listGrantsOfToken(on: ReadTransaction, token: StoredToken): Promise<StoredGrant[]> {
  if (token.kind === "owner") return [];
  const own = token.packageId === null ? sql`grant_id = ${token.grantId}` : sql`package_id = ${token.packageId}`;
  return selectGrants(on, sql`owner_no = ${token.ownerNo} AND ${own}`);
}

export const listGrants = (on: ReadTransaction, ownerNo: number): Promise<StoredGrant[]> =>
  selectGrants(on, sql`owner_no = ${ownerNo}`, raw("issued_at, grant_id"));

/** Revokes a grant, a package with its grants, or an owner token. Returns whether it existed. */
export async function revoke(on: WriteTransaction, ownerNo: number, id: string, now: number): Promise<boolean> {
  const grants = await on.run(sql`UPDATE access_grant SET revoked_at = COALESCE(revoked_at, ${now})
    WHERE owner_no = ${ownerNo} AND (grant_id = ${id} OR package_id = ${id})`);
  // A concurrent narrowing may have added grants to the package while it held the rows; this statement sees them.
  await on.run(sql`UPDATE access_grant SET revoked_at = ${now}
    WHERE owner_no = ${ownerNo} AND package_id = ${id} AND revoked_at IS NULL`);
  const tokens = await on.run(sql`UPDATE token SET revoked_at = COALESCE(revoked_at, ${now})
    WHERE owner_no = ${ownerNo} AND (token_id = ${id} OR package_id = ${id} OR grant_id = ${id})`);
  return grants + tokens > 0;
}

/**
 * Restores grants that were revoked at that time, with their tokens. `id` is the grant or package that was revoked. Grants that
 * were replaced or have expired since stay ended.
 */
export async function restoreRevoked(
  on: WriteTransaction,
  ownerNo: number,
  id: string,
  grantIds: readonly string[],
  revokedAt: number,
): Promise<void> {
  for (const grantId of grantIds)
    await on.run(sql`UPDATE access_grant SET revoked_at = NULL
      WHERE owner_no = ${ownerNo} AND grant_id = ${grantId} AND revoked_at = ${revokedAt}`);
  for (const each of new Set([id, ...grantIds]))
    await on.run(sql`UPDATE token SET revoked_at = NULL
      WHERE owner_no = ${ownerNo} AND (package_id = ${each} OR grant_id = ${each}) AND revoked_at = ${revokedAt}`);
}

/** Ends a grant that is being replaced, and keeps its tokens. Returns whether it was active. */
export async function replaceGrant(
  on: WriteTransaction,
  ownerNo: number,
  grantId: string,
  now: number,
): Promise<boolean> {
  const ended = await on.run(sql`UPDATE access_grant SET revoked_at = ${now}
    WHERE owner_no = ${ownerNo} AND grant_id = ${grantId} AND revoked_at IS NULL AND expired_at IS NULL`);
  return ended > 0;
}

export async function moveTokens(on: WriteTransaction, ownerNo: number, from: string, to: string): Promise<void> {
  await on.run(
    sql`UPDATE token SET grant_id = ${to} WHERE owner_no = ${ownerNo} AND grant_id = ${from} AND revoked_at IS NULL`,
  );
}

/** No token may outlive its grants. */
export async function shortenTokens(on: WriteTransaction, ownerNo: number, id: string, end: number): Promise<void> {
  await on.run(sql`UPDATE token SET expires_at = ${end} WHERE owner_no = ${ownerNo} AND (grant_id = ${id} OR package_id = ${id})
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${end})`);
}

/** Grants that were revoked or replaced no longer belong to the package. */
export const listGrantsInPackage = (on: ReadTransaction, packageId: string): Promise<StoredGrant[]> =>
  selectGrants(on, sql`package_id = ${packageId} AND revoked_at IS NULL`);
