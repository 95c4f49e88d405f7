import { isTimeZone } from "@pdpp/evidence/text/local-time";
import { Temporal } from "temporal-polyfill";
import { lockAllOwners } from "../catalog/lock-owner.ts";
import { deleteAllSearches } from "../catalog/saved-searches.ts";
import { type ReadTransaction, selectNumber, type WriteTransaction } from "../engine/engine.ts";
import { limitRows, raw, sql } from "../engine/sql.ts";
import { deleteArtifactsOfGrant } from "./oauth-artifacts.ts";

/**
 * The owners of a vault. Numbers are never reused, so that what remains of a removed owner, such as log entries, never belongs to
 * another.
 */

export interface OwnerRow {
  readonly no: number;
  readonly name: string;
}

/** Owner names have no spaces, so no owner can have this name. */
const formatRemovedName = (no: number | "%"): string => `removed ${no}`;

export async function listOwnerRows(on: ReadTransaction): Promise<OwnerRow[]> {
  const rows = await on.all<OwnerRow>(raw("SELECT owner_no AS no, name FROM owner ORDER BY owner_no"));
  return rows.filter(({ no, name }) => name !== formatRemovedName(no));
}

export async function loadOwnerName(on: ReadTransaction, ownerNo: number): Promise<string | undefined> {
  const row = await on.one<OwnerRow>(sql`SELECT owner_no AS no, name FROM owner WHERE owner_no = ${ownerNo}`);
  return row === undefined || row.name === formatRemovedName(ownerNo) ? undefined : row.name;
}

/** The numbers of the first owners, at most `limit`, without `except`. */
export async function listFirstOwners(on: ReadTransaction, limit: number, except = 0): Promise<number[]> {
  const rows = await on.all<{ no: number }>(
    sql`SELECT owner_no AS no FROM owner WHERE owner_no <> ${except} AND name NOT LIKE ${formatRemovedName("%")}
      ORDER BY owner_no ${limitRows(limit)}`,
  );
  return rows.map(({ no }) => no);
}

export const getMachineTimeZone = (): string => Temporal.Now.timeZoneId();

/** The zone's canonical IANA name; undefined if it is not a time zone. */
export const canonicalizeTimeZone = (zone: string): string | undefined =>
  isTimeZone(zone) ? new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone : undefined;

export async function loadOwnerTimeZone(on: ReadTransaction, ownerNo: number): Promise<string | undefined> {
  const [row] = await on.allCached<{ time_zone: string | null }>(
    sql`SELECT time_zone FROM owner WHERE owner_no = ${ownerNo}`,
  );
  return row?.time_zone ?? undefined;
}

export async function setOwnerTimeZone(on: WriteTransaction, ownerNo: number, zone: string | null): Promise<void> {
  await on.run(sql`UPDATE owner SET time_zone = ${zone} WHERE owner_no = ${ownerNo}`);
}

export async function insertOwner(on: WriteTransaction, name: string): Promise<number> {
  await lockAllOwners(on);
  const no = await selectNumber(on, raw("SELECT max(owner_no) + 1 AS n FROM owner"));
  await on.run(
    sql`INSERT INTO owner (owner_no, name, next_version, pruned_version) VALUES (${no}, ${name}, ${1}, ${0})`,
  );
  return no;
}

export async function setOwnerName(on: WriteTransaction, ownerNo: number, name: string): Promise<void> {
  await on.run(sql`UPDATE owner SET name = ${name} WHERE owner_no = ${ownerNo}`);
}

export async function listActiveAccess(on: ReadTransaction, ownerNo: number): Promise<string[]> {
  const rows = await on.all<{
    id: string;
  }>(sql`SELECT grant_id AS id FROM access_grant WHERE owner_no = ${ownerNo} AND revoked_at IS NULL
    UNION SELECT token_id FROM token WHERE owner_no = ${ownerNo} AND revoked_at IS NULL`);
  return rows.map(({ id }) => id);
}

/** Deletes everything that grants access. The log stays. */
export async function deleteAccess(on: WriteTransaction, ownerNo: number): Promise<void> {
  const packages = await on.all<{ id: string }>(
    sql`SELECT DISTINCT package_id AS id FROM access_grant WHERE owner_no = ${ownerNo} AND package_id IS NOT NULL`,
  );
  for (const { id } of packages) await deleteArtifactsOfGrant(on, id);
  for (const table of ["owner_link", "owner_session", "owner_passkey", "token", "access_grant"])
    await on.run(sql`DELETE FROM ${raw(table)} WHERE owner_no = ${ownerNo}`);
}

export async function markRemoved(on: WriteTransaction, ownerNo: number): Promise<void> {
  // A grant may have been issued in the meantime.
  await deleteAccess(on, ownerNo);
  await deleteAllSearches(on, ownerNo);
  await on.run(sql`DELETE FROM connection WHERE owner_no = ${ownerNo}`);
  await setOwnerName(on, ownerNo, formatRemovedName(ownerNo));
}
