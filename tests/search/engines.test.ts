import type { ReadApi } from "@pdpp/contract/operations";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { loadDemo } from "#server/demo/load-demo";
import { createReader } from "#server/read/reader";

/** Both engines give the same hits, order, scores and passages for the same vault. */

const now = Date.parse("2026-11-01T00:00:00Z");
const vaults: TestVault[] = [];
const readers: ReadApi[] = [];
let words: string[] = [];

beforeAll(async () => {
  for (const engine of engineNames) {
    const vault = await createVault(engine, "the same secret for both");
    vaults.push(vault);
    const token = await loadDemo(vault.store, now);
    readers.push(createReader({ store: vault.store, scope: await authenticate(vault.store, token, now) }));
  }
  const texts: string[] = [];
  for await (const { data } of readers[0]!.export({})) {
    for (const value of Object.values(data)) if (typeof value === "string") texts.push(value.slice(0, 400));
  }
  words = [...new Set(texts.join(" ").split(/\s+/))];
});
afterAll(() => Promise.all(vaults.map((vault) => vault.drop())));

async function expectSameOnBoth(input: Parameters<ReadApi["search"]>[0]): Promise<number> {
  const [one, other] = await Promise.all(readers.map((reader) => reader.search(input)));
  expect(other!.data).toEqual(one!.data);
  expect(other!.meta).toEqual(one!.meta);
  return one!.data.length;
}

const questions = [
  "What did the boiler repair cost?",
  "boiler",
  "boiler invoice warranty",
  '"expansion vessel"',
  // In a text that contains the first word more than 256 times.
  '"the coffee"',
  "ferry cancelled storm",
  "Morvanec",
  "Tidewater salary",
  "How many days of leave did we agree?",
  "cargo bike insurance",
  "HF-61-2207",
  "RK-20871",
  "roof levy vote",
  "Oltmanns",
  "hazelnut allergy",
  "birthday cake",
  "Geburtstag",
  "Rechnung",
  "Grüße",
  "gruesse",
  "grusse",
  "école",
  "ecole",
  "東京",
  "ありがとう",
  "สวัสดี",
  "مرحبا",
  "🎂",
  "🎉",
  "order*",
  "ord* -cancelled",
  "-boiler",
  "the",
  "is it",
  "what is the",
  "AND",
  "OR NOT",
  "NEAR(",
  '"',
  '""',
  "*",
  "-",
  "--",
  "a*b",
  "c++",
  "'; drop table x; --",
  "%",
  "\\",
  "{c0} : x",
  "rowid:1",
  "x".repeat(1900),
];

it("[SRCH-10] answers 200 fixed queries the same on both engines", async () => {
  const fixed = [...questions, ...words.filter((_, i) => i % Math.ceil(words.length / 200) === 0)].slice(0, 200);
  let found = 0;
  for (const q of fixed) if ((await expectSameOnBoth({ q: q.slice(0, 2000), limit: 10 })) > 0) found += 1;
  expect(fixed).toHaveLength(200);
  expect(found).toBeGreaterThan(100);
});

const runs = Number(process.env.PDPP_SEARCH_RUNS ?? chooseRuns(40, 200));

it("[SRCH-10] answers random queries the same on both engines", async () => {
  const word = fc.nat().map((n) => words[n % words.length]!);
  const piece = fc.oneof(
    { weight: 6, arbitrary: word },
    { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`) },
    { weight: 1, arbitrary: word.map((w) => `${w.slice(0, 3)}*`) },
    { weight: 1, arbitrary: word.map((w) => `-${w}`) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }).filter((text) => text.isWellFormed()) },
  );
  const query = fc
    .array(piece, { minLength: 1, maxLength: 6 })
    .map((pieces) => pieces.join(" "))
    .filter((q) => q !== "");
  await fc.assert(
    fc.asyncProperty(query, async (q) => void (await expectSameOnBoth({ q: q.slice(0, 2000), limit: 5 }))),
    { numRuns: runs, seed: 20261115 },
  );
});

it("[SRCH-8] visits every hit once when paging, and ends", async () => {
  for (const q of ["order", "Mila school", "what about the boiler?"]) {
    for (const reader of readers) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await reader.search({ q, limit: 7, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        if (cursor === undefined) expect(seen).toHaveLength(page.meta.count);
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBeGreaterThan(10);
    }
  }
});
