import { parseQuery } from "@pdpp/language/query/query";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Visibility } from "../ports.ts";
import { makeSearch, seesEverything } from "./make-search.ts";
import { type Ranking, rank, type Search } from "./rank.ts";

interface Hit {
  readonly doc: number;
  readonly score: number;
  readonly isFull: boolean;
}

const requireRanking = async (search: Search, words: string): Promise<Ranking> => {
  const ranking = await rank(search, parseQuery(words));
  if (ranking === null) throw new Error("The search was abandoned.");
  return ranking;
};

/** The best documents, in the order of a page: those with all words first. */
function listBest({ ranked, query: { wanted } }: Ranking, most: number): Hit[] {
  const hits = ranked.flatMap(({ docs, scores, matchCounts }) =>
    docs.flatMap((doc, n): Hit[] =>
      matchCounts[n] === 0 ? [] : [{ doc, score: scores[n]!, isFull: matchCounts[n] === wanted.length }],
    ),
  );
  hits.sort((a, b) => Number(b.isFull) - Number(a.isFull) || b.score - a.score || b.doc - a.doc);
  return hits.slice(0, most);
}

/** How many documents match each number of words. */
function countByWords({ ranked, unrankedCounts, query: { wanted } }: Ranking): number[] {
  const counts = [...wanted, null].map((_, n) => unrankedCounts[n] ?? 0);
  for (const { matchCounts } of ranked) for (const count of matchCounts) if (count > 0) counts[count]! += 1;
  return counts;
}

const word = fc.constantFrom("otter", "otter", "otter", "otterhunt", "survey", "survey", "river", "riverbank", "boat");
const texts = fc.array(
  fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" ")),
  { minLength: 1, maxLength: 30 },
);

/** All documents are one conversation. */
const isConversation: Visibility = {
  ...seesEverything,
  loadNextTurns: async (docs) => docs.map((doc) => ({ doc, next: doc + 1, second: doc + 2 })),
};

it.each([
  ["documents", seesEverything],
  ["turns of a conversation", isConversation],
])(
  "[SRCH-44] ranks and counts %s the same whether or not those without all words are ranked",
  async (_, visibility) => {
    let ranked = 0;
    const isRankedAlike = fc.asyncProperty(
      fc.array(texts, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
      fc.uniqueArray(fc.constantFrom("otter", "survey", "river", "boat"), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 10 }),
      async (batches, deleted, words, enough, later) => {
        const { search: all } = await makeSearch(batches, visibility, deleted);
        const search = { ...all, maxDoc: all.maxDoc - later };
        const plain = await requireRanking(search, words.join(" "));
        const quick = await requireRanking({ ...search, enoughFullMatches: enough }, words.join(" "));
        if (quick.unrankedCounts.length > 0) ranked += 1;
        expect(listBest(quick, enough)).toEqual(listBest(plain, enough));
        expect(countByWords(quick)).toEqual(countByWords(plain));
        expect({ ...quick, ranked: [], unrankedCounts: [] }).toEqual({ ...plain, ranked: [] });
      },
    );
    await fc.assert(isRankedAlike, { numRuns: 400 });
    expect(ranked).toBeGreaterThan(20);
  },
);

it.each([
  ["a question", "what did the otter and the survey show?", {}],
  ["an exclusion", "otter survey -boat", {}],
  ["words written together", "otter-survey river", {}],
  ["a typo", "otter survez", {}],
  ["a filter", "otter survey", { isFiltered: true }],
  ["a hidden field", "otter survey", { isComplete: false }],
  ["generated documents", "otter survey", { findGenerated: async () => new Set<number>() }],
])("ranks documents without all words too if there is %s", async (_, words, visibility) => {
  const batch = Array.from({ length: 60 }, (_each, n) => (n % 2 === 0 ? "otter survey river" : "otter river"));
  const { search } = await makeSearch([batch], { ...seesEverything, ...visibility });
  const ranking = await requireRanking({ ...search, enoughFullMatches: 5 }, words);
  expect(ranking.unrankedCounts).toEqual([]);
  const matched = ranking.ranked[0]?.matchCounts ?? new Uint16Array();
  expect(matched.length).toBe(60);
});

it("[SRCH-19] finds neighbours only if one could count more than the document itself", async () => {
  const countLookups = async (batch: readonly string[], words: string, enoughFullMatches?: number): Promise<number> => {
    let lookups = 0;
    const loadNextTurns: Visibility["loadNextTurns"] = async () => {
      lookups += 1;
      return [];
    };
    const { search } = await makeSearch([batch], { ...seesEverything, loadNextTurns });
    await rank({ ...search, ...(enoughFullMatches === undefined ? {} : { enoughFullMatches }) }, parseQuery(words));
    return lookups;
  };
  const alike = ["otter survey", "survey of an otter", "otter", "otter in a survey"];
  expect(await countLookups(alike, "otter")).toBe(0);
  expect(await countLookups(alike, "otter survey", 3)).toBe(0);
  expect(await countLookups(alike, "otter survey")).toBe(1);
  const compound = ["otter otter otter otter", "an otterhunt"];
  expect(await countLookups(compound, "otter")).toBe(1);
});

it("[SRCH-44] looks for adjacent words in documents that have all of them, even if others score higher", async () => {
  const survey = Array.from({ length: 120 }, () => "survey");
  const filler = Array.from({ length: 400 }, () => "otter");
  const both = [
    "the otter survey of a river that is long and wide",
    "survey of a river that is long and wide, an otter",
  ];
  const { search } = await makeSearch([[...both, ...survey, ...filler]]);
  const [first, second] = listBest(await requireRanking(search, "otter survey"), 2);
  expect([first?.doc, second?.doc]).toEqual([1, 2]);
});
