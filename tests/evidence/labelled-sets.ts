import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import {
  type LabelledStore,
  loadTurns,
  readLabelledStores,
  registerTurns,
} from "@pdpp/test-support/vaults/labelled-stores";
import type { HostClass } from "../mcp/hosts/host-classes.ts";
import { askAll, type JudgedQuestion, type Question } from "./figures.ts";
import { createWordFinder, toReadableText } from "./words.ts";

/**
 * Labelled questions name the records that answer them, but not the words. So a question counts as answered if such a
 * record is on the first page and its two rarest matched words are visible.
 */
const rareWords = 2;

/** Asks every question of a set in its own store, under its own grant. */
export async function askLabelled(set: string, hosts: readonly HostClass[]): Promise<Map<HostClass, JudgedQuestion[]>> {
  const stores = await Array.fromAsync(readLabelledStores(set));
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-labelled-"));
  const tokens = await fill(dataDir, stores);
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
  const asked = new Map<HostClass, JudgedQuestion[]>(hosts.map((host) => [host, []]));
  try {
    for (const store of stores) {
      const world = { url: running.url, token: tokens.get(store.id) ?? "", close: async () => undefined };
      const texts = new Map(store.docs.map(({ id, text }) => [`${store.id}/turns:${id}`, [text]]));
      const searchable = (id: string) => texts.get(id) ?? [];
      const questions = listQuestions(store, searchable);
      for (const [host, all] of asked)
        all.push(...(await askAll(world, host, questions, { searchable, every: false })));
    }
    return asked;
  } finally {
    await running.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function listQuestions({ id: storeId, docs, queries }: LabelledStore, searchable: (id: string) => readonly string[]) {
  return queries.map(({ q, gold }): Question => {
    const wordsIn = createWordFinder(q);
    const frequency = new Map<number, number>();
    for (const { text } of docs)
      for (const word of wordsIn([text])) frequency.set(word, (frequency.get(word) ?? 0) + 1);
    const answering = new Set(Object.keys(gold).map((key) => `${storeId}/turns:${key}`));
    return {
      q,
      holds: (id) => answering.has(id),
      answeredBy(id, shown) {
        if (!answering.has(id)) return false;
        const rarest = [...wordsIn(searchable(id))]
          .sort((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0))
          .slice(0, rareWords);
        const visible = wordsIn([toReadableText(shown)]);
        return rarest.every((word) => visible.has(word));
      },
    };
  });
}

async function fill(dataDir: string, stores: readonly LabelledStore[]): Promise<Map<string, string>> {
  const store = await openStore({ dataDir });
  const tokens = new Map<string, string>();
  try {
    await registerTurns(store);
    for (const one of stores) tokens.set(one.id, await loadTurns(store, one, Date.parse("2026-11-01T00:00:00Z")));
    return tokens;
  } finally {
    await store.close();
  }
}
