import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "./attack.ts";
import { withHiddenVault } from "./hidden-vault.ts";

const canaries = {
  replaced: "xqreplaceling",
  deleted: "xqdeleteling",
  removed: "xqremoveling",
  secret: "xqsecretling",
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The first letters of a word may stand with its neighbour in the word index; the rest of it stands by itself. */
const foundIn = (folder: string): string[] => {
  const held = filesIn(folder).map((file) => readFileSync(file, "latin1").toLowerCase());
  return Object.values(canaries).filter((word) => held.some((bytes) => bytes.includes(word.slice(2))));
};

const sizeOf = (folder: string): number => filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0);

/** Whoever gets the files of a vault looks in them for what was deleted, while the vault is open and when it is closed. */
export const readingDeletedText: Attack = {
  name: "reading deleted text in the files of a vault",
  // PostgreSQL keeps what it deletes in files of its own until it writes them anew; those are the operator's.
  engines: ["sqlite"],
  async run(target) {
    const { dataDir } = target;
    const open = await withHiddenVault(target, async ({ owner, write }) => {
      const many = (from: number, word: string, secret: string, length = 4000) =>
        Array.from({ length }, (_, n) => ({ id: `e${from + n}`, text: `walk ${n} ${word} on`, secret }));
      await write("mine", many(0, "dogs", "none"));
      await write("mine", many(4000, canaries.replaced, canaries.secret));
      await write("mine", many(4000, "cats", "none"));
      await write("mine", many(8000, canaries.deleted, "none", 200));
      await write("other", many(0, canaries.removed, canaries.removed));
      const before = foundIn(dataDir);
      const full = sizeOf(dataDir);
      for (let n = 8000; n < 8200; n += 1)
        await owner.records.delete({ connection_id: "mine", stream: "entries", record_id: `e${n}` });
      await owner.connections.remove("other");
      await owner.records.prune(Date.now() + 1000);
      return { before, full, after: foundIn(dataDir), size: sizeOf(dataDir) };
    });
    const closed = foundIn(dataDir);
    const told = [...new Set([...open.after, ...closed])];
    return {
      held: open.before.length === 4 && told.length === 0 && open.size < open.full * 0.7,
      figure: `${told.length} of ${open.before.length} words found; ${open.full} bytes became ${open.size}`,
    };
  },
};
