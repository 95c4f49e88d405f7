import { join } from "node:path";
import { openTree } from "@pdpp/importers/tree";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { fixtures, fixturesMissing } from "../fixtures/fixture-files.ts";
import { exported, importTree, ownerOf, sumOf } from "../support.ts";

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
      const owner = await ownerOf(vault, () => Date.UTC(2026, 10, 1));
      const once = async () => {
        const tree = await openTree([join(fixtures, folder)]);
        try {
          return sumOf(await importTree(owner, tree));
        } finally {
          await tree.close();
        }
      };
      const first = await once();
      const before = await exported(owner);
      expect(before.length).toBeGreaterThan(0);
      expect(await once()).toMatchObject({
        stored: 0,
        changed: 0,
        aside: first.aside,
        unchanged: first.read - first.aside,
      });
      expect(await exported(owner)).toEqual(before);
    } finally {
      await vault.drop();
    }
  });
});
