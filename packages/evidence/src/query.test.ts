import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/support/long-runs.ts";
import { type Clause, parseQuery } from "./query.ts";

const spelled = (clause: Clause): string => {
  if (clause.kind === "word") return clause.form;
  return clause.kind === "prefix" ? `${clause.prefix}*` : `"${clause.forms.join(" ")}"`;
};
const wanted = (text: string) => parseQuery(text).wanted.map(spelled);
const excluded = (text: string) => parseQuery(text).excluded.map(spelled);

describe("[SRCH-10] a query asks for", () => {
  it.each<[string, string, string[]]>([
    ["words", "old bridge", ["old", "bridge"]],
    ["each word once, whatever its form", "bridge Bridges", ["bridges"]],
    ["phrases in quotes of both kinds", '"old bridge" “new town”', ['"old bridge"', '"new town"']],
    ["a phrase of one word, in that form", '"bridges"', ['"bridges"']],
    ["beginnings", "bicy* old", ["bicy*", "old"]],
    ["text, where signs are not syntax", "a+b=c AND (d OR e):* foo*bar", ["b", "c", "d", "e", "foo", "bar"]],
    ["words of a run that is joined by signs", "well-known x.y*", ["well", "known", "x", "y*"]],
    ["telling words only", "where is the bridge", ["bridge"]],
    ["all words when none is telling", "to be or not to be", ["to", "be", "or", "not"]],
    ["pairs of a script without spaces", "東京都", ["東京", "京都"]],
    ["its one character as a beginning", "東", ["東*"]],
    ["its characters apart", "x東 東京", ["x", "東*", "東京"]],
    ["a phrase of such a script without its last character", '"東京都"', ['"東京 京都"']],
    ["a pair in quotes", '"東京"', ["東京"]],
    ["one character in quotes", '"東"', ["東*"]],
    ["nothing of nothing", '"" - * "', []],
    ["a minus alone as text", "a - b2", ["b2"]],
  ])("%s", (_, text, clauses) => expect(wanted(text)).toEqual(clauses));

  it("not what is excluded", () => {
    expect(excluded('bridge -old -"new town" well-known')).toEqual(["old", '"new town"']);
    expect(wanted("bridge -old")).toEqual(["bridge"]);
  });

  it("a bounded number of things", () => {
    const many = Array.from({ length: 100 }, (_, i) => `w${i}`).join(" ");
    expect(wanted(many)).toHaveLength(32);
    expect(parseQuery(`"${many}"`).wanted[0]).toMatchObject({ kind: "phrase" });
  });

  it("no query of any kind is an error", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(fc.constantFrom('"', "-", "*", "“", "”", " ", "a", "東", "'")).map((parts) => parts.join("")),
        ),
        (text) => {
          for (const clause of [...parseQuery(text).wanted, ...parseQuery(text).excluded])
            expect(spelled(clause)).not.toBe("");
        },
      ),
      { numRuns: cases(1000, 10_000) },
    );
  });
});
