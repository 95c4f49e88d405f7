import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteWriter } from "../segment/bytes.ts";
import { readPostings, writePosting } from "../segment/posting-list.ts";
import { matchPhrase, type PhraseWord } from "./match-phrase.ts";

type Text = readonly string[];

/** The lists of a word in these texts, which are documents from 1, at most `maxDocs` in a list. */
function encodeWord(texts: readonly Text[], word: string, maxDocs: number): PhraseWord {
  const found = texts.flatMap((text, n) => {
    const places = text.flatMap((each, place) => (each === word ? [place] : []));
    return places.length === 0 ? [] : [{ doc: n + 1, places, length: text.length }];
  });
  const lists: PhraseWord[number][] = [];
  for (let n = 0; n < found.length; n += maxDocs) {
    const some = found.slice(n, n + maxDocs);
    const [postings, positions] = [new ByteWriter(), new ByteWriter()];
    let before = some[0]!.doc;
    for (const { doc, places, length } of some) {
      writePosting(postings, doc - before, places.length, length);
      before = doc;
      for (const [i, place] of places.entries()) positions.writeNumber(place - (places[i - 1] ?? 0));
    }
    lists.push({ postings: readPostings(postings.take(), some[0]!.doc, some.length), positions: positions.take() });
  }
  return lists;
}

const countPhrase = (text: Text, phrase: Text): number =>
  text.filter((_, at) => phrase.every((word, n) => text[at + n] === word)).length;

it("[SRCH-10] finds a phrase in the same documents, and as often, as reading the texts does", () => {
  const word = fc.constantFrom("a", "a", "a", "b", "b", "c");
  const texts = fc.array(fc.array(word, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      texts,
      fc.array(word, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      (all, phrase, max) => {
        const found = matchPhrase(phrase.map((each) => encodeWord(all, each, max)));
        const expected = all.flatMap((text, n) => {
          const count = countPhrase(text, phrase);
          return count === 0 ? [] : [{ doc: n + 1, count, length: text.length }];
        });
        const docs = [...(found?.docs ?? [])];
        expect(docs.map((doc, n) => ({ doc, count: found?.frequencies[n], length: found?.lengths[n] }))).toEqual(
          expected,
        );
      },
    ),
    { numRuns: 500 },
  );
});

it("throws if positions are truncated", () => {
  const texts = [["a", "b"], ["a"], ["a", "b"]];
  const words = ["a", "b"].map((word) => encodeWord(texts, word, 9));
  const cut = words.map((lists) =>
    lists.map(({ postings, positions }) => ({ postings, positions: positions.subarray(0, 1) })),
  );
  expect(() => matchPhrase(cut)).toThrow(RangeError);
});
