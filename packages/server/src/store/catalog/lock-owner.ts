import type { WriteTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";

/**
 * Writers of an owner's records take turns: whoever holds the owner sees what the one before has done, the catalog included, and
 * nobody else writes until the transaction ends. It comes first in a transaction, so that no two wait for each other.
 */
export async function lockOwner(on: WriteTransaction, ownerNo: number): Promise<void> {
  await on.run(sql`UPDATE owner SET next_version = next_version WHERE owner_no = ${ownerNo}`);
}

/** Changing how records are laid out holds back the writers of every owner. */
export async function lockAllOwners(on: WriteTransaction): Promise<void> {
  await on.run(raw("UPDATE owner SET next_version = next_version"));
}
