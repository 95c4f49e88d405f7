import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { copyGolden, goldenNames, readGoldenContents } from "@pdpp/test-support/vaults/golden-vaults";
import { createApp } from "#server/app";
import { createBackup, restore } from "#server/backup/backup";
import { createOwner } from "#server/owner/owner";
import { findIntegrityFaults } from "../../../tests/store/integrity.ts";
import type { Attack } from "../attack.ts";
import { toStoreLocation } from "../served.ts";
import { createTrials, type Trials } from "../trials.ts";
import { emptyDatabase } from "./empty-place.ts";

/** Vaults that older versions wrote are opened, backed up, restored on the other engine, and moved back. */

const origin = "http://127.0.0.1:7663";

export const movedBackups: Attack = {
  name: "moving old vaults to the other engine and back",
  engines: ["postgres"],
  async run(target) {
    const trials = createTrials();
    for (const [n, name] of goldenNames.entries()) {
      const place = (part: string): string => join(target.dataDir, `${n}-${part}`);
      mkdirSync(place("old"));
      await copyGolden(name, { dataDir: place("old") });
      await createBackup({ dataDir: place("old") }, place("1.pdpp"));
      const old = await readClients({ dataDir: place("old") }, name, undefined);

      await emptyDatabase(target);
      const shared = { ...target, dataDir: place("shared") };
      await restore(toStoreLocation(shared), place("1.pdpp"), []);
      await compare(trials, `${name} on PostgreSQL`, toStoreLocation(shared), name, old);
      await createBackup(toStoreLocation(shared), place("2.pdpp"));
      const back = { dataDir: place("back") };
      await restore(back, place("2.pdpp"), []);
      await compare(trials, `${name} and back`, back, name, old);
    }
    return trials.conclude(
      `comparisons with what clients read before, of ${goldenNames.length} old vaults, were equal`,
    );
  },
};

/** What each of the vault's clients reads, as the records only. */
async function readClients(
  place: StoreLocation,
  name: string,
  onStore?: (store: Awaited<ReturnType<typeof openStore>>) => Promise<void>,
): Promise<string[]> {
  const store = await openStore(place);
  try {
    await store.reindex();
    const app = createApp({ store });
    const texts: string[] = [];
    for (const { token } of readGoldenContents(name).clients) {
      const answer = await app.fetch(
        new Request(`${origin}/v1/export`, { headers: { authorization: `Bearer ${token}` } }),
      );
      const text = await answer.text();
      texts.push(`${answer.status} ${answer.status === 200 ? text : ""}`);
    }
    await onStore?.(store);
    return texts;
  } finally {
    await store.close();
  }
}

async function compare(
  trials: Trials,
  what: string,
  place: StoreLocation,
  name: string,
  before: readonly string[],
): Promise<void> {
  const after = await readClients(place, name, async (store) => {
    trials.note(`${what}: the vault is intact`, (await findIntegrityFaults(store)).length === 0);
    const { valid } = await createOwner({ store, ownerNo: 1, now: Date.now }).log.verify();
    trials.note(`${what}: the log is intact`, valid);
  });
  for (const [client, text] of before.entries()) trials.note(`${what}: client ${client}`, after[client] === text);
}
