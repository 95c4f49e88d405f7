import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { aliasColumns, sql } from "../engine/sql.ts";

export interface Passkey {
  readonly passkeyId: string;
  readonly ownerNo: number;
  /** The authenticator's own id. */
  readonly credentialId: string;
  readonly host: string;
  readonly name: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

const columns = aliasColumns(
  "passkey_id, owner_no, credential_id, host, name, public_key, counter, created_at, used_at",
);

/** Per owner. */
export const maxPasskeys = 50;

export async function insertPasskey(on: WriteTransaction, passkey: Passkey): Promise<void> {
  const { passkeyId, ownerNo, credentialId, host, name, publicKey, counter, createdAt } = passkey;
  await on.run(sql`INSERT INTO owner_passkey (passkey_id, owner_no, credential_id, host, name, public_key, counter, created_at)
    VALUES (${passkeyId}, ${ownerNo}, ${credentialId}, ${host}, ${name}, ${publicKey}, ${counter}, ${createdAt})`);
}

export async function listPasskeys(on: ReadTransaction, ownerNo: number): Promise<Passkey[]> {
  return on.all<Passkey>(
    sql`SELECT ${columns} FROM owner_passkey WHERE owner_no = ${ownerNo} ORDER BY created_at, passkey_id`,
  );
}

/** Whether any owner has a passkey for this host name. */
export async function hasPasskeyFor(on: ReadTransaction, host: string): Promise<boolean> {
  return (await on.one(sql`SELECT 1 AS one FROM owner_passkey WHERE host = ${host} LIMIT 1`)) !== undefined;
}

export async function findPasskey(
  on: ReadTransaction,
  credentialId: string,
  host: string,
): Promise<Passkey | undefined> {
  return on.one<Passkey>(
    sql`SELECT ${columns} FROM owner_passkey WHERE credential_id = ${credentialId} AND host = ${host}`,
  );
}

export async function markPasskeyUsed(
  on: WriteTransaction,
  passkeyId: string,
  counter: number,
  now: number,
): Promise<void> {
  await on.run(sql`UPDATE owner_passkey SET counter = ${counter}, used_at = ${now} WHERE passkey_id = ${passkeyId}`);
}

export async function removePasskey(on: WriteTransaction, ownerNo: number, passkeyId: string): Promise<boolean> {
  const removed = await on.run(
    sql`DELETE FROM owner_passkey WHERE owner_no = ${ownerNo} AND passkey_id = ${passkeyId}`,
  );
  return removed > 0;
}
