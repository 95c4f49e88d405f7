import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Engine, ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { parseJsonAs } from "../engine/json.ts";
import { raw, sql } from "../engine/sql.ts";
import { revoke } from "./grants.ts";

/**
 * Revocations, in a file next to an embedded vault: when an older copy of the vault replaces it, later revocations still apply. A
 * shared database keeps them in its tables only.
 */

const entry = z.object({ owner_no: z.int(), id: z.string(), revoked_at: z.number() });
export type Revocation = z.infer<typeof entry>;
/** A line with `restored_at` undoes an earlier one. Versions that don't know the key read it as a revocation, which is safe. */
const line = entry.extend({ restored_at: z.number().optional() });

export const getRevocationsFile = (dataDir: string): string => join(dataDir, "revocations.ndjson");

/** On disk when it resolves. */
export async function appendRevocations(file: string, revoked: readonly z.infer<typeof line>[]): Promise<void> {
  const handle = await open(file, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    // A previous line that was cut off by a crash must not swallow this one.
    const before = bytesRead === 0 || buffer.toString() === "\n" ? "" : "\n";
    await handle.appendFile(before + encodeRevocations(revoked));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const encodeRevocations = (revoked: readonly Revocation[]): string =>
  revoked.map((each) => `${JSON.stringify(each)}\n`).join("");

/** An unreadable line was being written during a crash; its revocation was never confirmed. */
export async function readRevocations(file: string): Promise<Revocation[]> {
  if (!existsSync(file)) return [];
  const found: Revocation[] = [];
  for (const text of (await readFile(file, "utf8")).split("\n")) {
    const parsed = parseLine(text);
    if (parsed === undefined) continue;
    const { restored_at, ...revoked } = parsed;
    if (restored_at === undefined) found.push(revoked);
    else found.splice(0, found.length, ...found.filter((each) => !isSameRevocation(each, revoked)));
  }
  return found;
}

const isSameRevocation = (a: Revocation, b: Revocation): boolean =>
  a.owner_no === b.owner_no && a.id === b.id && a.revoked_at === b.revoked_at;

function parseLine(text: string): z.infer<typeof line> | undefined {
  try {
    return parseJsonAs(line, text);
  } catch {
    return undefined;
  }
}

export async function applyRevocations(engine: Engine, revoked: readonly Revocation[]): Promise<number> {
  const inForce = await engine.read((on) => listActiveIds(on));
  const again = revoked.filter(({ id }) => inForce.has(id));
  if (again.length > 0) {
    await engine.write(async (on: WriteTransaction) => {
      for (const { owner_no, id, revoked_at } of again) await revoke(on, owner_no, id, revoked_at);
    });
  }
  return again.length;
}

async function listActiveIds(on: ReadTransaction): Promise<Set<string>> {
  const rows = await on.all<{ id: string | null; package_id: string | null }>(
    raw(`SELECT grant_id AS id, package_id FROM access_grant WHERE revoked_at IS NULL
      UNION ALL SELECT token_id, package_id FROM token WHERE revoked_at IS NULL`),
  );
  return new Set(rows.flatMap(({ id, package_id }) => [id, package_id]).filter((id) => id !== null));
}

export async function listRevocations(on: ReadTransaction): Promise<Revocation[]> {
  return on.all<Revocation>(sql`SELECT owner_no, grant_id AS id, revoked_at FROM access_grant WHERE revoked_at IS NOT NULL
    UNION ALL SELECT owner_no, token_id, revoked_at FROM token WHERE revoked_at IS NOT NULL ORDER BY 3, 2`);
}
