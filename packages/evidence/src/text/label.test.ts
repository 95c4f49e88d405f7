import fc from "fast-check";
import { expect, it } from "vitest";
import { cleanLabel, isolateLabel } from "./label.ts";

it("[WEB-11] removes controls, direction controls and invisible characters, and keeps letters, emoji and joiners", () => {
  expect(cleanLabel("\u202eClaude\u2066 \u001b[31mred\u0007\r\nAllow\u200b \u0085ed\u2028x")).toBe(
    "Claude [31mred Allow ed x",
  );
  expect(cleanLabel("Zoë’s 👩‍💻 می‌خواهم")).toBe("Zoë’s 👩‍💻 می‌خواهم");
  expect(cleanLabel("\u202e\u2066\u200b")).toBe("");
});

it("[WEB-11] bounds the length and does not cut a character in half", () => {
  expect(cleanLabel("x".repeat(10_000))).toBe(`${"x".repeat(120)}…`);
  expect(cleanLabel("👩".repeat(100), 5)).toBe("👩👩…");
  expect(cleanLabel(`${"\u202e".repeat(10_000)}name`)).toBe("…");
});

it("[WEB-11] isolates right-to-left names in plain text, and leaves others as they are", () => {
  expect(isolateLabel("Claude")).toBe("Claude");
  expect(isolateLabel("שלום 5")).toBe("\u2068שלום 5\u2069");
  expect(isolateLabel("\u2069\u202eعربي")).toBe("\u2068عربي\u2069");
});

it("[WEB-11] leaves no character that acts on its surroundings, whatever the name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (name) => {
      const shown = cleanLabel(name);
      expect(shown).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u);
      expect(shown.length).toBeLessThanOrEqual(121);
      expect(shown.isWellFormed()).toBe(true);
    }),
  );
});
