import pc from "picocolors";
import { describe, expect, test } from "vitest";
import { wrapText } from "../view.ts";
import { formatFittedTable, formatProperties, formatTable } from "./table.ts";

const style = pc.createColors(false);

describe("[CLI-2] columns line up on the screen", () => {
  // A Chinese character takes two columns, a combining mark none, an emoji of several code points two.
  const rows = [
    ["日本語", "x"],
    ["cafe\u0301", "x"],
    ["👩‍👩‍👧", "x"],
    ["plain", "x"],
  ];

  test("table", () => {
    expect(formatTable(style, ["NAME", "X"], rows).split("\n")).toEqual([
      "NAME    X",
      "日本語  x",
      "cafe\u0301    x",
      "👩‍👩‍👧      x",
      "plain   x",
    ]);
  });

  test("properties", () => {
    const pairs = [
      ["日本", "1"],
      ["name", "2"],
      ["x", undefined],
    ] as const;
    expect(formatProperties(style, pairs)).toBe("日本  1\nname  2");
  });

  test("a table that must fit counts columns of the screen and cuts between characters", () => {
    const view = { style, width: 20, terminal: true };
    const wide = "漢".repeat(60);
    expect(formatFittedTable(view, ["ID", "A", "B"], [["1", "漢字漢字", "漢字漢字"]])).toBe(
      "ID  A\n1   漢字漢字\nhidden columns: B",
    );
    const [, row] = formatFittedTable({ ...view, width: 200 }, ["ID", "TEXT"], [["1", wide]]).split("\n");
    expect(row).toBe(`1   ${"漢".repeat(23)}…`);
  });

  test("wrapped", () => {
    expect(wrapText("漢字漢字 漢字漢字 abc", 12)).toBe("漢字漢字\n漢字漢字 abc");
  });
});
