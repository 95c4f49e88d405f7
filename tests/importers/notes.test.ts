import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import type { Files } from "#importers/core/generating";
import { formats } from "#importers/formats/formats";
import { recordsOf } from "./fixture-files.ts";
import { answers, memoryTree } from "./support.ts";

async function found(files: Files, key: string) {
  const tree = memoryTree(files, 0);
  const claims = (await detect(tree, formats)).claims.filter(({ importer }) => importer.key === key);
  const items = await Promise.all(claims.map(({ importer, claim }) => Array.fromAsync(importer.read(claim, answers))));
  const records = items.flat();
  return { notes: recordsOf(records, "notes"), files: recordsOf(records, "attachments") };
}

describe("[IMP-11] notes in folders", () => {
  it("Obsidian: what stands between two rules is text, and properties end at a line of dashes", async () => {
    const { notes } = await found(
      {
        ".obsidian/app.json": "{}",
        "a.md": "---\nIt begins with a rule.\n---\nIt goes on.\n",
        "b.md": "---\nstatus: open---\ntitle: B\n---\nText\n",
        "c.md": "---\n---\nText\n",
      },
      "note-folders",
    );
    expect(notes.map(({ title, body }) => [title, body])).toEqual([
      ["a", "---\nIt begins with a rule.\n---\nIt goes on."],
      ["B", "Text"],
      ["c", "Text"],
    ]);
  });
});
