import type { KeyProtection, SealedSecret, SealingKey, SecretUpdate } from "@pdpp/contract/secrets";
import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { type Sql, sql } from "../engine/sql.ts";
import { matchSource } from "./sources.ts";

interface KeyRow {
  readonly key_id: string;
  readonly protection: KeyProtection;
  readonly salt: string | null;
  readonly check_text: string;
}

export async function loadKey(on: ReadTransaction, ownerNo: number): Promise<SealingKey | undefined> {
  const row = await on.one<KeyRow>(
    sql`SELECT key_id, protection, salt, check_text FROM source_key WHERE owner_no = ${ownerNo}`,
  );
  if (row === undefined) return undefined;
  const { key_id, protection, salt, check_text: check } = row;
  return { key_id, owner: ownerNo, protection, ...(salt === null ? {} : { salt }), check };
}

export const insertKey = (on: WriteTransaction, ownerNo: number, key: SealingKey): Promise<number> =>
  on.run(sql`INSERT INTO source_key (owner_no, key_id, protection, salt, check_text)
    VALUES (${ownerNo}, ${key.key_id}, ${key.protection}, ${key.salt ?? null}, ${key.check})`);

export const deleteKey = (on: WriteTransaction, ownerNo: number): Promise<number> =>
  on.run(sql`DELETE FROM source_key WHERE owner_no = ${ownerNo}`);

const selectSecrets = (on: ReadTransaction, condition: Sql): Promise<SealedSecret[]> =>
  on.all<SealedSecret>(sql`SELECT source_id, key_id, sealed FROM source_secret WHERE ${condition} ORDER BY source_id`);

export const listSecrets = (on: ReadTransaction, ownerNo: number): Promise<SealedSecret[]> =>
  selectSecrets(on, sql`owner_no = ${ownerNo}`);

export async function loadSecret(
  on: ReadTransaction,
  ownerNo: number,
  sourceId: string,
): Promise<SealedSecret | undefined> {
  return (await selectSecrets(on, matchSource(ownerNo, sourceId)))[0];
}

export async function saveSecret(
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  { key_id, sealed, method }: SecretUpdate,
  now: number,
): Promise<void> {
  await on.run(sql`DELETE FROM source_secret WHERE ${matchSource(ownerNo, sourceId)}`);
  await on.run(sql`INSERT INTO source_secret (owner_no, source_id, key_id, sealed, saved_at)
    VALUES (${ownerNo}, ${sourceId}, ${key_id}, ${sealed}, ${now})`);
  await on.run(sql`UPDATE source SET sign_in = ${method} WHERE ${matchSource(ownerNo, sourceId)}`);
}

/** Each seal is different, so a secret that was saved again is not replaced. Returns whether it was replaced. */
export async function replaceSecret(
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  before: string,
  after: { readonly sealed: string; readonly key_id?: string },
): Promise<boolean> {
  const key = after.key_id === undefined ? sql`key_id` : sql`${after.key_id}`;
  const replaced = await on.run(sql`UPDATE source_secret SET sealed = ${after.sealed}, key_id = ${key}
    WHERE ${matchSource(ownerNo, sourceId)} AND sealed = ${before}`);
  return replaced > 0;
}

export async function deleteSecret(on: WriteTransaction, ownerNo: number, sourceId: string): Promise<void> {
  await on.run(sql`DELETE FROM source_secret WHERE ${matchSource(ownerNo, sourceId)}`);
  await on.run(sql`UPDATE source SET sign_in = ${null} WHERE ${matchSource(ownerNo, sourceId)}`);
}

export const deleteSecrets = (on: WriteTransaction, ownerNo: number): Promise<number> =>
  on.run(sql`DELETE FROM source_secret WHERE owner_no = ${ownerNo}`);
