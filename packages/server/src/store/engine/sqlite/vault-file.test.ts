import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { runNode } from "@pdpp/test-support/processes/run-node";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "../engine.ts";
import { raw } from "../sql.ts";
import { openSqlite } from "./engine.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pdpp-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fileIn = (name: string): string => {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name, "vault.db");
};

async function written(name: string) {
  const engine = openSqlite(fileIn(name));
  await engine.write((on) => on.run(raw("CREATE TABLE note (words TEXT)")));
  await engine.write((on) => on.run(raw("INSERT INTO note VALUES ('kept')")));
  return engine;
}

/** Leaves the vault as a killed process does. */
async function killWriter(name: string): Promise<void> {
  await (await written(name)).close();
  const script = fileURLToPath(new URL("../../../../../../tests/support/processes/killed-opener.ts", import.meta.url));
  await runNode([script, fileIn(name)]);
  expect(existsSync(`${fileIn(name)}-wal`)).toBe(true);
}

/** A read that lasts until `finish` is called. */
function readUntilTold(engine: Engine, weight: "light" | "heavy") {
  const begun = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const reading = engine.read(async (on) => {
    begun.resolve();
    await told.promise;
    return on.all(raw("SELECT words FROM note"));
  }, weight);
  return { reading, begun: begun.promise, finish: told.resolve };
}

async function notesIn(name: string): Promise<unknown[]> {
  const engine = openSqlite(fileIn(name));
  try {
    return await engine.read((on) => on.all(raw("SELECT words FROM note")));
  } finally {
    await engine.close();
  }
}

it("[KEEP-4] opens a copy of an open vault without its log for reading only, and says what is missing", async () => {
  const open = await written("open");
  await open.reclaimSpace();
  await open.write((on) => on.run(raw("INSERT INTO note VALUES ('newer')")));
  const copy = fileIn("copy");
  copyFileSync(fileIn("open"), copy);
  const engine = openSqlite(copy);
  expect(engine.readOnly?.reason).toMatch(/copy\/vault\.db lacks .*copy\/vault\.db-wal/);
  expect(await engine.read((on) => on.all(raw("SELECT words FROM note")))).toEqual([{ words: "kept" }]);
  expect(await engine.read((on) => on.all(raw("SELECT words FROM note")), "heavy")).toEqual([{ words: "kept" }]);
  await expect(engine.write((on) => on.run(raw("DELETE FROM note")))).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/open for reading only.*vault\.db-wal/),
    details: { next_step: expect.stringContaining("touch") },
  });
  await engine.close();
  expect(readdirSync(join(folder, "copy"))).toEqual(["vault.db"]);
  copyFileSync(`${fileIn("open")}-wal`, `${copy}-wal`);
  expect(await notesIn("copy")).toEqual([{ words: "kept" }, { words: "newer" }]);
  await open.close();
});

it("[KEEP-4] opens a vault whose log was deleted for reading only", async () => {
  await killWriter("killed");
  rmSync(`${fileIn("killed")}-wal`);
  const engine = openSqlite(fileIn("killed"));
  expect(engine.readOnly?.reason).toContain("vault.db-wal");
  await engine.close();
});

it("[KEEP-6] opens after a crash, even if another SQLite program opened the file since", async () => {
  await killWriter("killed");
  const db = new DatabaseSync(fileIn("killed"));
  expect(db.prepare("SELECT count(*) AS n FROM note").get()).toEqual({ n: 2 });
  db.close();
  expect(existsSync(`${fileIn("killed")}-wal`)).toBe(false);
  expect(await notesIn("killed")).toEqual([{ words: "kept" }, { words: "killed" }]);
  expect(readdirSync(join(folder, "killed"))).toEqual(["vault.db"]);
});

it("[KEEP-6] waits for running reads when it closes, and refuses new ones", async () => {
  for (const weight of ["light", "heavy"] as const) {
    const engine = await written(weight);
    const { reading, begun, finish } = readUntilTold(engine, weight);
    await begun;
    const closing = engine.close();
    await expect(engine.read((on) => on.all(raw("SELECT 1")), weight)).rejects.toMatchObject({ code: "unavailable" });
    finish();
    expect(await reading).toEqual([{ words: "kept" }]);
    await closing;
    expect(readdirSync(join(folder, weight))).toEqual(["vault.db"]);
  }
});

it("[KEEP-6] closes without a read that never ends", async () => {
  const file = fileIn("stuck");
  await (await written("stuck")).close();
  const engine = openSqlite(file, { closeWaitMs: 50 });
  const { reading, begun, finish } = readUntilTold(engine, "light");
  await begun;
  await engine.close();
  finish();
  await expect(reading).rejects.toMatchObject({ code: "unavailable" });
  expect(readdirSync(join(folder, "stuck"))).toEqual(["vault.db"]);
  expect(await notesIn("stuck")).toEqual([{ words: "kept" }]);
});

it("[KEEP-4] leaves a closed vault as one file that can be copied", async () => {
  await (await written("closed")).close();
  expect(readdirSync(join(folder, "closed"))).toEqual(["vault.db"]);
  copyFileSync(fileIn("closed"), fileIn("copy"));
  expect(await notesIn("copy")).toEqual([{ words: "kept" }]);
});

it("[KEEP-4] keeps the log while another process or store has the vault open", async () => {
  const first = await written("shared");
  const second = openSqlite(fileIn("shared"));
  await first.close();
  expect(existsSync(`${fileIn("shared")}-wal`)).toBe(true);
  await second.write((on) => on.run(raw("INSERT INTO note VALUES ('later')")));
  await second.close();
  expect(readdirSync(join(folder, "shared"))).toEqual(["vault.db"]);
  expect(await notesIn("shared")).toEqual([{ words: "kept" }, { words: "later" }]);
});

it("[KEEP-4] opens while many processes open and close it at the same time", async () => {
  await (await written("busy")).close();
  const script = fileURLToPath(new URL("../../../../../../tests/support/processes/reopen-vault.ts", import.meta.url));
  const ran = await Promise.all(Array.from({ length: 6 }, () => runNode([script, fileIn("busy"), "60"])));
  expect(ran.map(({ stderr }) => stderr.replaceAll(/^\(.*\n/gm, ""))).toEqual(["", "", "", "", "", ""]);
  expect(readdirSync(join(folder, "busy"))).toEqual(["vault.db"]);
  expect(await notesIn("busy")).toEqual([{ words: "kept" }]);
});

it("[KEEP-4] leaves one file when several processes close it at the same time", async () => {
  await (await written("busy")).close();
  mkdirSync(join(folder, "meeting"));
  const script = fileURLToPath(new URL("../../../../../../tests/support/processes/close-together.ts", import.meta.url));
  const args = [script, fileIn("busy"), join(folder, "meeting"), "3", "40"];
  const ran = await Promise.all(["yes", "no", "no"].map((IS_FIRST) => runNode(args, { IS_FIRST })));
  expect(ran.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, ""],
    [0, ""],
    [0, ""],
  ]);
});

it("[KEEP-4] rejects an empty file, and leaves it unchanged", () => {
  const file = fileIn("empty");
  writeFileSync(file, "");
  expect(() => openSqlite(file)).toThrow(/is empty \(0 bytes\)/);
  expect(readdirSync(join(folder, "empty"))).toEqual(["vault.db"]);
});

it("[KEEP-4] opens without its log if an empty log confirms that it is lost", async () => {
  const open = await written("open");
  await open.reclaimSpace();
  copyFileSync(fileIn("open"), fileIn("copy"));
  writeFileSync(`${fileIn("copy")}-wal`, "");
  expect(await notesIn("copy")).toEqual([{ words: "kept" }]);
  await open.close();
});

it.skipIf(process.platform === "win32")(
  "[KEEP-5] makes its files readable by their owner only, in any folder",
  async () => {
    mkdirSync(join(folder, "loose"), { mode: 0o755 });
    const before = process.umask(0o022);
    const open = await written("loose");
    try {
      const modes = readdirSync(join(folder, "loose")).map((name) => [
        name,
        statSync(join(folder, "loose", name)).mode & 0o777,
      ]);
      expect(modes.sort()).toEqual([
        ["vault.db", 0o600],
        ["vault.db-place", 0o600],
        ["vault.db-shm", 0o600],
        ["vault.db-wal", 0o600],
      ]);
    } finally {
      process.umask(before);
      await open.close();
    }
  },
);
