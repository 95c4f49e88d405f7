import type { WriteTransaction } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";

/**
 * Serializes the writers of an owner's records: after it, a transaction sees everything earlier writers did, including catalog
 * changes. Must come first in a transaction, to avoid deadlocks.
 */
export async function lockOwner(on: WriteTransaction, ownerNo: number): Promise<void> {
  await on.run(sql`UPDATE owner SET next_version = next_version WHERE owner_no = ${ownerNo}`);
}

/** Changes to the layout of records must lock out the writers of all owners. Costs the same however many owners there are. */
export async function lockAllOwners(on: WriteTransaction): Promise<void> {
  for (const statement of on.dialect.lockTable("owner")) await on.run(statement);
}
