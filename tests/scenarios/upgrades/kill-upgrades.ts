import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { replaceByCopy } from "@pdpp/test-support/postgres/copy-database";
import type { GoldenContents } from "@pdpp/test-support/vaults/golden-vaults";
import type { TestVault, VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import { schemaVersion } from "#server/store/engine/migrations";
import { readText, wrapVault } from "../../model/loaded-vault.ts";
import { findIntegrityFaults } from "../../store/integrity.ts";
import { runAndKill } from "../kills/kill-process.ts";
import { readSchema, readTables } from "./read-tables.ts";

/** Kills processes while they upgrade a vault. `source` stays as it is; each upgrade starts with a copy of it in `place`. */

export interface KilledUpgrades {
  readonly source: VaultPlace;
  readonly place: VaultPlace;
  readonly clients: GoldenContents["clients"];
  readonly kills: number;
}

export interface KillReport {
  /** Kills that left the earlier schema, and those that left the new one with or without all of its word indexes. */
  readonly before: number;
  readonly after: number;
  /** Vaults that were upgraded completely and compared. */
  readonly compared: number;
  readonly problems: readonly string[];
}

const script = new URL("./upgrade-process.ts", import.meta.url);

export async function killUpgrades({ source, place, clients, kills }: KilledUpgrades): Promise<KillReport> {
  const problems: string[] = [];
  const oldSchema = await readSchema(source);
  const tables = await readTables(source);
  await putCopy(source, place);
  const times = await upgrade(place);
  const expected = await readEverything(place, clients);
  problems.push(...expected.problems);
  let [before, after, compared] = [0, 0, 0];
  let isOver = true;
  for (let n = 0; n < kills; n += 1) {
    if (isOver) await putCopy(source, place);
    // Half of the kills are meant for the migration, and half for the word indexes after it.
    const moment = Math.random() * (n % 2 === 0 ? times.migrated : times.upgraded);
    isOver = (await runAndKill(script, place, moment)) === "upgraded";
    const schema = await look(place, async (left) => {
      const found = await readSchema(left);
      if (found === oldSchema && (await readTables(left)) !== tables) problems.push(`kill ${n} changed the old tables`);
      return found;
    });
    if (schema === oldSchema) before += 1;
    else if (schema === schemaVersion) after += 1;
    else problems.push(`kill ${n} left schema ${schema}`);
    const isLast = n === kills - 1;
    if (!isOver && !isLast) continue;
    await upgrade(place);
    const found = await readEverything(place, clients);
    problems.push(...found.problems);
    if (found.texts.join() !== expected.texts.join()) problems.push(`after kill ${n} clients read something else`);
    compared += 1;
  }
  return { before, after, compared, problems };
}

async function putCopy(source: VaultPlace, place: VaultPlace): Promise<void> {
  rmSync(place.dataDir, { recursive: true, force: true });
  cpSync(source.dataDir, place.dataDir, { recursive: true });
  if (place.databaseUrl !== undefined && source.databaseUrl !== undefined)
    await replaceByCopy(place.databaseUrl, source.databaseUrl);
}

/** Returns how many milliseconds it took; they only decide when later processes are killed. */
async function upgrade(place: VaultPlace): Promise<{ migrated: number; upgraded: number }> {
  const began = performance.now();
  const store = await openStore(place);
  const migrated = performance.now() - began;
  await store.reindex();
  const upgraded = performance.now() - began;
  await store.close();
  return { migrated, upgraded };
}

/** Looks at what a kill left, without repairing it: an engine on a copy of the files, or on the database. */
async function look<T>(place: VaultPlace, work: (left: VaultPlace) => Promise<T>): Promise<T> {
  if (place.databaseUrl !== undefined) return work(place);
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-left-"));
  try {
    cpSync(place.dataDir, dataDir, { recursive: true, filter: (path) => !path.endsWith("-place") });
    return await work({ dataDir });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What each client reads, and what is wrong with the vault. */
async function readEverything(
  place: VaultPlace,
  clients: KilledUpgrades["clients"],
): Promise<{ texts: string[]; problems: string[] }> {
  const store = await openStore(place);
  try {
    const problems = await findIntegrityFaults(store);
    const owner = createOwner({ store, ownerNo: 1, now: Date.now });
    const vault = wrapVault({ store, ...place } as TestVault);
    const texts: string[] = [];
    for (const { token, isRevoked } of clients) {
      const answer = await vault.get(token, "/v1/export");
      if (answer.status !== (isRevoked ? 403 : 200)) problems.push(`a client got ${answer.status}`);
      texts.push(answer.status === 200 ? readText(answer) : String(answer.status));
    }
    await store.log.flush();
    if (!(await owner.log.verify()).valid) problems.push("the access log does not verify");
    const copies = join(place.dataDir, "backups");
    if (existsSync(copies) && readdirSync(copies).some((name) => !/^vault-schema-\d+-\w+\.db$/.test(name)))
      problems.push(`backups/ has ${readdirSync(copies).join(", ")}`);
    return { texts, problems };
  } finally {
    await store.close();
  }
}
