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
import { fileURLToPath } from "node:url";
import { runNode } from "@pdpp/test-support/processes/run-node";
import { afterEach, beforeEach, expect, it } from "vitest";
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

async function notesIn(name: string): Promise<unknown[]> {
  const engine = openSqlite(fileIn(name));
  try {
    return await engine.read((on) => on.all(raw("SELECT words FROM note")));
  } finally {
    await engine.close();
  }
}

it("[KEEP-4] rejects a copy of an open vault without its log, and says what to do", async () => {
  const open = await written("open");
  const copy = fileIn("copy");
  copyFileSync(fileIn("open"), copy);
  expect(() => openSqlite(copy)).toThrow(
    /copy\/vault\.db was copied while the vault was open, without .*vault\.db-wal/,
  );
  expect(readdirSync(join(folder, "copy"))).toEqual(["vault.db"]);
  copyFileSync(`${fileIn("open")}-wal`, `${copy}-wal`);
  expect(await notesIn("copy")).toEqual([{ words: "kept" }]);
  await open.close();
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
        ["vault.db-shm", 0o600],
        ["vault.db-wal", 0o600],
      ]);
    } finally {
      process.umask(before);
      await open.close();
    }
  },
);
