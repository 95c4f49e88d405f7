import type { Reading, Writing } from "../engine/engine.ts";
import { atMost, sql } from "../engine/sql.ts";

/**
 * What the authorization server keeps between two requests: codes, refresh tokens, pushed requests, interactions, its own sessions. Each is
 * found by the hash of its secret, and the secret is nowhere.
 */

export interface OAuthThing {
  readonly idHash: string;
  readonly grantId: string | null;
  readonly uidHash: string | null;
  readonly userCodeHash: string | null;
  readonly body: string;
  readonly consumedAt: number | null;
  readonly expiresAt: number;
}

interface ThingRow {
  id_hash: string;
  grant_id: string | null;
  uid_hash: string | null;
  user_code_hash: string | null;
  body: string;
  consumed_at: number | null;
  expires_at: number;
}

const thingOf = (row: ThingRow): OAuthThing => ({
  idHash: row.id_hash,
  grantId: row.grant_id,
  uidHash: row.uid_hash,
  userCodeHash: row.user_code_hash,
  body: row.body,
  consumedAt: row.consumed_at,
  expiresAt: row.expires_at,
});

const sweptAtOnce = 200;
/** Strangers can make these without being asked, so there are never more of a kind than this. */
const mostOfAKind = 5000;

export async function putThing(
  on: Writing,
  kind: string,
  thing: OAuthThing,
  now: number,
  most = mostOfAKind,
): Promise<void> {
  // What is over goes with the next that comes, a bounded number at a time.
  await on.run(sql`DELETE FROM oauth_thing WHERE id_hash IN
    (SELECT id_hash FROM oauth_thing WHERE expires_at < ${now} ${atMost(sweptAtOnce)}) AND expires_at < ${now}`);
  const { idHash, grantId, uidHash, userCodeHash, body, consumedAt, expiresAt } = thing;
  await on.run(sql`INSERT INTO oauth_thing (kind, id_hash, grant_id, uid_hash, user_code_hash, body, consumed_at, expires_at)
    VALUES (${kind}, ${idHash}, ${grantId}, ${uidHash}, ${userCodeHash}, ${body}, ${consumedAt}, ${expiresAt})
    ON CONFLICT (kind, id_hash) DO UPDATE SET grant_id = excluded.grant_id, uid_hash = excluded.uid_hash,
      user_code_hash = excluded.user_code_hash, body = excluded.body, expires_at = excluded.expires_at`);
  if (thing.grantId === null) await keepNewest(on, kind, most);
}

/** What belongs to no grant goes when there is too much of it: what ends first goes first. */
async function keepNewest(on: Writing, kind: string, most: number): Promise<void> {
  const ungranted = sql`kind = ${kind} AND grant_id IS NULL`;
  const held = await on.one<{ n: number }>(sql`SELECT count(*) AS n FROM oauth_thing WHERE ${ungranted}`);
  const tooMany = (held?.n ?? 0) - most;
  if (tooMany <= 0) return;
  await on.run(sql`DELETE FROM oauth_thing WHERE kind = ${kind} AND id_hash IN
    (SELECT id_hash FROM oauth_thing WHERE ${ungranted} ORDER BY expires_at, id_hash ${atMost(tooMany)})`);
}

type ThingKey = { readonly idHash: string } | { readonly uidHash: string } | { readonly userCodeHash: string };

export async function thing(on: Reading, kind: string, key: ThingKey, now: number): Promise<OAuthThing | undefined> {
  const named =
    "idHash" in key
      ? sql`id_hash = ${key.idHash}`
      : "uidHash" in key
        ? sql`uid_hash = ${key.uidHash}`
        : sql`user_code_hash = ${key.userCodeHash}`;
  const row = await on.one<ThingRow>(
    sql`SELECT * FROM oauth_thing WHERE kind = ${kind} AND ${named} AND expires_at > ${now}`,
  );
  return row && thingOf(row);
}

/** Marks it as used, and answers whether nobody had before. */
export async function consumeThing(on: Writing, kind: string, idHash: string, now: number): Promise<boolean> {
  const consumed = await on.run(
    sql`UPDATE oauth_thing SET consumed_at = ${now} WHERE kind = ${kind} AND id_hash = ${idHash} AND consumed_at IS NULL`,
  );
  return consumed > 0;
}

export async function dropThing(on: Writing, kind: string, idHash: string): Promise<void> {
  await on.run(sql`DELETE FROM oauth_thing WHERE kind = ${kind} AND id_hash = ${idHash}`);
}

export async function dropThingsOfGrant(on: Writing, grantId: string): Promise<void> {
  await on.run(sql`DELETE FROM oauth_thing WHERE grant_id = ${grantId}`);
}

const unusedKeptMs = 24 * 3_600_000;
const mostUnused = 1000;

/** Registers a client. Those that nobody gave a grant go after a day, and the oldest when there are too many. */
export async function putClient(on: Writing, clientId: string, metadata: string, now: number): Promise<void> {
  await on.run(sql`DELETE FROM oauth_client WHERE granted_at IS NULL AND created_at < ${now - unusedKeptMs}`);
  await on.run(sql`DELETE FROM oauth_client WHERE granted_at IS NULL AND client_id NOT IN
    (SELECT client_id FROM oauth_client WHERE granted_at IS NULL ORDER BY created_at DESC ${atMost(mostUnused - 1)})`);
  await on.run(sql`INSERT INTO oauth_client (client_id, metadata, created_at) VALUES (${clientId}, ${metadata}, ${now})
    ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, created_at = excluded.created_at`);
}

export async function heldClient(
  on: Reading,
  clientId: string,
): Promise<{ readonly metadata: string; readonly createdAt: number } | undefined> {
  const row = await on.one<{ metadata: string; created_at: number }>(
    sql`SELECT metadata, created_at FROM oauth_client WHERE client_id = ${clientId}`,
  );
  return row && { metadata: row.metadata, createdAt: row.created_at };
}

export async function dropClient(on: Writing, clientId: string): Promise<void> {
  await on.run(sql`DELETE FROM oauth_client WHERE client_id = ${clientId}`);
}

export async function clientWasGranted(on: Writing, clientId: string, now: number): Promise<void> {
  await on.run(sql`UPDATE oauth_client SET granted_at = ${now} WHERE client_id = ${clientId}`);
}
