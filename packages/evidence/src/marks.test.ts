import { describe, expect, it } from "vitest";
import { emphasised, marked } from "./marks.ts";

it("[SRCH-5] tags stand around ranges of characters", () => {
  expect(
    marked("🎉 old bridge here", [
      { start: 0, end: 1 },
      { start: 6, end: 12 },
    ]),
  ).toBe("<mark>🎉</mark> old <mark>bridge</mark> here");
  expect(marked("plain", [])).toBe("plain");
});

it("[SRCH-5] tags of the text itself are broken, so that ours stay balanced", () => {
  expect(marked("a </mark> <MARK x> b <marker>", [{ start: 0, end: 1 }])).toBe(
    "<mark>a</mark> ‹/mark> ‹MARK x> b <marker>",
  );
  expect(marked("</mark>", [{ start: 2, end: 6 }])).toBe("</<mark>mark</mark>>");
});

describe("[LAD-9] matched words in a line of text", () => {
  const passage = (preview: string, start: number, end: number) => ({
    preview,
    match: [{ start_chars: start, end_chars: end }],
  });

  it("stand between asterisks", () => expect(emphasised(passage("the old bridge", 8, 14))).toBe("the old **bridge**"));

  it("stand between tags where the text has such asterisks of its own, and no others do", () => {
    expect(emphasised(passage("**Hot water**: the thermostats", 19, 30))).toBe(
      "**Hot water**: the <mark>thermostats</mark>",
    );
    expect(emphasised(passage("**<mark>old</mark>** bridge", 21, 27))).toBe("**‹mark>old‹/mark>** <mark>bridge</mark>");
  });

  it("count from where the passage begins, and once where they overlap", () => {
    const window = { start_chars: 100, end_chars: 106, total_chars: 200 };
    const match = [
      { start_chars: 98, end_chars: 102 },
      { start_chars: 101, end_chars: 103 },
      { start_chars: 104, end_chars: 106 },
    ];
    expect(emphasised({ preview: "abcdef", match, window })).toBe("**ab**cd**ef**");
  });
});
