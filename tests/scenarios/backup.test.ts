import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, type EngineName, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBackup, restore, verifyBackup } from "#server/backup/backup";
import { listRevocations, readRevocations } from "#server/store/access/revocations";
import { raw, sql } from "#server/store/engine/sql";
import { getTables } from "#server/store/engine/tables";
import { type LoadedVault, loadVault, readText, wrapVault } from "../model/loaded-vault.ts";
import { createTally } from "../walker/client.ts";
import { proveLoaded } from "../walker/prove.ts";
import { buildHostileVault, drawHostileBlueprint, type HostileVault } from "../walker/vaults/hostile-vault.ts";

let folder: string;
let hostile: HostileVault;
const sources = new Map<EngineName, { vault: LoadedVault; token: string; file: string; rows: Rows }>();

const getSource = (engine: EngineName) => sources.get(engine)!;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pdpp-backups-"));
  const [blueprint] = fc.sample(drawHostileBlueprint(30), { seed: 5, numRuns: 1 });
  hostile = buildHostileVault(blueprint!);
  for (const engine of engineNames) {
    const vault = await loadVault(engine, hostile.spec);
    const { token } = await vault.issue(hostile.grants[0]!);
    await vault.get(token, "/v1/streams");
    const file = join(folder, `${engine}.backup`);
    await vault.flushLog();
    await createBackup(vault.place, file);
    sources.set(engine, { vault, token, file, rows: await readRows(vault) });
  }
});
afterAll(async () => {
  for (const { vault } of sources.values()) await vault.drop();
  rmSync(folder, { recursive: true, force: true });
});

type Rows = Map<string, string[]>;

/**
 * Reads every row of every table except blob chunks, which only one engine has, and the revision of access, which restoring changes as every
 * other write to tokens and grants does.
 */
async function readRows({ store: { engine } }: Pick<TestVault, "store">): Promise<Rows> {
  return engine.read(async (on) => {
    const tables = (await getTables(engine.dialect).list(on)).filter(({ name }) => name !== "blob_chunk");
    const found = new Map<string, string[]>();
    for (const { name, columns } of tables) {
      const rows = await on.all<Record<string, unknown>>(raw(`SELECT * FROM ${name}`));
      const texts = rows.map((row) => JSON.stringify(columns.map((column) => shown(row[column.name]))));
      found.set(name, texts.filter((text) => !text.startsWith('["access_revision",')).sort());
    }
    return found;
  });
}
const shown = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value);

function hasSameContent(changed: Buffer, whole: Buffer): boolean {
  try {
    return zstdDecompressSync(changed).equals(zstdDecompressSync(whole));
  } catch {
    return false;
  }
}

const pairs = engineNames.flatMap((from) => engineNames.map((to) => [from, to] as const));

describe("a backup", () => {
  it.each(pairs)(
    "[BAK-1] restores %s into %s as the same vault, row for row, and can be walked completely",
    async (from, to) => {
      const { vault, token, file, rows: before } = getSource(from);
      const restored = await createVault(to, undefined, async (place) => void (await restore(place, file, [])));
      try {
        const after = await readRows(restored);
        expect([...after.keys()]).toEqual([...before.keys()]);
        for (const [name, rows] of before) expect([name, after.get(name)]).toEqual([name, rows]);
        const loaded = wrapVault(restored);
        expect(readText(await loaded.get(token, "/v1/export"))).toBe(readText(await vault.get(token, "/v1/export")));
        if (from !== to || chooseRuns(0, 1) === 1)
          await proveLoaded(loaded, { ...hostile, grants: hostile.grants.slice(0, 1) }, createTally());
      } finally {
        await restored.drop();
      }
    },
  );

  it.each(engineNames)(
    "[BAK-1] is readable only by its owner and can be verified on its own, from %s",
    async (engine) => {
      const { file } = getSource(engine);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { header, ...counts } = await verifyBackup(file);
      expect(header).toMatchObject({ pdpp_backup: 1, engine });
      expect(counts).toMatchObject({ blobs: hostile.spec.blobs.length, blobsMissing: 0 });
      await expect(createBackup(getSource(engine).vault.place, file)).rejects.toThrow(
        /already exists; choose another name/,
      );
    },
  );

  it.each(engineNames)("[BAK-1] holds one consistent snapshot of %s during writes", async (engine) => {
    const vault = await createVault(engine);
    const file = join(folder, `${engine}-busy.backup`);
    const note = (n: number) => sql`INSERT INTO meta VALUES (${`note ${String(n).padStart(6, "0")}`}, '')`;
    try {
      await vault.store.engine.write(async (on) => {
        for (let n = 0; n < 3000; n += 1) await on.run(note(n));
      });
      let isDone = false;
      const backing = createBackup(vault, file).finally(() => {
        isDone = true;
      });
      let written = 3000;
      for (; !isDone; written += 2) {
        const pair = [note(written), note(written + 1)];
        await vault.store.engine.write(async (on) => {
          for (const each of pair) await on.run(each);
        });
        // SQLite writes are synchronous, so yield to the backup.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await backing;
      const restored = await createVault(engine, undefined, async (place) => void (await restore(place, file, [])));
      const notes = (await readRows(restored)).get("meta")?.filter((row) => row.includes("note")) ?? [];
      await restored.drop();
      expect(written).toBeGreaterThan(3000);
      expect(notes.length % 2).toBe(0);
      expect(notes.at(-1)).toContain(`note ${String(notes.length - 1).padStart(6, "0")}`);
    } finally {
      await vault.drop();
    }
  });

  it("[BAK-2] rejects a changed byte or a truncation anywhere, and restores nothing", async () => {
    const whole = readFileSync(getSource("sqlite").file);
    const file = join(folder, "damaged.backup");
    const dataDir = join(folder, "never");
    const count = chooseRuns(10, 60);
    const places = Array.from({ length: count }, (_, n) => Math.floor((n * (whole.length - 1)) / (count - 1)));
    for (const place of places) {
      const bytes = Buffer.from(whole);
      bytes[place] = bytes[place]! ^ 0x40;
      writeFileSync(file, bytes);
      // Some bits do not affect decompression, so the file still holds the same data.
      if (!hasSameContent(bytes, whole)) {
        await expect(restore({ dataDir }, file, []), `byte ${place}`).rejects.toThrow(
          /has been changed|is truncated|is not a pdpp backup|newer pdpp|does not start/,
        );
      }
      writeFileSync(file, whole.subarray(0, place));
      await expect(verifyBackup(file), `cut at ${place}`).rejects.toThrow(/truncated|is not a pdpp backup/);
      await expect(restore({ dataDir }, file, []), `cut at ${place}`).rejects.toThrow(/truncated|is not a pdpp backup/);
      expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([]);
    }
  });

  it("[BAK-2] leaves the database empty when it is truncated, and the restore can be repeated", async () => {
    const { file } = getSource("postgres");
    const half = join(folder, "half.backup");
    const bytes = readFileSync(file);
    writeFileSync(half, bytes.subarray(0, Math.floor(bytes.length * 0.9)));
    const restored = await createVault("postgres", undefined, async (place) => {
      await expect(restore(place, half, [])).rejects.toThrow(/truncated/);
      await restore(place, file, []);
      await expect(restore(place, file, [])).rejects.toThrow(/that database already contains a vault/);
    });
    await restored.drop();
  });

  it("[BAK-2] cannot be restored into an existing vault", async () => {
    const { vault } = getSource("sqlite");
    const before = await readRows(vault);
    await expect(restore(vault.place, getSource("postgres").file, [])).rejects.toThrow(/already contains a vault/);
    expect(await readRows(vault)).toEqual(before);
  });

  it("[BAK-3] needs its passphrase to be read", async () => {
    const { vault } = getSource("sqlite");
    const file = join(folder, "locked.backup");
    await createBackup(vault.place, file, { passphrase: "correct horse" });
    expect(readFileSync(file).subarray(0, 21).toString()).toBe("age-encryption.org/v1");
    await expect(verifyBackup(file)).rejects.toThrow(/is encrypted/);
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.from([1, 2, 3]), 0, 3, statSync(file).size - 40);
    closeSync(handle);
    await expect(verifyBackup(file, { passphrase: "correct horse" })).rejects.toThrow(/changed or truncated/);
  });
});

describe("a revocation after a backup", () => {
  it("[BAK-4] stays in effect when the backup replaces the vault", async () => {
    const vault = await createVault("sqlite");
    const dataDir = join(folder, "replaced");
    const file = join(folder, "older.backup");
    try {
      await restore({ dataDir }, getSource("sqlite").file, []);
      const place = { dataDir };
      const held = await createVaultAt(place);
      const { token, package_id: packed } = await wrapVault(held).issue(hostile.grants[0]!);
      const owner = createOwner({ store: held.store, ownerNo: 1, now: Date.now });
      const own = await owner.tokens.create({ name: "script" });
      await createBackup(place, file);
      await owner.grants.revoke(packed!);
      await owner.tokens.revoke(own.token_id);
      const revoked = await held.store.engine.read(listRevocations);
      await held.store.close();
      expect(statSync(join(dataDir, "revocations.ndjson")).mode & 0o777).toBe(0o600);
      rmSync(join(dataDir, "vault.db"));
      expect(await restore(place, file, [])).toMatchObject({ revokedAgain: 2 });
      const again = await createVaultAt(place);
      expect((await wrapVault(again).get(token, "/v1/streams")).status).toBe(403);
      expect((await wrapVault(again).get(own.token, "/v1/streams")).status).toBe(401);
      await again.store.close();
      const elsewhere = await createVault("postgres", undefined, async (to) => void (await restore(to, file, revoked)));
      expect((await wrapVault(elsewhere).get(token, "/v1/streams")).status).toBe(403);
      await elsewhere.drop();
    } finally {
      await vault.drop();
    }
  });

  it("[BAK-4] keeps every other journal line when a crash truncates one", async () => {
    const dataDir = join(folder, "torn");
    await restore({ dataDir }, getSource("sqlite").file, []);
    const journal = join(dataDir, "revocations.ndjson");
    writeFileSync(journal, '{"owner_no":1,"id":"grt_a","revoked_at":1}\n{"owner_no":1,"id":"gr');
    const held = await createVaultAt({ dataDir });
    await held.store.noteRevoked(1, "grt_b", 2);
    await held.store.close();
    expect((await readRevocations(journal)).map(({ id }) => id)).toEqual(["grt_a", "grt_b"]);
  });
});

async function createVaultAt({ dataDir }: { dataDir: string }): Promise<TestVault> {
  const { openStore } = await import("@pdpp/server/store/store");
  const store = await openStore({ dataDir });
  return { store, dataDir, reopen: async () => undefined, drop: () => store.close() };
}
