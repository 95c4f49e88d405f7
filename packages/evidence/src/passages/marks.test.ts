import { describe, expect, it } from "vitest";
import { highlightMatches, highlightRanges } from "./marks.ts";

it("[SRCH-5] puts tags around ranges of characters", () => {
  expect(
    highlightRanges("🎉 old bridge here", [
      { start: 0, end: 1 },
      { start: 6, end: 12 },
    ]),
  ).toBe("<mark>🎉</mark> old <mark>bridge</mark> here");
  expect(highlightRanges("plain", [])).toBe("plain");
});

it.each(["a </mark> b", "a <MARK x> b", "a <mark>b</mark>"])(
  "[EVI-11] shows a text that has the tags itself unhighlighted and unchanged: %s",
  (text) => expect(highlightRanges(text, [{ start: 0, end: 1 }])).toBe(text),
);

it("[EVI-11] highlights a text with a tag that only starts like ours", () =>
  expect(highlightRanges("a <marker> b", [{ start: 0, end: 1 }])).toBe("<mark>a</mark> <marker> b"));

describe("[EVI-11] the matches of a passage", () => {
  const passage = (preview: string, start: number, end: number) => ({
    preview,
    match: [{ start_chars: start, end_chars: end }],
  });

  it("are inside tags, even if the text contains asterisks", () => {
    expect(highlightMatches(passage("the old bridge", 8, 14))).toBe("the old <mark>bridge</mark>");
    expect(highlightMatches(passage("**Hot water**: the thermostats", 19, 30))).toBe(
      "**Hot water**: the <mark>thermostats</mark>",
    );
  });

  it("count from the start of the passage, once if they overlap", () => {
    const window = { start_chars: 100, end_chars: 106, total_chars: 200 };
    const match = [
      { start_chars: 98, end_chars: 102 },
      { start_chars: 101, end_chars: 103 },
      { start_chars: 104, end_chars: 106 },
    ];
    expect(highlightMatches({ preview: "abcdef", match, window })).toBe("<mark>ab</mark>cd<mark>ef</mark>");
  });
});
