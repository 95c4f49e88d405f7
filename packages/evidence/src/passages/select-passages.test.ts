import { parseQuery } from "@pdpp/language/query/query";
import { describe, expect, it } from "vitest";
import { type SearchedText, selectPassages } from "./select-passages.ts";

const title: SearchedText = { field: "title", text: "Boiler (Calidor 20)", role: "primary-title" };
const body: SearchedText = {
  field: "body",
  text:
    "Built 2014. Serial CAL-20-771903. The boiler is in the cellar. " +
    "Repaired on 16.01. by the fitter. Invoice R-2026-0117, 486.71 € incl. tax, paid on 26.01.",
  role: "body",
};
const actor: SearchedText = { field: "sender", text: "Nell Oakhanger", role: "actor" };

const shown = (texts: readonly SearchedText[], q: string, head: string, rarities: readonly number[] = []) =>
  selectPassages(texts, parseQuery(q), head, rarities).map(({ field, window }) => [
    field,
    ...window.marks.map(({ start, end }) => [...window.preview].slice(start, end).join("").toLowerCase()),
  ]);

describe("[LAD-9] the passages that a hit shows", () => {
  it("add to its heading in any order of fields", () => {
    for (const texts of [
      [title, body],
      [body, title],
    ])
      expect(shown(texts, "boiler invoice", title.text)).toEqual([["body", "boiler", "invoice"]]);
  });

  it("are the title alone if nothing else matched", () =>
    expect(shown([title, actor], "calidor", title.text)).toEqual([["title", "calidor"]]));

  it("repeat a word if the heading shows them all", () =>
    expect(shown([title, body], "boiler", title.text)).toEqual([["body", "boiler"]]));

  it("include the title if the heading is cut before the match", () => {
    const long: SearchedText = { ...title, text: `${"a word and ".repeat(20)}heron` };
    expect(shown([long], "heron", `${"a word and ".repeat(10)}…`)).toEqual([["title", "heron"]]);
  });

  it("prefer the body to a name that shows as much", () => {
    const text: SearchedText = { field: "text", text: "Nell wants the blue one", role: "body" };
    expect(shown([actor, text], "nell", "Chat, 2026-03-01")[0]?.[0]).toBe("text");
  });

  it("show rarer words first, and a second passage for what the first does not show", () => {
    const filler = "and so it went on from day to day without any of it ".repeat(12);
    const long: SearchedText = {
      field: "body",
      text: `A heron and an otter. ${filler} The galangal. ${filler}`,
      role: "body",
    };
    const [heron, otter, galangal] = ["heron", "otter", "galangal"];
    expect(shown([long], "heron otter galangal", "Notes", [1, 1, 5])).toEqual([
      ["body", galangal],
      ["body", heron, otter],
    ]);
    expect(shown([long], "heron otter galangal", "Notes", [3, 3, 5])[0]).toEqual(["body", heron, otter]);
  });

  it("are at most two, and the second adds something", () => {
    const filler = "and so it went on from day to day without any of it ".repeat(12);
    const long: SearchedText = { field: "body", text: `one ${filler} two ${filler} three ${filler} one`, role: "body" };
    expect(shown([long], "one two three", "Notes")).toHaveLength(2);
    expect(shown([long], "one", "Notes")).toHaveLength(1);
  });

  it("show the rarest words of a long query, and the forms accepted for them", () => {
    const words = Array.from(
      { length: 40 },
      (_, i) => `q${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}q`,
    );
    const rarities = words.map((_, i) => i);
    const text: SearchedText = { field: "text", text: `${words[0]} and ${words[39]}, a heron`, role: "body" };
    expect(shown([text], words.join(" "), "Notes", rarities)).toEqual([["text", words[39]]]);
    const also = new Map([[39, new Set(["heron"])]]);
    const [passage] = selectPassages([text], parseQuery(words.join(" ")), "Notes", rarities, also);
    expect(passage!.window.marks).toHaveLength(2);
  });
});
