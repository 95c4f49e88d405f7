import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackup, restore } from "@pdpp/server/backup/backup";
import { createOwner } from "@pdpp/server/owner/owner";
import { addOwner, findOwner, removeOwner } from "@pdpp/server/owner/owners";
import { openStore } from "@pdpp/server/store/store";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Credentials, openCredentials } from "#collecting/credentials/credentials";
import type { Keychain } from "#collecting/credentials/keychain";
import type { KeyOptions } from "#collecting/credentials/keys";
import { raw, sql } from "#server/store/engine/sql";
import { dumpEverything } from "../../store/vault.ts";
import { createWorld, type World } from "../connector.ts";

const password = "swordfish-canary-4711";

/** The password in the encodings in which it could be stored. */
const listForms = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
];

describe.each(engineNames)("saved credentials, on %s", (engine) => {
  let vault: TestVault;
  let world: World;
  let folder: string;
  let options: KeyOptions;
  let credentials: Credentials;
  beforeEach(async () => {
    vault = await createVault(engine);
    world = await createWorld(vault);
    folder = mkdtempSync(join(tmpdir(), "pdpp-keys-"));
    options = { keyFolder: join(folder, "keys"), openKeychain: async () => undefined };
    credentials = openCredentials(world.owner, options);
  });
  afterEach(async () => {
    await vault.drop();
    for (const path of [folder, world.folder]) rmSync(path, { recursive: true, force: true });
  });

  const reopen = (more: Partial<KeyOptions> = {}) => openCredentials(world.owner, { ...options, ...more });
  const addSource = (id: string) =>
    world.owner.sources.add({ source_id: id, kind: "connector", connection_id: "sample", settings: {} });
  const count = (table: string): Promise<number> =>
    vault.store.engine.read(async (on) =>
      Number((await on.one<{ n: number }>(raw(`SELECT count(*) AS n FROM ${table}`)))?.n),
    );

  it("[COL-50] are loaded again, and are nowhere in the vault", async () => {
    expect(await credentials.describeKey()).toBeUndefined();
    expect(await credentials.load("sample")).toEqual({});
    await credentials.save("sample", { SAMPLE_KEY: password, SAMPLE_USER: "ada" });
    expect(await reopen().load("sample")).toEqual({ SAMPLE_KEY: password, SAMPLE_USER: "ada" });
    const everything = await dumpEverything(vault);
    for (const form of listForms(password)) expect(everything).not.toContain(form);
    const [file] = readdirSync(options.keyFolder);
    expect(statSync(join(options.keyFolder, String(file))).mode & 0o777).toBe(0o600);
    expect(statSync(options.keyFolder).mode & 0o777).toBe(0o700);
    expect(everything).not.toContain(readFileSync(join(options.keyFolder, String(file)), "utf8").trim());
    await expect(credentials.load("nothing")).rejects.toMatchObject({ code: "not_found" });
    await expect(credentials.save("nothing", {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("[COL-50] open only where they were sealed, and unchanged", async () => {
    await addSource("other");
    await credentials.save("sample", { SAMPLE_KEY: password });
    await credentials.save("other", { SAMPLE_KEY: "another" });
    const change = (statement: ReturnType<typeof sql>) => vault.store.engine.write((on) => on.run(statement));
    const sealed = (await world.owner.secrets.get("sample"))?.sealed ?? "";
    await change(sql`UPDATE source_secret SET sealed = ${sealed} WHERE source_id = 'other'`);
    await expect(reopen().load("other")).rejects.toThrow("are damaged");
    const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
    await change(sql`UPDATE source_secret SET sealed = ${changed} WHERE source_id = 'sample'`);
    await expect(reopen().load("sample")).rejects.toThrow("are damaged");
    // As if another owner had copied the row, with the key.
    await addOwner(vault.store, "bert", Date.now());
    const bert = createOwner({ store: vault.store, ownerNo: await findOwner(vault.store, "bert"), now: Date.now });
    await bert.connections.add({ connector_key: "sample", connection_id: "sample" });
    await bert.sources.add({ source_id: "sample", kind: "connector", connection_id: "sample", settings: {} });
    const bertNo = await bert.secrets.getOwner();
    await change(sql`INSERT INTO source_key SELECT ${bertNo}, key_id, protection, salt, check_text FROM source_key`);
    await change(
      sql`INSERT INTO source_secret SELECT ${bertNo}, source_id, key_id, ${sealed}, saved_at FROM source_secret WHERE source_id = 'sample'`,
    );
    await expect(openCredentials(bert, options).load("sample")).rejects.toThrow("is damaged");
  });

  it("[COL-51] need their key file: a lost one is named and never replaced", async () => {
    await credentials.save("sample", { SAMPLE_KEY: password });
    expect(await credentials.describeKey()).toMatchObject({ protection: "file" });
    const [file] = readdirSync(options.keyFolder);
    rmSync(join(options.keyFolder, String(file)));
    await expect(reopen().load("sample")).rejects.toThrow(`cannot be read (ENOENT): file ${options.keyFolder}`);
    await expect(reopen().save("sample", { SAMPLE_KEY: "new" })).rejects.toThrow("cannot be read (ENOENT)");
    expect(readdirSync(options.keyFolder)).toEqual([]);
    writeFileSync(join(options.keyFolder, String(file)), `${"A".repeat(43)}\n`);
    await expect(reopen().load("sample")).rejects.toThrow("is damaged");
    // The owner gives up the old ones.
    await world.owner.secrets.forget();
    expect(await world.owner.sources.get("sample")).toMatchObject({ needs: "credentials", sign_in: "password" });
    await reopen().save("sample", { SAMPLE_KEY: "new" });
    expect(await reopen().load("sample")).toEqual({ SAMPLE_KEY: "new" });
  });

  it("[COL-51] are sealed by a passphrase that the owner chose", async () => {
    const withPassphrase = (passphrase: string) => reopen({ getPassphrase: async () => passphrase });
    await reopen({ protection: "passphrase", getPassphrase: async () => "correct horse" }).save("sample", {
      SAMPLE_KEY: password,
    });
    expect(existsSync(options.keyFolder)).toBe(false);
    expect(await withPassphrase("correct horse").load("sample")).toEqual({ SAMPLE_KEY: password });
    await expect(withPassphrase("wrong").load("sample")).rejects.toThrow("wrong passphrase");
    await expect(reopen().load("sample")).rejects.toMatchObject({
      details: { next_step: expect.stringContaining("PDPP_SOURCE_PASSPHRASE_FILE") },
    });
    await expect(reopen({ protection: "file" }).save("sample", {})).rejects.toThrow("sealed with a passphrase");
  });

  it("[COL-51] are sealed by a key in the keychain if there is one, and only there from then on", async () => {
    const held = new Map<string, string>();
    const keychain: Keychain = {
      get: async (name) => held.get(name) ?? null,
      set: async (name, value) => void held.set(name, value),
      delete: async (name) => void held.delete(name),
    };
    const withKeychain = () => reopen({ openKeychain: async () => keychain });
    await withKeychain().save("sample", { SAMPLE_KEY: password });
    expect(await withKeychain().describeKey()).toMatchObject({ protection: "keychain" });
    expect([held.size, existsSync(options.keyFolder)]).toEqual([1, false]);
    expect(await withKeychain().load("sample")).toEqual({ SAMPLE_KEY: password });
    await expect(reopen().save("sample", {})).rejects.toThrow("cannot be read: the system's keychain");
    expect(existsSync(options.keyFolder)).toBe(false);
  });

  it("[COL-51] have one key when two processes save the first ones at the same time", async () => {
    await addSource("other");
    await Promise.all([
      reopen().save("sample", { SAMPLE_KEY: password }),
      reopen().save("other", { SAMPLE_KEY: "another" }),
    ]);
    expect(await count("source_key")).toBe(1);
    expect(await reopen().load("sample")).toEqual({ SAMPLE_KEY: password });
    expect(await reopen().load("other")).toEqual({ SAMPLE_KEY: "another" });
  });

  it("[COL-58] are replaced within a run, but not over newer ones, nor by a run that lost its lease", async () => {
    await credentials.save("sample", { SAMPLE_KEY: password });
    const before = await credentials.open("sample");
    if (before === undefined) throw new Error("nothing was saved");
    const renewed = { method: "password", values: { SAMPLE_KEY: "renewed" } } as const;
    const { run_id: runId } = await world.owner.sources.beginRun("sample", { mode: "incremental", version: "1" });
    expect(await credentials.refresh(runId, before, renewed)).toBe(true);
    expect(await credentials.refresh(runId, before, { ...renewed, values: {} })).toBe(false);
    expect(await reopen().load("sample")).toEqual(renewed.values);
    const current = await credentials.open("sample");
    await vault.store.engine.write((on) => on.run(raw("UPDATE source SET lease_id = 'run_other'")));
    await expect(credentials.refresh(runId, current ?? before, { ...renewed, values: {} })).rejects.toThrow(
      "another run of source sample has started",
    );
    expect(await reopen().load("sample")).toEqual(renewed.values);
  });

  it("[COL-61] can be moved to another key, all or none", async () => {
    await addSource("other");
    await credentials.save("sample", { SAMPLE_KEY: password });
    await credentials.save("other", { SAMPLE_KEY: "another" });
    const getPassphrase = async () => "correct horse";
    const moved = await credentials.protectWith("passphrase", { getPassphrase });
    expect(moved).toMatchObject({ protection: "passphrase", place: "a passphrase" });
    expect(await reopen({ getPassphrase }).load("other")).toEqual({ SAMPLE_KEY: "another" });
    await expect(reopen().load("sample")).rejects.toThrow("sealed with a passphrase");
    const back = await reopen({ getPassphrase }).protectWith("file");
    expect(await reopen().load("sample")).toEqual({ SAMPLE_KEY: password });
    expect(await credentials.describeKey()).toEqual(back);
    // A damaged one stops the move.
    await vault.store.engine.write((on) =>
      on.run(raw("UPDATE source_secret SET sealed = 'v1.x' WHERE source_id = 'other'")),
    );
    await expect(reopen().protectWith("passphrase", { getPassphrase })).rejects.toThrow("are damaged");
    expect(await reopen().load("sample")).toEqual({ SAMPLE_KEY: password });
  });

  it("[COL-52] are deleted with their source, its connection, everything, or the owner", async () => {
    const signIn = () => credentials.save("sample", { SAMPLE_KEY: password });
    await signIn();
    await credentials.remove("sample");
    expect(await credentials.load("sample")).toEqual({});
    expect((await world.owner.sources.get("sample")).sign_in).toBeUndefined();
    await signIn();
    await world.owner.sources.remove("sample");
    expect(await count("source_secret")).toBe(0);
    await addSource("sample");
    await signIn();
    await world.owner.connections.remove("sample");
    expect(await count("source_secret")).toBe(0);
    await world.owner.sources.add({ source_id: "sample", kind: "folder", settings: {} });
    await signIn();
    await world.owner.erase();
    expect([await count("source_secret"), await count("source_key")]).toEqual([0, 0]);
    await addOwner(vault.store, "bert", Date.now());
    const bert = createOwner({ store: vault.store, ownerNo: await findOwner(vault.store, "bert"), now: Date.now });
    await bert.sources.add({ source_id: "folder", kind: "folder", settings: {} });
    await openCredentials(bert, options).save("folder", { SAMPLE_KEY: password });
    await removeOwner(vault.store, "bert", Date.now());
    expect([await count("source_secret"), await count("source_key"), await count("source")]).toEqual([0, 0, 0]);
  });

  it("[COL-52] are in no backup, and a restored source asks for them", async () => {
    await credentials.save("sample", { SAMPLE_KEY: password });
    expect((await world.owner.sources.get("sample")).needs).toBeUndefined();
    const location = { dataDir: vault.dataDir, ...(vault.databaseUrl && { databaseUrl: vault.databaseUrl }) };
    const sealed = (await world.owner.secrets.get("sample"))?.sealed ?? "";
    for (const passphrase of [undefined, "correct horse"]) {
      const file = join(folder, `backup-${passphrase ? "encrypted" : "plain"}.pdpp`);
      await createBackup(location, file, { passphrase });
      const dataDir = join(folder, `restored-${passphrase ? "encrypted" : "plain"}`);
      await restore({ dataDir }, file, [], { passphrase });
      const store = await openStore({ dataDir });
      try {
        const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
        expect(await owner.sources.get("sample")).toMatchObject({ needs: "credentials", sign_in: "password" });
        expect([await owner.secrets.list(), await owner.secrets.getKey()]).toEqual([[], undefined]);
        for (const name of readdirSync(dataDir))
          expect(readFileSync(join(dataDir, name)).includes(sealed.slice(3, 20)), name).toBe(false);
        const again = openCredentials(owner, options);
        await again.save("sample", { SAMPLE_KEY: "new" });
        expect((await owner.sources.get("sample")).needs).toBeUndefined();
      } finally {
        await store.close();
      }
    }
  });
});
