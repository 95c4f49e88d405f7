import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import { withHiddenVault } from "./hidden-vault.ts";

const canaries = {
  replaced: "xqreplaceling",
  deleted: "xqdeleteling",
  removed: "xqremoveling",
  secret: "xqsecretling",
};

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The word index may store a word's first letters with its neighbour; the rest is stored separately. */
const findWords = (folder: string): string[] => {
  const held = listFiles(folder).map((file) => readFileSync(file, "latin1").toLowerCase());
  return Object.values(canaries).filter((word) => held.some((bytes) => bytes.includes(word.slice(2))));
};

const measureSize = (folder: string): number => listFiles(folder).reduce((sum, file) => sum + statSync(file).size, 0);

/** Searches a vault's files for deleted text, while the vault is open and after it is closed. */
export const readingDeletedText: Attack = {
  name: "finding deleted text in a vault's files",
  // PostgreSQL keeps deleted rows in its own files until they are rewritten; those belong to the operator.
  engines: ["sqlite"],
  async run(target) {
    const { dataDir } = target;
    const open = await withHiddenVault(target, async ({ owner, write }) => {
      const buildEntries = (from: number, word: string, secret: string, length = 4000) =>
        Array.from({ length }, (_, n) => ({ id: `e${from + n}`, text: `walk ${n} ${word} on`, secret }));
      await write("mine", buildEntries(0, "dogs", "none"));
      await write("mine", buildEntries(4000, canaries.replaced, canaries.secret));
      await write("mine", buildEntries(4000, "cats", "none"));
      await write("mine", buildEntries(8000, canaries.deleted, "none", 200));
      await write("other", buildEntries(0, canaries.removed, canaries.removed));
      const before = findWords(dataDir);
      const full = measureSize(dataDir);
      for (let n = 8000; n < 8200; n += 1)
        await owner.records.delete({ connection_id: "mine", stream: "entries", record_id: `e${n}` });
      await owner.connections.remove("other");
      await owner.records.prune(Date.now() + 1000);
      return { before, full, after: findWords(dataDir), size: measureSize(dataDir) };
    });
    const closed = findWords(dataDir);
    const foundWords = [...new Set([...open.after, ...closed])];
    return {
      held: open.before.length === 4 && foundWords.length === 0 && open.size < open.full * 0.7,
      figure: `${foundWords.length} of ${open.before.length} deleted words found; size changed from ${open.full} to ${open.size}`,
    };
  },
};
