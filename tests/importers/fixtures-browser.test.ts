import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { formats } from "@pdpp/importers/formats";
import { detect } from "@pdpp/importers/plan";
import { openTree } from "@pdpp/importers/tree";
import { describe, expect, it } from "vitest";
import { asideOf, fixturesMissing, itemsOf, recordsOf } from "./fixture-files.ts";
import { answers } from "./support.ts";

describe.skipIf(fixturesMissing !== "")(`[IMP-11] histories of others${fixturesMissing}`, () => {
  it("reads eleven databases of seven browsers, each with its own epoch", async () => {
    const items = await itemsOf("browser-history", "browser-history");
    const visits = recordsOf(items, "events");
    expect([visits.length, asideOf(items).length]).toEqual([39, 0]);
    // Whatever they count from, all of them were visited in these years.
    for (const { happened_at } of visits) expect(String(happened_at)).toMatch(/^20(1[5-9]|2\d)-/);
    expect(new Set(visits.map(({ source }) => source))).toEqual(
      new Set(["Chrome", "Firefox", "Safari", "qutebrowser"]),
    );
  });
});

it("[IMP-11] reads visits that are still in the write-ahead log, and writes nothing next to the files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-history-"));
  const database = new DatabaseSync(join(folder, "History"));
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    database.exec("CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT)");
    database.exec("CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, transition INTEGER)");
    database.exec("INSERT INTO urls VALUES (1, 'https://me:pw@example.org/?token=abc&q=1', 'Example')");
    database.exec("INSERT INTO visits VALUES (1, 1, 13380000000123456, 1)");
    const tree = await openTree([folder]);
    const [found] = (await detect(tree, formats)).claims;
    if (found === undefined) throw new Error("it is not recognised");
    const items = await Array.fromAsync(found.importer.read(found.claim, answers));
    expect(recordsOf(items, "events")).toMatchObject([
      { url: "https://me@example.org/?token=…&q=1", happened_at: "2024-12-30T02:40:00.123Z", details: ["typed"] },
    ]);
    expect((await openTree([folder])).entries.map(({ path }) => path)).toEqual(tree.entries.map(({ path }) => path));
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
});
