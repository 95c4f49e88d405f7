import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, isUnspaced, maxFormLength, stemWord, tokenize } from "./tokenize.ts";

const forms = (text: string) => tokenize(text).map(({ form }) => form);

describe("[SRCH-10] the words of a text", () => {
  it.each<[string, string, string[]]>([
    ["plain ones", "Old bridge, second try!", ["old", "bridge", "second", "try"]],
    [
      "with accents, composed or not",
      "Café cafe\u0301 Straße Ærø ŁÓDŹ İstanbul",
      ["cafe", "cafe", "strasse", "aero", "lodz", "istanbul"],
    ],
    ["of other alphabets", "Привет שָׁלוֹם مَرحبا γειά ΣΟΦΟΣ", ["привет", "שלום", "مرحبا", "γεια", "σοφοσ"]],
    ["of Russian, where й is no и and ё is е", "Ёлка Андрей Андреи\u0306", ["елка", "андрей", "андрей"]],
    [
      "of Arabic, in one spelling",
      "أرسلتُ إلى آل ٱلوَثيقَةَ الكـــتاب کتاب",
      ["ارسلت", "الي", "ال", "الوثيقه", "الكتاب", "كتاب"],
    ],
    ["of scripts without spaces, in pairs", "东京都 ไทย", ["东京", "京都", "都", "ไท", "ทย", "ย"]],
    ["of Chinese, in simplified characters", "這個週末", ["这个", "个周", "周末", "末"]],
    [
      "of Japanese, in one kana of one width",
      "ラーメン ｶﾞｯｺｳ",
      ["らー", "ーめ", "めん", "ん", "がっ", "っこ", "こう", "う"],
    ],
    ["of mixed scripts", "shop手机!", ["shop", "手机", "机"]],
    ["pictures, whole", "hi 👩‍👩‍👧 ok 👍🏽 🇩🇪", ["hi", "👩👩👧", "ok", "👍", "🇩🇪"]],
    ["numbers in any digits", "１２ ١٢ १२ ๑๒", ["12", "12", "12", "12"]],
    ["fractions as two numbers", "½ cup", ["1", "2", "cup"]],
    ["line-breaking characters inside a word", "Ver\u00adsicherung", ["versicherung"]],
    ["none", " .,-!? … \u{1d173} '", []],
    ["none of marks alone", "'s ﹅", ["s"]],
  ])("%s", (_, text, expected) => expect(forms(text)).toEqual(expected));

  it.each<[string, string, string[]]>([
    ["at an apostrophe", "l'assurance", ["lassurance", "l", "assurance"]],
    ["at an apostrophe of any kind, before any letter", "l’été", ["lete", "l", "ete"]],
    ["at the same before a plain one", "l'été", ["lete", "l", "ete"]],
    ["at the letter apostrophe", "пʼять", ["пять", "п", "ять"]],
    ["at a possessive, which remains a separate word", "Macy's", ["macys", "macy", "s"]],
    ["at several", "rock'n'roll", ["rocknroll", "rock", "n", "roll"]],
    ["before a Turkish ending", "İstanbul’da", ["istanbulda", "istanbul", "da"]],
    ["at a joiner that shows nothing", "می\u200cشود", ["ميشود", "مي", "شود"]],
    ["at the point of Catalan", "col·lecció", ["colleccio", "col", "leccio"]],
    ["in a Hebrew abbreviation", 'צה"ל', ["צהל", "צה", "ל"]],
    ["in camelCase", "getUserById", ["getuserbyid", "get", "user", "by", "id"]],
    ["around capitals", "parseHTTPResponse", ["parsehttpresponse", "parse", "http", "response"]],
    ["in camelCase with accents", "ÜberGroß", ["ubergross", "uber", "gross"]],
    ["not before the s of a plural", "PDFs", ["pdfs"]],
    ["between letters and digits", "COVID19", ["covid19", "covid", "19"]],
    ["at all of these", "iPhone15Pro", ["iphone15pro", "i", "phone", "15", "pro"]],
    ["not in a number that has letters", "a1b2c3d4e5f6", ["a1b2c3d4e5f6"]],
    ["at raised and lowered digits", "10⁶", ["106", "10", "6"]],
    ["in thousands", "1,234,567", ["1234567", "1", "234", "567"]],
    ["in thousands of other kinds", "1.234", ["1234", "1", "234"]],
    ["in thousands with a space that does not break", "1\u202f234", ["1234", "1", "234"]],
    ["in thousands of India", "12,34,567", ["1234567", "12", "34", "567"]],
    ["in thousands with a unit", "10,000km", ["10000", "10", "000", "km"]],
  ])("include parts and the whole %s", (_, text, expected) => expect(forms(text)).toEqual(expected));

  it.each<[string, string, string[]]>([
    ["decimals are separate words", "1,234.50", ["1234", "1", "234", "50"]],
    ["in Europe too", "1.234,50", ["1234", "1", "234", "50"]],
    ["an address has no thousands", "192.168.178.42", ["192", "168", "178", "42"]],
    ["nor has its end", "10.1.192.168", ["10", "1", "192", "168"]],
    ["nor a small number", "0.123", ["0", "123"]],
    [
      "nor groups that are too short or too long",
      "1,2345 1,23 1,234,5678",
      ["1", "2345", "1", "23", "1", "234", "5678"],
    ],
    ["nor a long list", "1,234,567,890,123,456,789,012,345", "1 234 567 890 123 456 789 012 345".split(" ")],
  ])("numbers: %s", (_, text, expected) => expect(forms(text)).toEqual(expected));

  it("have positions; a whole has that of its first part", () => {
    expect(tokenize("met O'Brien's dog").map(({ form, start, end, position }) => [form, start, end, position])).toEqual(
      [
        ["met", 0, 3, 0],
        ["obriens", 4, 13, 1],
        ["o", 4, 5, 1],
        ["brien", 6, 11, 2],
        ["s", 12, 13, 3],
        ["dog", 14, 17, 4],
      ],
    );
    expect(tokenize("1,234 x").map(({ start, end, position }) => [start, end, position])).toEqual([
      [0, 5, 0],
      [0, 1, 0],
      [2, 5, 1],
      [6, 7, 2],
    ]);
  });

  it("do not depend on the text after them", () => {
    const plain = fc.oneof(
      fc.stringMatching(/^[a-zA-Z0-9'.,]{1,14}$/),
      fc.stringMatching(/^(?:[aBs1]|[éÉяЯ]|'|’){1,10}$/u),
    );
    // A mark behind it makes it go the long way.
    const viaMark = (text: string) => tokenize(`${text}x\u0301`).filter(({ form }) => !form.endsWith("x"));
    fc.assert(
      fc.property(plain, (text) => {
        const seam = `${text}'`;
        expect(viaMark(seam).map(({ form }) => form)).toEqual(
          tokenize(`${seam}x`)
            .filter(({ form }) => !form.endsWith("x"))
            .map(({ form }) => form),
        );
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
    fc.assert(
      fc.property(plain, (text) => {
        expect(forms(`${text}…`)).toEqual(forms(text));
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("are wholes that consist of their parts", () => {
    const run = fc.array(fc.constantFrom("a", "B", "ab", "Éa", "1", "22", "'", "’", ",", "é", "я"), { maxLength: 8 });
    fc.assert(
      fc.property(run, (pieces) => {
        const words = tokenize(pieces.join(""));
        for (const [i, { form, start, end, position }] of words.entries()) {
          if (words[i + 1]?.position !== position) continue;
          const parts = words.slice(i + 1).filter((part) => part.start >= start && part.end <= end);
          expect(parts.map((part) => part.form).join("")).toBe(form);
        }
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("have correct offsets, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        let [last, count] = [0, 0];
        for (const { form, start, end, position } of tokenize(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(form).not.toBe("");
          expect([count, count - 1]).toContain(position);
          last = start;
          count = position + 1;
        }
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("are truncated if they are too long", () => {
    expect(forms("a".repeat(100))[0]).toHaveLength(maxFormLength);
    expect(fold("a".repeat(100))).toHaveLength(maxFormLength);
    expect(fold("é".repeat(100))).toHaveLength(maxFormLength);
    expect(forms(`${"'a".repeat(100)}`)[0]).toHaveLength(maxFormLength);
    expect(forms(`${"Bridge".repeat(20)}`)[0]).toHaveLength(maxFormLength);
  });

  it("omit characters that fold to nothing", () => {
    expect(forms("'s")).toEqual(["s"]);
    expect(forms("\u3164 x")).toContain("x");
  });
});

it("[SRCH-10] folds character by character unless neighbours matter", () => {
  const text = fc.string({ unit: fc.constantFrom(..."aéÉßяйёı٠أة東ラｶﾞ각ᄀ़क्①½ǅİΣς\u0301\u0306и") });
  fc.assert(
    fc.property(text, (each) => {
      expect(fold(`${each}\u0301`)).toBe(fold(each));
    }),
    { numRuns: chooseRuns(1000, 10_000) },
  );
});

describe("[SRCH-10] stems", () => {
  it.each([
    ["bridges", "bridg"],
    ["bridge", "bridg"],
    ["running", "run"],
    ["it", "it"],
    ["2nds", "2nds"],
    ["straße", "straße"],
  ])("%s is %s", (form, stem) => expect(stemWord(form)).toBe(stem));

  it("keep the first letter, which highlighting relies on", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,12}$/),
        fc.constantFrom("", "s", "ies", "ed", "ing", "ational", "y", "eed", "sses"),
        (word, ending) => {
          expect(stemWord(word + ending)[0]).toBe(word[0]);
        },
      ),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });
});

it("recognizes scripts without spaces", () => {
  expect(isUnspaced("東")).toBe(true);
  expect(isUnspaced("east")).toBe(false);
});
