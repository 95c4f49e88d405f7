import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OwnerApi } from "@pdpp/contract/owner";
import { maxSavedSearches } from "@pdpp/contract/searches";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything } from "@pdpp/test-support/vaults/sample";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBackup, restore } from "#server/backup/backup";
import { addOwner, findOwner, removeOwner } from "#server/owner/owners";
import { dumpEverything } from "../store/vault.ts";

const now = Date.parse("2026-11-18T09:00:00Z");

describe.each(engineNames)("saved searches, on %s", (engine) => {
  let vault: TestVault;
  let owner: OwnerApi;
  let at = now;
  const openOwner = (ownerNo = 1): OwnerApi => createOwner({ store: vault.store, ownerNo, now: () => at });
  beforeEach(async () => {
    vault = await createVault(engine);
    at = now;
    await createSample(vault);
    owner = openOwner();
  });
  afterEach(() => vault.drop());

  it("[CSL-130] saves, renames and removes searches, newest first", async () => {
    const first = await owner.searches.save("  Boiler ", { q: "boiler", source: "chat_home", since: "" });
    expect(first).toMatchObject({ name: "Boiler", question: { q: "boiler", source: "chat_home" } });
    at += 1000;
    const second = await owner.searches.save("Offers", { q: "offer", order: "date", time: "words" });
    expect(await owner.searches.list()).toEqual([second, first]);
    expect(await owner.searches.rename(first.id, "The boiler")).toMatchObject({ id: first.id, name: "The boiler" });
    await owner.searches.remove(second.id);
    expect((await owner.searches.list()).map(({ name }) => name)).toEqual(["The boiler"]);
    await expect(owner.searches.rename(second.id, "x")).rejects.toThrow("doesn't exist");
    await expect(owner.searches.remove(second.id)).rejects.toThrow("doesn't exist");
  });

  it("[CSL-130] changes the name of a question that is saved already, also when sent twice at once", async () => {
    await Promise.all(["One", "Two"].map((name) => owner.searches.save(name, { q: "boiler", stream: "messages" })));
    expect(await owner.searches.list()).toHaveLength(1);
    await owner.searches.save("Three", { q: "boiler" });
    expect(await owner.searches.list()).toHaveLength(2);
  });

  it("[CSL-130] rejects what is empty, too long or too many", async () => {
    for (const [name, q] of [
      ["", "boiler"],
      ["x".repeat(201), "boiler"],
      ["Boiler", " "],
      ["Boiler", "x".repeat(2001)],
    ] as const)
      await expect(owner.searches.save(name, { q })).rejects.toMatchObject({ code: "invalid_argument" });
    for (let n = 0; n < maxSavedSearches; n += 1) await owner.searches.save(`S${n}`, { q: `word${n}` });
    await expect(owner.searches.save("One more", { q: "more" })).rejects.toThrow("at most 100 searches");
    await owner.searches.save("Renamed", { q: "word7" });
    expect(await owner.searches.list()).toHaveLength(maxSavedSearches);
  });

  it("[CSL-150] keeps them from other owners, from agents and from the log", async () => {
    await owner.searches.save("zqxname", { q: "zqxwords" });
    await addOwner(vault.store, "second", now);
    const second = openOwner(await findOwner(vault.store, "second"));
    expect(await second.searches.list()).toEqual([]);
    const [mine] = await owner.searches.list();
    await expect(second.searches.rename(mine!.id, "x")).rejects.toThrow("doesn't exist");
    await expect(second.searches.remove(mine!.id)).rejects.toThrow("doesn't exist");
    const { grants } = await owner.grants.issue({ ...everything, client: { name: "Reader" } });
    const reader = await owner.grants.reader(grants[0]!.grant_id);
    const exported: string[] = [];
    for await (const record of reader.export({})) exported.push(JSON.stringify(record));
    for await (const record of (await owner.reader()).export({})) exported.push(JSON.stringify(record));
    const seen = [exported, await reader.schema({}), await reader.streams({})];
    for (const each of [reader, await owner.reader()]) expect((await each.search({ q: "zqxwords" })).data).toEqual([]);
    const log = await owner.log.read({ limit: 1000 });
    expect(log.map(({ operation }) => operation)).toContain("search.save");
    expect(JSON.stringify([seen, log])).not.toMatch(/zqx/);
  });

  it("[CSL-150] deletes those of a deleted source, and all with everything or with the owner", async () => {
    await owner.searches.save("zqxhome", { q: "zqxone", source: "chat_home" });
    await owner.searches.save("zqxall", { q: "zqxtwo" });
    await owner.connections.remove("chat_home");
    expect((await owner.searches.list()).map(({ name }) => name)).toEqual(["zqxall"]);
    await owner.erase();
    expect(await owner.searches.list()).toEqual([]);
    await addOwner(vault.store, "second", now);
    const secondNo = await findOwner(vault.store, "second");
    await openOwner(secondNo).searches.save("zqxsecond", { q: "zqxthree" });
    await removeOwner(vault.store, "second", now);
    expect(await openOwner(secondNo).searches.list()).toEqual([]);
    await vault.reopen();
    if (engine === "sqlite") expect(/zqx\w+/.exec(await dumpEverything(vault))?.[0]).toBeUndefined();
  });

  it("[CSL-150] are in a backup", async () => {
    const saved = await owner.searches.save("Boiler", { q: "boiler", until: "2026-01-01" });
    const home = mkdtempSync(join(tmpdir(), "pdpp-searches-"));
    try {
      const file = join(home, "vault.pdpp");
      await createBackup(vault, file);
      await restore({ dataDir: join(home, "restored") }, file, []);
      const store = await openStore({ dataDir: join(home, "restored") });
      try {
        expect(await createOwner({ store, ownerNo: 1, now: () => now }).searches.list()).toEqual([saved]);
      } finally {
        await store.close();
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
