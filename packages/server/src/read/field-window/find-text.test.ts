import { countChars, sliceChars } from "@pdpp/evidence/text/text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeldText } from "../../store/records/text-source.ts";
import { findText } from "./find-text.ts";

const found = async (text: string, q: string): Promise<string | null> => {
  const range = await findText(createHeldText(text, countChars(text)).pieces(), q);
  return range && `${range.start}:${sliceChars(text, range.start, range.end)}`;
};

async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<string> {
  const points = Array.from(text);
  for (let at = 0, i = 0; at < points.length; i += 1) {
    const size = sizes[i % sizes.length]!;
    yield points.slice(at, at + size).join("");
    at += size;
  }
}

describe("a query in a text", () => {
  it("[WIN-2] matches any inflection of a word before a part of a word, ignoring case and diacritics", async () => {
    expect(await found("A party. The art of it", "art")).toBe("13:art");
    expect(await found("A party", "art")).toBe("3:art");
    expect(await found("they were walking", "walked")).toBe("10:walking");
    expect(await found("zwei Cafe\u0301s, ein CAFÉ", "café")).toBe("5:Cafe\u0301s");
    expect(await found("Naïve Übergröße", "ubergrosse")).toBe("6:Übergröße");
    expect(await found("see snake_case_Name here", "case_name")).toBe("10:case_Name");
    expect(await found("東京タワーの近く", "タワー")).toBe("2:タワー");
    expect(await found("so 🎉 nice", "🎉")).toBe("3:🎉");
  });

  it("[WIN-2] prefers the exact sequence of words, then words close together, then words anywhere", async () => {
    const far = "x ".repeat(2000);
    expect(await found("repair the boiler. boiler repair", "boiler repair")).toBe("19:boiler repair");
    expect(await found(`boiler ${far} boiler needs repair`, "boiler repair")).toMatch(/^\d+:boiler needs repair$/);
    expect(await found(`boiler ${far} repair`, "boiler repair")).toBe("0:boiler");
    expect(await found("boiler", "boiler repair")).toBeNull();
    expect(await found("the boiler", "when was the boiler repaired?")).toBe("4:boiler");
  });

  it("[WIN-2] matches verbatim when it has no words, or not at all", async () => {
    expect(await found("a => b", "=>")).toBe("2:=>");
    expect(await found("(.*)", ".*")).toBe("1:.*");
    expect(await found("anything", "?")).toBeNull();
    expect(await found("", "word")).toBeNull();
  });

  it("[WIN-3] matches at the same position however the text is split", async () => {
    const pad = fc.integer({ min: 0, max: 70_000 }).map((n) => "lorem 🎈 ipsum ".repeat(n / 14));
    await fc.assert(
      fc.asyncProperty(
        pad,
        pad,
        fc.constantFrom("the Needle", "nee👩‍👩‍👧dle", "ein Fäßchen Öl", "針と糸", "word-with_signs"),
        fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 4 }),
        async (before, after, needle, sizes) => {
          const text = `${before} ${needle} ${after}`;
          const range = await findText(
            inPieces(
              text,
              sizes.map((size) => size + 500),
            ),
            needle,
          );
          expect(range && sliceChars(text, range.start, range.end)).toBe(needle);
          expect(range?.start).toBe(countChars(before) + 1);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("[WIN-3] does not match half a word at the seam of two pieces", async () => {
    const words = `${"party ".repeat(30_000)}art`;
    expect(await found(words, "art")).toBe("180000:art");
  });
});
