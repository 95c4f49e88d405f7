import type { Connection } from "../catalog/connections.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import type { Viewpoint } from "../engine/postgres/replica.ts";
import { type Sql, sql } from "../engine/sql.ts";
import { accessRevisionQuery } from "./access-revision.ts";
import { decodeGrant, decodeToken, type StoredGrant, type StoredToken } from "./grants.ts";
import type { TokenOwners } from "./token-owners.ts";

/** All that decides what a token may read, at one moment. */
export interface Access {
  readonly token: StoredToken;
  /** The grants of the token, revoked and expired ones too. */
  readonly grants: readonly StoredGrant[];
  /** The owner's connections, sorted by id. */
  readonly connections: readonly Connection[];
  readonly timeZone: string | undefined;
  readonly viewpoint: Viewpoint;
  /** Missing in a vault that cannot be upgraded because it is open for reading only. */
  readonly revision: string | undefined;
}

interface AccessRow {
  readonly part: number;
  readonly id: string;
  readonly kind: StoredToken["kind"];
  readonly grant_id: string | null;
  readonly package_id: string | null;
  readonly name: string | null;
  readonly may: string | null;
  readonly connection_ids: string | null;
  readonly body: string | null;
  readonly time_zone: string | null;
  readonly revision: string;
  readonly no: number;
  readonly at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly expired_at: number | null;
  readonly next_version: number | null;
  readonly index_revision: number | null;
  readonly access_revision: string | null;
}

const [tokenPart, grantPart, connectionPart] = [0, 1, 2];

/**
 * One statement, because every request runs it: on PostgreSQL each statement is a round trip. It names the owner, so that a database that
 * is split by owner asks only one part.
 */
const selectAccess = (
  tokenHash: string,
  ownerNo: number,
): Sql => sql`WITH held AS (SELECT token_id, owner_no, kind, grant_id, package_id, client_name,
    created_at, expires_at, revoked_at, expired_at, may, connection_ids, oauth FROM token WHERE token_hash = ${tokenHash} AND owner_no = ${ownerNo})
  SELECT * FROM (
    SELECT 0 AS part, h.token_id AS id, h.kind AS kind, h.grant_id AS grant_id, h.package_id AS package_id, h.client_name AS name,
      h.may AS may, h.connection_ids AS connection_ids, h.oauth AS body, o.time_zone AS time_zone,
      (SELECT value FROM meta WHERE name = 'catalog_revision') AS revision, h.owner_no AS no, h.created_at AS at,
      h.expires_at AS expires_at, h.revoked_at AS revoked_at, h.expired_at AS expired_at,
      o.next_version AS next_version, o.index_revision AS index_revision, (${accessRevisionQuery}) AS access_revision
      FROM held AS h LEFT JOIN owner AS o ON o.owner_no = ${ownerNo}
    UNION ALL ${selectGrants(ownerNo)} AND h.package_id IS NULL AND g.grant_id = h.grant_id
    UNION ALL ${selectGrants(ownerNo)} AND g.package_id = h.package_id
    UNION ALL SELECT 2, c.connection_id, NULL, c.connector_key, NULL, c.label, NULL, NULL, NULL, NULL, NULL, c.connection_no, c.created_at,
      NULL, NULL, NULL, NULL, NULL, NULL FROM held AS h JOIN connection AS c ON c.owner_no = ${ownerNo} WHERE c.removed_at IS NULL
  ) AS access ORDER BY part, id`;

const selectGrants = (ownerNo: number): Sql =>
  sql`SELECT 1, g.grant_id, NULL, NULL, NULL, NULL, NULL, NULL, g.body, NULL, NULL, g.owner_no, g.issued_at,
    g.expires_at, g.revoked_at, g.expired_at, NULL, NULL, NULL FROM held AS h JOIN access_grant AS g ON g.owner_no = ${ownerNo} WHERE h.kind <> 'owner'`;

export async function loadAccess(
  on: Pick<ReadTransaction, "all">,
  owners: TokenOwners,
  tokenHash: string,
): Promise<Access | undefined> {
  const ownerNo = await owners.find(on, tokenHash);
  if (ownerNo === undefined) return undefined;
  const rows = await on.all<AccessRow>(selectAccess(tokenHash, ownerNo));
  const held = rows.find(({ part }) => part === tokenPart);
  if (held === undefined) return undefined;
  return {
    token: decodeTokenRow(held),
    grants: rows.filter(({ part }) => part === grantPart).map(decodeGrantRow),
    connections: rows.filter(({ part }) => part === connectionPart).map(decodeConnectionRow),
    timeZone: held.time_zone ?? undefined,
    viewpoint: {
      ownerNo: held.no,
      nextVersion: held.next_version ?? 0,
      indexRevision: held.index_revision ?? 0,
      catalogRevision: Number(held.revision),
    },
    revision: held.access_revision ?? undefined,
  };
}

const decodeTokenRow = (row: AccessRow): StoredToken =>
  decodeToken({
    tokenId: row.id,
    ownerNo: row.no,
    kind: row.kind,
    grantId: row.grant_id,
    packageId: row.package_id,
    clientName: row.name!,
    createdAt: row.at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    expiredAt: row.expired_at,
    may: row.may,
    connectionIds: row.connection_ids,
    oauth: row.body,
  });

const decodeGrantRow = (row: AccessRow): StoredGrant =>
  decodeGrant({
    body: row.body!,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    expiredAt: row.expired_at,
  });

const decodeConnectionRow = (row: AccessRow): Connection => ({
  no: row.no,
  id: row.id,
  connectorKey: row.grant_id!,
  ...(row.name === null ? {} : { label: row.name }),
  createdAt: row.at,
});
