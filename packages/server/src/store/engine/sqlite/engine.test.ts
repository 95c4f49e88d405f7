import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raw, sql } from "../sql.ts";
import { openSqlite } from "./engine.ts";

const counting = (to: number) =>
  raw(`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${to}) SELECT count(*) AS n FROM c`);

describe("a SQLite engine", () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault("sqlite");
  });
  afterAll(() => vault.drop());

  it("[BIG-5] runs light reads and writes during heavy reads", async () => {
    const { engine } = vault.store;
    let done = 0;
    const heavy = Array.from({ length: 4 }, () =>
      engine
        .read((on) => on.one<{ n: number }>(counting(1_500_000)), "heavy")
        .then((row) => {
          done += 1;
          return row!.n;
        }),
    );
    for (let n = 0; n < 20; n += 1) await engine.read((on) => on.one(sql`SELECT * FROM owner`));
    await engine.write((on) => on.run(sql`UPDATE owner SET name = name`));
    expect(done).toBe(0);
    expect(await Promise.all(heavy)).toEqual(Array(4).fill(1_500_000));
  });

  it("returns a reader to the pool after an error, heavy or light", async () => {
    const { engine } = vault.store;
    for (const weight of ["light", "heavy"] as const) {
      for (let n = 0; n < 20; n += 1) {
        await expect(engine.read((on) => on.all(raw("SELECT * FROM nowhere")), weight)).rejects.toThrow(/nowhere/);
      }
      expect(await engine.read((on) => on.one(sql`SELECT ${1} AS one`), weight)).toEqual({ one: 1 });
    }
  });

  it("stores rows as they are, also those that JSON cannot hold", async () => {
    const { engine } = vault.store;
    await engine.write((on) => on.run(raw("CREATE TABLE value_row (n REAL, words TEXT, bytes BLOB)")));
    const columns = [
      { name: "n", type: "number" },
      { name: "words", type: "text" },
      { name: "bytes", type: "bytes" },
    ] as const;
    const plain = [
      [0.1, 'quotes " and \\ and 🎉 and \u2028', null],
      [5e-324, "", null],
      [Number.MAX_SAFE_INTEGER, null, null],
    ];
    const others = [
      [Number.POSITIVE_INFINITY, "", null],
      [null, "bytes", new Uint8Array([0, 255])],
    ];
    for (const rows of [plain, others]) {
      await engine.write((on) => on.insert("value_row", columns, rows));
      const held = await engine.read((on) =>
        on.all<Record<string, unknown>>(raw("SELECT * FROM value_row ORDER BY rowid")),
      );
      expect(held.map(({ n, words, bytes }) => [n, words, bytes])).toEqual(rows);
      await engine.write((on) => on.run(raw("DELETE FROM value_row")));
    }
  });

  it("rejects writes in a read", async () => {
    const { engine } = vault.store;
    for (const weight of ["light", "heavy"] as const) {
      await expect(engine.read((on) => on.all(raw("DELETE FROM owner")), weight)).rejects.toThrow(/readonly/);
    }
  });

  it("serves more concurrent reads than it has connections, in order", async () => {
    const { engine } = vault.store;
    const reads = Array.from({ length: 40 }, (_, n) =>
      engine.read(async (on) => {
        await new Promise(setImmediate);
        return (await on.one<{ n: number }>(sql`SELECT ${n} AS n`))!.n;
      }),
    );
    expect(await Promise.all(reads)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it("[KEEP-1] releases free pages, even of a file created without auto-vacuum, and truncates the log", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "pdpp-vault-"));
    const file = join(dataDir, "vault.db");
    const old = new DatabaseSync(file);
    old.exec("PRAGMA journal_mode = WAL; CREATE TABLE filler (words TEXT)");
    old.close();
    const engine = openSqlite(file);
    try {
      const filler = Array.from({ length: 2000 }, (_, n) => [`${"some words ".repeat(400)}${n}`]);
      await engine.write((on) => on.insert("filler", [{ name: "words", type: "text" }], filler));
      await engine.reclaimSpace();
      const full = statSync(file).size;
      await engine.write((on) => on.run(raw("DELETE FROM filler")));
      await engine.reclaimSpace();
      expect(full).toBeGreaterThan(8_000_000);
      expect(statSync(file).size).toBeLessThan(100_000);
      expect(statSync(`${file}-wal`).size).toBe(0);
    } finally {
      await engine.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
