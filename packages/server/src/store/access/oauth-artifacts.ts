import { type ReadTransaction, selectNumber, type WriteTransaction } from "../engine/engine.ts";
import { aliasColumns, limitRows, sql } from "../engine/sql.ts";

/**
 * The authorization server's state between requests: codes, refresh tokens, pushed requests, interactions, sessions. Each is found
 * by the hash of its secret; the secret is not stored.
 */

export interface OAuthArtifact {
  readonly idHash: string;
  readonly grantId: string | null;
  readonly uidHash: string | null;
  readonly userCodeHash: string | null;
  readonly body: string;
  readonly consumedAt: number | null;
  readonly expiresAt: number;
}

const artifactColumns = aliasColumns("id_hash, grant_id, uid_hash, user_code_hash, body, consumed_at, expires_at");

const sweepBatch = 200;
/** Anyone can create these, so their number is limited. */
const maxPerKind = 5000;

export async function saveArtifact(
  on: WriteTransaction,
  kind: string,
  artifact: OAuthArtifact,
  now: number,
  most = maxPerKind,
): Promise<void> {
  // Expired ones are deleted with each new one, a bounded number at a time.
  await on.run(sql`DELETE FROM oauth_thing WHERE id_hash IN
    (SELECT id_hash FROM oauth_thing WHERE expires_at < ${now} ${limitRows(sweepBatch)}) AND expires_at < ${now}`);
  const { idHash, grantId, uidHash, userCodeHash, body, consumedAt, expiresAt } = artifact;
  await on.run(sql`INSERT INTO oauth_thing (kind, id_hash, grant_id, uid_hash, user_code_hash, body, consumed_at, expires_at)
    VALUES (${kind}, ${idHash}, ${grantId}, ${uidHash}, ${userCodeHash}, ${body}, ${consumedAt}, ${expiresAt})
    ON CONFLICT (kind, id_hash) DO UPDATE SET grant_id = excluded.grant_id, uid_hash = excluded.uid_hash,
      user_code_hash = excluded.user_code_hash, body = excluded.body, expires_at = excluded.expires_at`);
  if (artifact.grantId === null) await keepNewest(on, kind, most);
}

/** Deletes excess artifacts that belong to no grant; those that expire first go first. */
async function keepNewest(on: WriteTransaction, kind: string, most: number): Promise<void> {
  const ungranted = sql`kind = ${kind} AND grant_id IS NULL`;
  const held = await selectNumber(on, sql`SELECT count(*) AS n FROM oauth_thing WHERE ${ungranted}`);
  const tooMany = held - most;
  if (tooMany <= 0) return;
  await on.run(sql`DELETE FROM oauth_thing WHERE kind = ${kind} AND id_hash IN
    (SELECT id_hash FROM oauth_thing WHERE ${ungranted} ORDER BY expires_at, id_hash ${limitRows(tooMany)})`);
}

type ArtifactKey = { readonly idHash: string } | { readonly uidHash: string } | { readonly userCodeHash: string };

export async function findArtifact(
  on: ReadTransaction,
  kind: string,
  key: ArtifactKey,
  now: number,
): Promise<OAuthArtifact | undefined> {
  const named =
    "idHash" in key
      ? sql`id_hash = ${key.idHash}`
      : "uidHash" in key
        ? sql`uid_hash = ${key.uidHash}`
        : sql`user_code_hash = ${key.userCodeHash}`;
  return on.one<OAuthArtifact>(
    sql`SELECT ${artifactColumns} FROM oauth_thing WHERE kind = ${kind} AND ${named} AND expires_at > ${now}`,
  );
}

/** Marks it as used. Returns whether it was unused before. */
export async function consumeArtifact(
  on: WriteTransaction,
  kind: string,
  idHash: string,
  now: number,
): Promise<boolean> {
  const consumed = await on.run(
    sql`UPDATE oauth_thing SET consumed_at = ${now} WHERE kind = ${kind} AND id_hash = ${idHash} AND consumed_at IS NULL`,
  );
  return consumed > 0;
}

export async function deleteArtifact(on: WriteTransaction, kind: string, idHash: string): Promise<void> {
  await on.run(sql`DELETE FROM oauth_thing WHERE kind = ${kind} AND id_hash = ${idHash}`);
}

export async function deleteArtifactsOfGrant(on: WriteTransaction, grantId: string): Promise<void> {
  await on.run(sql`DELETE FROM oauth_thing WHERE grant_id = ${grantId}`);
}

const unusedRetentionMs = 24 * 3_600_000;
const maxUnusedClients = 1000;

/** Registers a client. Clients without a grant are deleted after a day, and the oldest when there are too many. */
export async function saveClient(on: WriteTransaction, clientId: string, metadata: string, now: number): Promise<void> {
  await on.run(sql`DELETE FROM oauth_client WHERE granted_at IS NULL AND created_at < ${now - unusedRetentionMs}`);
  await on.run(sql`DELETE FROM oauth_client WHERE granted_at IS NULL AND client_id NOT IN
    (SELECT client_id FROM oauth_client WHERE granted_at IS NULL ORDER BY created_at DESC ${limitRows(maxUnusedClients - 1)})`);
  await on.run(sql`INSERT INTO oauth_client (client_id, metadata, created_at) VALUES (${clientId}, ${metadata}, ${now})
    ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, created_at = excluded.created_at`);
}

export async function findClient(
  on: ReadTransaction,
  clientId: string,
): Promise<{ readonly metadata: string; readonly createdAt: number } | undefined> {
  return on.one(sql`SELECT metadata, created_at AS "createdAt" FROM oauth_client WHERE client_id = ${clientId}`);
}

export async function deleteClient(on: WriteTransaction, clientId: string): Promise<void> {
  await on.run(sql`DELETE FROM oauth_client WHERE client_id = ${clientId}`);
}

export async function markClientGranted(on: WriteTransaction, clientId: string, now: number): Promise<void> {
  await on.run(sql`UPDATE oauth_client SET granted_at = ${now} WHERE client_id = ${clientId}`);
}
