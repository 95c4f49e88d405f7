import { join } from "node:path";
import { openTree } from "@pdpp/importers/tree";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { fixtures, fixturesMissing } from "../fixtures/fixture-files.ts";
import { importTree, listRecords, openOwner, sumReports } from "../support.ts";

const folders = [
  "bank-actual",
  "bank-ofxparse",
  "chat-miner",
  "dogsheep/takeout",
  "google-voice",
  "notes-obsidian-importer/tests/keep",
  "promnesia",
  "slack-export-viewer",
  "zulip-chat-imports",
];

describe.skipIf(fixturesMissing !== "")(`[IMP-3] files of others${fixturesMissing}`, () => {
  it.each(folders)("%s: importing twice changes nothing", async (folder) => {
    const vault = await createVault("sqlite");
    try {
      const owner = await openOwner(vault, () => Date.UTC(2026, 10, 1));
      const importOnce = async () => {
        const tree = await openTree([join(fixtures, folder)]);
        try {
          return sumReports(await importTree(owner, tree));
        } finally {
          await tree.close();
        }
      };
      const first = await importOnce();
      const before = await listRecords(owner);
      expect(before.length).toBeGreaterThan(0);
      expect(await importOnce()).toMatchObject({
        stored: 0,
        changed: 0,
        aside: first.aside,
        unchanged: first.read - first.aside,
      });
      expect(await listRecords(owner)).toEqual(before);
    } finally {
      await vault.drop();
    }
  });
});
