import stringWidth from "string-width";
import { expect, it } from "vitest";
import { measureWidth } from "./width.ts";

it("measures every character as string-width does, alone and next to others", () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x30_00; code += 1) {
    const character = String.fromCodePoint(code);
    for (const text of [character, `a${character}`, `${character}é…`])
      if (measureWidth(text) !== stringWidth(text)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
  expect(["日本", "👩‍👩‍👧", "e\u0301", "\u001b[1mbold\u001b[0m"].map(measureWidth)).toEqual([4, 2, 1, 4]);
});
