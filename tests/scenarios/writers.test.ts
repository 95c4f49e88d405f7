import { statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type LoopDelay, measureLoopCpu } from "@pdpp/test-support/processes/event-loop";
import { startStoppedWriter } from "@pdpp/test-support/processes/stopped-writer";
import { connectNotes, generateNotes, newerManifest, place } from "@pdpp/test-support/vaults/many-notes";
import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { raw, sql } from "#server/store/engine/sql";
import { openSqlite } from "#server/store/engine/sqlite/engine";

const records = chooseRuns(6000, 60_000);
const allowed = { p99: 50, longest: 100 };

describe.each(engineNames)("on %s", (engine) => {
  it("[WRT-1] yields to others during ingest, backfill, export, delete and sweep", {
    retry: 3,
  }, async () => {
    const vault = await createVault(engine);
    try {
      const { store } = vault;
      const owner = await connectNotes(store);
      const delays: Record<string, LoopDelay> = {};
      delays.ingest = await measureLoopCpu(() => owner.records.ingest(place, generateNotes(records)));
      await store.register(newerManifest, Date.now());
      delays.backfill = await measureLoopCpu(() => store.reindex());
      delays.export = await measureLoopCpu(async () => {
        const reader = await owner.reader();
        for await (const record of reader.export({})) void record;
      });
      delays.delete = await measureLoopCpu(() => owner.records.delete(place));
      delays.sweep = await measureLoopCpu(() => store.sweep());
      const stalled = Object.entries(delays).filter(
        ([, { p99, longest }]) => p99 > allowed.p99 || longest > allowed.longest,
      );
      expect(stalled).toEqual([]);
    } finally {
      await vault.drop();
    }
  });

  it("[WRT-3] closes without waiting for a backfill, which the next start continues", async () => {
    const vault = await createVault(engine);
    try {
      const owner = await connectNotes(vault.store);
      await owner.records.ingest(place, generateNotes(4000));
      await vault.store.register(newerManifest, Date.now());
      let steps = 0;
      const filling = vault.store.reindex(() => {
        steps += 1;
      });
      while (steps === 0) await wait(1);
      const reopened = vault.reopen();
      await filling;
      await reopened;
      const connector = async () => (await vault.store.catalog()).connectors.get("notes");
      const { done = 0, total = 0 } = (await connector())?.reindexing ?? {};
      expect(done).toBeGreaterThan(0);
      expect(done).toBeLessThan(total);
      let first = 0;
      await vault.store.reindex((_key, now) => {
        first ||= now;
      });
      expect(first).toBeGreaterThan(done);
      expect((await connector())?.reindexing).toBeUndefined();
    } finally {
      await vault.drop();
    }
  });
});

describe("another writing process", () => {
  it("[WRT-2] is waited for while reads are answered", async () => {
    const vault = await createVault("sqlite");
    const engine = openSqlite(`${vault.dataDir}/vault.db`, { lockTimeoutMs: 600_000 });
    const other = await startStoppedWriter(vault.dataDir);
    try {
      let isWritten = false;
      const write = engine
        .write((on) => on.run(sql`UPDATE owner SET name = name`))
        .then(() => {
          isWritten = true;
        });
      for (let n = 0; n < 300; n += 1, await wait(1)) {
        expect(await engine.read((on) => on.all(raw("SELECT * FROM owner")))).toHaveLength(1);
      }
      expect(isWritten).toBe(false);
      await other.resume();
      await write;
    } finally {
      other.kill();
      await engine.close();
      await vault.drop();
    }
  });

  it("[WRT-2] makes all waiting writers time out, and later writes succeed", async () => {
    const vault = await createVault("sqlite");
    const engine = openSqlite(`${vault.dataDir}/vault.db`, { lockTimeoutMs: 1500 });
    const other = await startStoppedWriter(vault.dataDir);
    try {
      const endings: number[] = [];
      const write = () => engine.write((on) => on.run(sql`UPDATE owner SET name = name`));
      const measureWrite = () => write().finally(() => endings.push(performance.now()));
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, measureWrite));
      // One after another, they would need a minute.
      expect(Math.max(...endings) - Math.min(...endings)).toBeLessThan(30_000);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({
          reason: { code: "unavailable", message: /another process is writing/, details: { retry_after_seconds: 5 } },
        });
      }
      await other.resume();
      expect(await write()).toBe(1);
    } finally {
      other.kill();
      await engine.close();
      await vault.drop();
    }
  });

  it("[WRT-2] gets its turn between two batches of an ingest", async () => {
    const vault = await createVault("sqlite");
    const other = openSqlite(`${vault.dataDir}/vault.db`);
    try {
      const owner = await connectNotes(vault.store);
      let isOver = false;
      const ingest = owner.records.ingest(place, generateNotes(12_000)).then(() => {
        isOver = true;
      });
      let turns = 0;
      for (; !isOver; turns += 1) await other.write((on) => on.run(sql`UPDATE owner SET name = name`));
      await ingest;
      expect(turns).toBeGreaterThan(4);
    } finally {
      await other.close();
      await vault.drop();
    }
  });
});

describe("the write-ahead log of a SQLite vault", () => {
  const mega = 1024 * 1024;
  const filler = Array.from({ length: 250 }, (_, n) => [`${"word ".repeat(800)}${n}`]);

  it("[WRT-4] stays short, even while someone reads an old snapshot", async () => {
    const vault = await createVault("sqlite");
    const file = `${vault.dataDir}/vault.db`;
    const engine = openSqlite(file, { maxLogBytes: 4 * mega, lockTimeoutMs: 1000 });
    const logSize = () => statSync(`${file}-wal`).size;
    try {
      await engine.write((on) => on.run(raw("CREATE TABLE filler (words TEXT)")));
      let longest = 0;
      const fill = async (writes: number) => {
        for (let n = 0; n < writes; n += 1) {
          await engine.write((on) => on.insert("filler", [{ name: "words", type: "text" }], filler));
          longest = Math.max(longest, logSize());
          await engine.yieldToWriters();
        }
      };
      await fill(20);
      expect(longest).toBeLessThan(8 * mega);
      const reading = engine.read(async (on) => {
        const before = await on.one(raw("SELECT count(*) AS n FROM filler"));
        await wait(1500);
        expect(await on.one(raw("SELECT count(*) AS n FROM filler"))).toEqual(before);
      });
      await fill(40);
      await reading;
      expect(longest).toBeLessThan(24 * mega);
      await fill(5);
      expect(logSize()).toBeLessThan(8 * mega);
    } finally {
      await engine.close();
      await vault.drop();
    }
  });

  it("[WRT-4] is emptied after a while without writes", async () => {
    const vault = await createVault("sqlite");
    const { engine } = vault.store;
    try {
      await engine.write((on) => on.run(raw("CREATE TABLE filler (words TEXT)")));
      await engine.write((on) => on.insert("filler", [{ name: "words", type: "text" }], [...filler, ...filler]));
      expect(statSync(`${vault.dataDir}/vault.db-wal`).size).toBeGreaterThan(mega);
      await expect.poll(() => statSync(`${vault.dataDir}/vault.db-wal`).size).toBe(0);
    } finally {
      await vault.drop();
    }
  });
});
