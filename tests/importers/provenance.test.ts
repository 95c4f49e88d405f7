import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { claudeGenerator } from "./generators/messages/claude.ts";
import { createMemoryTree, importTree, listRecords, openOwner } from "./support.ts";

describe.each(engineNames)("the origin of records, on %s", (engine) => {
  it("[IMP-8] is known while they exist, and deleted with them", async () => {
    const vault = await createVault(engine);
    try {
      const owner = await openOwner(vault, () => Date.UTC(2026, 10, 1));
      const { older } = claudeGenerator.pair(createRandom(3), 6);
      const broken = claudeGenerator.hostile(createRandom(3)).files;
      await importTree(owner, createMemoryTree(older, 1000));
      await importTree(owner, createMemoryTree(broken, 2000));
      const listRows = async (): Promise<number[]> => {
        const tables = ["import_part", "import_record", "import_aside"];
        const counts = tables.map((table) =>
          vault.store.engine.read((on) => on.all<{ n: number }>(raw(`SELECT count(*) AS n FROM ${table}`))),
        );
        return (await Promise.all(counts)).map(([row]) => Number(row?.n));
      };
      const records = await listRecords(owner);
      const [parts, links, asides] = await listRows();
      expect([parts, links]).toEqual([2, records.length]);
      expect(asides).toBeGreaterThan(0);

      const [{ id, stream } = { id: "", stream: "" }] = records;
      await owner.records.delete({ connection_id: "claude", stream, record_id: id });
      expect(await listRows()).toEqual([2, records.length - 1, asides]);
      expect(await owner.imports.findOrigin("claude", stream, id)).toMatchObject({
        first_import: null,
        last_import: null,
      });

      await owner.connections.remove("claude");
      expect(await listRows()).toEqual([0, 0, 0]);
      expect(await owner.imports.list()).toEqual([]);
      // Its id is never given again: an old grant must not come to mean what is imported now.
      await importTree(owner, createMemoryTree(older, 1000));
      expect((await owner.connections.list()).map(({ connection_id }) => connection_id)).toEqual(["claude-2"]);
    } finally {
      await vault.drop();
    }
  });
});
