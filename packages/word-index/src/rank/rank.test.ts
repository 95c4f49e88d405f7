import { parseQuery } from "@pdpp/language/query/query";
import { describe, expect, it } from "vitest";
import type { Visibility } from "../ports.ts";
import { createDictionaryReader } from "../query/dictionary-reader.ts";
import { MissingChunkError } from "../segment/layout.ts";
import { makeSearch, seesEverything } from "./make-search.ts";
import { rank, type Search } from "./rank.ts";

/** The matching documents, best first. */
async function findDocs(search: Search, question: string): Promise<number[]> {
  const ranking = await rank(search, parseQuery(question));
  return (ranking?.ranked ?? [])
    .flatMap(({ docs, scores, matchCounts }) =>
      docs.map((doc, n) => ({ doc, score: scores[n]!, count: matchCounts[n]! })),
    )
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.score - a.score || b.doc - a.doc)
    .map(({ doc }) => doc);
}

const texts = ["the boiler is broken", "a new boiler", "haftpflichtversicherung", "broken glass", "ice cream"];

describe("rank", () => {
  it("finds words, phrases, prefixes and exclusions over several segments", async () => {
    const { search } = await makeSearch([texts.slice(0, 2), texts.slice(2)]);
    expect(await findDocs(search, "boiler")).toEqual([2, 1]);
    expect(await findDocs(search, '"is broken"')).toEqual([1]);
    expect(await findDocs(search, "brok*")).toEqual([4, 1]);
    expect(await findDocs(search, "boiler -broken")).toEqual([2]);
  });

  it("finds a compound by the word it ends with, and names it", async () => {
    const { search } = await makeSearch([texts]);
    const ranking = await rank(search, parseQuery("versicherung"));
    expect(ranking?.expansions).toEqual([[["haftpflichtversicherung"]]]);
    expect(await findDocs(search, "versicherung")).toEqual([3]);
  });

  it("splits a word and corrects a typo only if no visible document contains the word", async () => {
    const { search } = await makeSearch([texts]);
    expect(await findDocs(search, "icecream")).toEqual([5]);
    expect(await findDocs(search, "boilr")).toEqual([2, 1]);
    const withWord = await makeSearch([[...texts, "boilr", "icecream"]]);
    expect(await findDocs(withWord.search, "boilr")).toEqual([6]);
    expect(await findDocs(withWord.search, "icecream")).toEqual([7]);
  });

  it("treats a word that only hidden documents contain as missing", async () => {
    const hides = (hidden: number): Visibility => ({
      isFiltered: true,
      isComplete: false,
      findVisible: async (docs) => new Set(docs.filter((doc) => doc !== hidden)),
    });
    const { search } = await makeSearch([texts], hides(3));
    const ranking = await rank(search, parseQuery("haftpflichtversicherung"));
    expect(ranking?.missing).toHaveLength(1);
    expect(await findDocs(search, "versicherung")).toEqual([]);
    expect(await findDocs(search, "broken")).toEqual([4, 1]);
  });

  const passages = [
    "the river that runs uphill",
    "zoran wrote about a strange canal in winter",
    "the canal was closed",
    "a quiet winter",
    "a long letter about nothing",
  ];

  it("[SRCH-43] ranks a quoted passage above a document with most of the other words", async () => {
    const { search } = await makeSearch([passages.slice(0, 2), passages.slice(2)]);
    expect(await findDocs(search, 'what did Zoran say of the strange canal in "the river that runs uphill"')).toEqual([
      1, 2, 3,
    ]);
  });

  it("[SRCH-43] weighs a quoted passage by the documents that are not deleted", async () => {
    const question = 'the canal in "the river that runs uphill"';
    const scoreFirst = async (search: Search) => (await rank(search, parseQuery(question)))?.ranked[0]?.scores[0];
    const river = "a river runs uphill";
    const { search } = await makeSearch([[...passages, river]], seesEverything, [6]);
    const without = await makeSearch([[...passages, "a boat sails south"]], seesEverything, [6]);
    expect(await scoreFirst(search)).toBe(await scoreFirst(without.search));
    const undeleted = await makeSearch([[...passages, river]]);
    expect(await scoreFirst(undeleted.search)).not.toBe(await scoreFirst(search));
  });

  it.each([
    ["the words", "expansion vessel pressure"],
    ["their inflections", "expansions vessels pressure"],
    ["the words of a phrase that is found nowhere", '"the expansion vessel pressure"'],
  ])("[SRCH-44] ranks a document higher where %s of the query are adjacent too", async (_, question) => {
    const apart = "the vessel had an expansion, so check the pressure";
    const together = "so the expansion vessel had a pressure to check";
    for (const batches of [[[together, apart]], [[together], [apart]]]) {
      const { search } = await makeSearch(batches);
      // Equally long with the same words, so the newer would come first.
      expect(await findDocs(search, question)).toEqual([1, 2]);
    }
  });

  it("[SRCH-44] compares adjacent words of the query only", async () => {
    const { search } = await makeSearch([
      ["the expansion vessel had a pressure", "a vessel had the pressure, expansion"],
    ]);
    expect(await findDocs(search, "vessel or expansion and pressure")).toEqual([2, 1]);
    expect(await findDocs(search, "expansion, pressure vessel")).toEqual([2, 1]);
  });

  it("[SRCH-46] finds a hash by its first digits, if no document has them as a word", async () => {
    const hashes = ["commit a1b2c3d4e5f60718", "commit b7e23ec29af22b0b", "a1b2c3 d4 apart"];
    const { search } = await makeSearch([hashes]);
    expect(await findDocs(search, "a1b2c3d4")).toEqual([1]);
    expect(await findDocs(search, "b7e23ec")).toEqual([2]);
    expect((await rank(search, parseQuery("a1b2c3d4")))?.expansions).toEqual([[["a1b2c3d4e5f60718"]]]);
    expect(await findDocs(search, "23ec29")).toEqual([]);
    const withWord = await makeSearch([[...hashes, "a1b2c3d4"]]);
    expect(await findDocs(withWord.search, "a1b2c3d4")).toEqual([4]);
  });

  it("[SRCH-48] ranks an acronym above the other words of a question", async () => {
    const accident = "Sam ended up in the ER, and may die of a rare disease, said Al";
    const { search } = await makeSearch([[accident, "in March we went hiking", ...passages]]);
    expect(await findDocs(search, "who went to the ER")).toEqual([1, 2]);
  });

  it("abandons a search that must read more than it may", async () => {
    const { search } = await makeSearch([texts]);
    expect(await rank({ ...search, maxBytes: 1 }, parseQuery("boiler"))).toBeNull();
  });

  it("throws if any chunk is missing, instead of finding less", async () => {
    const { search, chunks } = await makeSearch([texts]);
    for (const [no, bytes] of [...chunks]) {
      chunks.delete(no);
      const uncached = { ...search, dictionaries: createDictionaryReader() };
      await expect(rank(uncached, parseQuery('"is broken"')), `chunk ${no}`).rejects.toThrow(MissingChunkError);
      chunks.set(no, bytes);
    }
    expect(chunks.size).toBe(4);
  });
});
