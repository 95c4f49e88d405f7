import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";

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

interface PasskeyRow {
  passkey_id: string;
  owner_no: number;
  credential_id: string;
  host: string;
  name: string;
  public_key: string;
  counter: number;
  created_at: number;
  used_at: number | null;
}

const decodePasskey = (row: PasskeyRow): Passkey => ({
  passkeyId: row.passkey_id,
  ownerNo: row.owner_no,
  credentialId: row.credential_id,
  host: row.host,
  name: row.name,
  publicKey: row.public_key,
  counter: row.counter,
  createdAt: row.created_at,
  usedAt: row.used_at,
});

/** Per owner. */
export const maxPasskeys = 50;

export async function insertPasskey(on: WriteTransaction, passkey: Passkey): Promise<void> {
  const { passkeyId, ownerNo, credentialId, host, name, publicKey, counter, createdAt } = passkey;
  await on.run(sql`INSERT INTO owner_passkey (passkey_id, owner_no, credential_id, host, name, public_key, counter, created_at)
    VALUES (${passkeyId}, ${ownerNo}, ${credentialId}, ${host}, ${name}, ${publicKey}, ${counter}, ${createdAt})`);
}

export async function listPasskeys(on: ReadTransaction, ownerNo: number): Promise<Passkey[]> {
  const rows = await on.all<PasskeyRow>(
    sql`SELECT * FROM owner_passkey WHERE owner_no = ${ownerNo} ORDER BY created_at, passkey_id`,
  );
  return rows.map(decodePasskey);
}

export async function findPasskey(
  on: ReadTransaction,
  credentialId: string,
  host: string,
): Promise<Passkey | undefined> {
  const row = await on.one<PasskeyRow>(
    sql`SELECT * FROM owner_passkey WHERE credential_id = ${credentialId} AND host = ${host}`,
  );
  return row && decodePasskey(row);
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
