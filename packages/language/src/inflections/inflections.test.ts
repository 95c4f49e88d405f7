import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, stemWord } from "../words/tokenize.ts";
import { getInflections } from "./inflections.ts";

const weight = (asked: string, form: string): number => getInflections(fold(asked), asked).weigh(fold(form));
/** Whether the dictionary is looked at where the form stands. */
const reaches = (asked: string, form: string): boolean => {
  const { exact, prefixes } = getInflections(fold(asked), asked);
  return exact.includes(fold(form)) || prefixes.some((prefix) => fold(form).startsWith(prefix));
};

describe("[SRCH-10] matches a word in its other forms, in both directions", () => {
  it.each([
    ["English", "company companies, run running, fly flies, lie lying, repair repaired, go going"],
    [
      "irregular English",
      "goose geese, child children, analysis analyses, knife knives, run ran, ran running, buy bought, go went",
    ],
    [
      "British and American",
      "colour color, organise organized, organisation organize, centre center, centre centers, catalogue catalog",
    ],
    [
      "British and American too",
      "travelled traveling, defence defense, analyse analyze, grey gray, theatre theater, dialogue dialog",
    ],
    [
      "German",
      "Rechnung Rechnungen, Monat Monate, Haus Häuser, Apfel Äpfel, kaufen gekauft, schnelles schnelle, Ergebnis Ergebnisse",
    ],
    ["German umlauts", "Müller Mueller, mueller Müller, Muller Müller, Häuser Haeuser"],
    ["German plurals in -er", "Kind Kinder, Krankenhaus Krankenhäuser, Fahrrad Fahrräder, Buch Büchern"],
    [
      "French",
      "facture factures, cheval chevaux, bateau bateaux, acheter acheté, directeur directrice, réserver réservée",
    ],
    ["Spanish", "reunión reuniones, niño niños, hablar hablado, vez veces"],
    ["Portuguese", "reunião reuniões, ação ações, homem homens"],
    ["Italian", "libro libri, fattura fatture, banca banche, amico amici, prenotare prenotato"],
    ["Dutch", "boek boeken, huis huizen, kat katten, jaar jaren, rekening rekeningen"],
    ["Swedish", "faktura fakturor, räkning räkningar"],
    ["Finnish", "talo talossa, Helsinki Helsingissä"],
    ["Hungarian", "ház házban, iroda irodában"],
    ["Turkish", "fatura faturası, ödeme ödemeler"],
    ["Polish and Czech", "faktura faktury, Łódź Łodzi, schůzka schůzce, Praha Praze"],
    ["Romanian", "contract contractul, factura facturii"],
    ["Russian", "москва Москве, встреча встречи, бюджет бюджета, купить купила, новая новый, вернуться вернулся"],
    ["Ukrainian", "зустріч зустрічі, Київ Києві, будинок будинку"],
    ["Greek", "συνάντηση συναντήσεις, Αθήνα Αθήνας"],
    ["Arabic", "ميزانية الميزانية, محامي المحامي, كتاب بالكتاب, مدرسة والمدرسة, سيارة السيارات"],
    ["Hebrew", "תקציב בתקציב, תקציב התקציב, פגישה הפגישה, ספר ספרים"],
    ["Hindi", "बैठक बैठकें"],
    ["a language without known endings", "தொகை தொகையை"],
  ])("%s", (_, pairs) => {
    for (const pair of pairs.split(", ")) {
      const [one, other] = pair.split(" ") as [string, string];
      const expected = fold(one) === fold(other) ? 1 : 0.9;
      expect([pair, weight(one, other), weight(other, one)]).toEqual([pair, expected, expected]);
      expect([pair, reaches(one, other), reaches(other, one)]).toEqual([pair, true, true]);
    }
  });
});

describe("[SRCH-10] keeps words apart that only look like forms of each other", () => {
  it.each([
    [
      "English words with an ending of another language",
      "corn corner, number numb, mark market, plan planet, wall wallet, doll dollar, cell cellar, story store",
    ],
    [
      "more of them",
      "flow flower, show shower, wind window, hand handle, sing single, fact factor, tail tailor, rock rocket, plane plant",
    ],
    [
      "others",
      "rabbit rabbi, liver live, poker poke, data date, car care, hat hate, cat catalog, theme them, close closet, list listen",
    ],
    ["names", "Maria Mario, Paul Paula, Louis Louise, Daniel Daniela"],
    ["plurals of such", "strip stripes, plan planes"],
    ["guests", "guest gust, poets pots"],
    ["short words", "ab abs, 東京 東"],
    ["numbers", "123 1234, b2 b23"],
  ])("%s", (_, pairs) => {
    for (const pair of pairs.split(", ")) {
      const [one, other] = pair.split(" ") as [string, string];
      expect([pair, weight(one, other), weight(other, one)]).toEqual([pair, 0, 0]);
    }
  });
});

describe("[SRCH-10] inflections", () => {
  const anyForm = fc.oneof(
    fc.stringMatching(/^[a-z]{1,12}$/),
    fc.stringMatching(/^[а-я]{1,10}$/),
    fc.stringMatching(/^[אבגדהוזחטיכלמנ]{1,8}$/),
    fc.stringMatching(/^[ابتثجحخدلوم]{1,8}$/),
    fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).map(fold),
  );

  it("start with the word itself and are few", () => {
    fc.assert(
      fc.property(anyForm, (form) => {
        const { exact, prefixes, weigh } = getInflections(form);
        expect(exact[0]).toBe(form);
        expect(weigh(form)).toBe(1);
        expect(exact.length).toBeLessThan(200);
        expect(prefixes.length).toBeLessThanOrEqual(8);
        for (const prefix of prefixes) expect(prefix.length).toBeGreaterThanOrEqual(3);
        for (const other of exact.slice(1)) expect(weigh(other)).toBe(0.9);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("contain nothing that a lookup would miss", () => {
    const ending = fc.constantFrom(
      "",
      "s",
      "es",
      "ies",
      "ed",
      "ing",
      "y",
      "ational",
      "ization",
      "ability",
      "e",
      "en",
      "er",
      "ами",
    );
    fc.assert(
      fc.property(anyForm, anyForm, ending, ending, (form, other, one, two) => {
        const { exact, prefixes, weigh } = getInflections(form + one);
        for (const each of [other, form + two, form]) {
          if (weigh(each) === 0) continue;
          expect(exact.includes(each) || prefixes.some((prefix) => each.startsWith(prefix))).toBe(true);
        }
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("of an English word include everything with the same stem", () => {
    const ending = fc.constantFrom("", "s", "es", "ed", "ing", "y", "ational", "ization", "iveness", "ability", "er");
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,9}$/), ending, ending, (word, one, two) => {
        if (stemWord(word + one) !== stemWord(word + two) || stemWord(word + one).length < 3) return;
        expect(getInflections(word + one).weigh(word + two)).toBeGreaterThan(0);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });
});
