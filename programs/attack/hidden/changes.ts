import type { ReadApi } from "@pdpp/contract/operations";
import type { Attack } from "../attack.ts";
import { type Entry, withHiddenVault } from "./hidden-vault.ts";

const rounds = 100;
const here = { stream: "entries" };

interface Held {
  readonly bookmark: string;
  readonly windowCursor: string;
  readonly searchCursor: string;
}

/** Everything a client can observe that might reveal a change: versions, times, bookmarks, cursors, counts, windows. */
async function look(reader: ReadApi, { bookmark, windowCursor, searchCursor }: Held): Promise<string> {
  const answers = [
    await reader.queryRecords({ ...here, count: "exact", limit: 50 }),
    await reader.queryRecords({ ...here, limit: 3 }),
    await reader.fetch({ ...here, record_id: "e1" }),
    await reader.readField({ ...here, record_id: "e1", field: "text", cursor: windowCursor }),
    await reader.streams({}),
    await reader.search({ q: "word", limit: 50 }),
    await reader.search({ q: "word number", limit: 3 }),
    await reader.search({ q: "word", limit: 3, cursor: searchCursor }),
    await reader.queryRecords({ ...here, changes_since: bookmark }),
    await reader.queryRecords({ ...here, changes_since: "beginning", limit: 2 }),
  ];
  // Bookmarks are always different, so a client can only compare their lengths.
  return JSON.stringify(answers).replaceAll(
    /((?:cursor|changes_since)(?:":"|=))([\w-]{40,})/g,
    (_, of, sealed) => `${of}${String(sealed).length}`,
  );
}

/** A client that sees some fields of some records reads repeatedly while everything else changes. */
export const learningOfHiddenChanges: Attack = {
  name: "detecting hidden changes through versions, times, bookmarks, cursors and search",
  engines: ["sqlite", "postgres"],
  run: (target) =>
    withHiddenVault(target, async ({ client, write }) => {
      const entries: Entry[] = Array.from({ length: 40 }, (_, n) => ({
        id: `e${n}`,
        text: `word number ${n} ${"and so on ".repeat(1 + (n % 7) * 10)}`,
      }));
      await write("mine", entries);
      const reader = await client();
      const { next_changes_since: bookmark = "" } = await reader.queryRecords({
        ...here,
        changes_since: "beginning",
        limit: 100,
      });
      const { window } = await reader.readField({ ...here, record_id: "e1", field: "text", limit_chars: 8 });
      const { next_cursor: searchCursor = "" } = await reader.search({ q: "word", limit: 3 });
      const held = { bookmark, windowCursor: window.next_cursor ?? "", searchCursor };
      const see = () => look(reader, held);
      const before = await see();
      let told = 0;
      let changes = 0;
      for (let round = 0; round < rounds; round += 1) {
        const changed = entries.filter((_, n) => (n + round) % 5 < 2);
        const secret = `word hidden ${round} ${"word ".repeat(round % 9)}`;
        await write(
          "mine",
          changed.map((entry) => ({ ...entry, secret })),
        );
        await write("other", [{ id: `o${round % 11}`, text: secret }]);
        changes += changed.length + 1;
        if ((await see()) !== before) told += 1;
      }
      return {
        held: told === 0,
        figure: `${changes} hidden changes in ${rounds} rounds, detected in ${told} of them`,
      };
    }),
};
