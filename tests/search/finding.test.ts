import type { ReadApi } from "@pdpp/contract/operations";
import type { SearchList } from "@pdpp/contract/wire";
import { loadNotesReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Regression tests: each of these was once missed or ranked badly. */

const repeatText = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i));

const texts: Record<string, string> = {
  "fr-1": "Le contrat de l’assurance est signé",
  "fr-2": "Le contrat de l'assurance est perdu",
  it: "Ci vediamo nell'ufficio di Milano",
  tr: "İstanbul’da buluştuk",
  name: "O'Brien doesn't answer",
  code: "getUserById is slow after a 10km run, it cost $1,234.50",
  er: "We took her to the ER at night",
  hat: "A blue hat was found",
  son: "My son plays chess",
  watch: "start it with --watch and -v",
  refund: "a refund of -120,00 EUR",
  cold: "it was -5°C outside",
  vessel: "the expansion vessel was replaced",
  vepco: "a letter from vepco",
  iso: "Dentist on 2026-03-14",
  us: "Flight on 03-14-2026",
  possessive: "Macy's parade",
  macys: "macys is a shop",
  compound: "Die Haftpflichtversicherung zahlt",
  policy: "Die Versicherung zahlt nicht",
  plumber: "The plumber came",
  notes: "two words: ice cream",
  parts: "a plum falls, and la mer rises",
  invoices: "Die Rechnungen sind da",
  moscow: "Встреча в Москве",
  geese: "geese flew by",
  colour: "the colour of autumn",
  mueller: "Herr Müller rief an",
  last: "the very last word is zymurgy",
  police: "Police report VR-2026-88214, two pages",
  phoned: "They asked for vr202688214 on the phone",
  valve: "VR stands for valve regulator, see page 88214",
  claim: "report on claims of 2026",
  payout: "The payout arrived in June",
  layout: "The layout of the flyer",
  ...Object.fromEntries(
    repeatText(60, (i) => `information regarding account ${i}`).map((text, i) => [`common-${i}`, text]),
  ),
  ...Object.fromEntries(repeatText(20, (i) => `the help desk, day ${i}`).map((text, i) => [`desk-${i}`, text])),
  ...Object.fromEntries(repeatText(7, (i) => `help wanted, number ${i}`).map((text, i) => [`wanted-${i}`, text])),
};

describe.each(engineNames)("finding on %s", (engine) => {
  let vault: TestVault;
  let reader: ReadApi;

  beforeAll(async () => {
    vault = await createVault(engine);
    const records = Object.entries(texts).map(([id, text]) => ({ id, text, at: "2026-01-01T00:00:00Z" }));
    reader = await loadNotesReader(vault.store, { records, cases: [] });
  });
  afterAll(() => vault.drop());

  const find = (q: string, limit = 20): Promise<SearchList> => reader.search({ q, limit });
  const findKeys = async (q: string) => (await find(q)).data.map(({ record_key }) => record_key);
  const findFirst = async (q: string) => (await findKeys(q))[0];
  const listNotes = ({ meta }: SearchList) => meta.warnings.map(({ code, message }) => `${code}: ${message}`);

  it("[SRCH-11] finds words with apostrophes as a whole and in parts", async () => {
    for (const q of ["assurance", "l'assurance", "l’assurance"])
      expect([q, (await findKeys(q)).slice(0, 2).sort()]).toEqual([q, ["fr-1", "fr-2"]]);
    for (const q of ["ufficio", "nell’ufficio"]) expect([q, await findFirst(q)]).toEqual([q, "it"]);
    for (const q of ["istanbul", "Istanbul"]) expect([q, await findFirst(q)]).toEqual([q, "tr"]);
    for (const q of ["obrien", "brien", "O’Brien", "doesnt"]) expect([q, await findFirst(q)]).toEqual([q, "name"]);
  });

  it("[SRCH-11] finds identifiers in code, units and numbers with thousands separators as a whole and in parts", async () => {
    for (const q of ["getuserbyid", "user", "10 km", "10km", "1234.50", "1,234.50"])
      expect([q, await findFirst(q)]).toEqual([q, "code"]);
  });

  it("[SRCH-12] searches for words that are stop words only in another language", async () => {
    expect(await findFirst("When did we go to the ER")).toBe("er");
    expect(await findFirst("my son")).toBe("son");
    expect((await find("blue hat")).meta.match).toMatchObject({ all: 1 });
  });

  it("[SRCH-13] treats a minus before an option, an amount or a temperature as text", async () => {
    expect(await findKeys("--watch")).toEqual(["watch"]);
    expect(await findFirst("-v")).toBe("watch");
    expect(await findFirst("-120,00 EUR")).toBe("refund");
    expect(await findFirst("-5°C")).toBe("cold");
  });

  it("[SRCH-13] counts hits after exclusions", async () => {
    const { meta } = await find("help -the");
    expect(meta).toMatchObject({ count: 7, count_accuracy: "exact" });
  });

  it("[SRCH-14] searches for the words of a phrase that no record contains, and says so", async () => {
    const list = await find('"vessel for the expansion"');
    expect(list.data[0]?.record_key).toBe("vessel");
    expect(listNotes(list)).toEqual([
      'phrase_not_found: no record has "vessel for the expansion" word for word; its words were searched for',
    ]);
    for (const q of ["„expansion vessel“", "«expansion vessel»", "“expansion vessel”"])
      expect([q, await findKeys(q), listNotes(await find(q))]).toEqual([q, ["vessel"], []]);
  });

  it("[SRCH-15] ranks one rare word above two common ones", async () => {
    expect(await findFirst("information regarding vepco")).toBe("vepco");
  });

  it("[SRCH-15] ranks words that are adjacent in the query higher where they are adjacent in the record", async () => {
    expect(await findFirst("2026-03-14")).toBe("iso");
    expect(await findFirst("03-14-2026")).toBe("us");
    expect(await findFirst("macy")).toBe("possessive");
    expect((await findKeys("macys")).sort()).toEqual(["macys", "possessive"]);
  });

  it("[SRCH-16] reads a long question to its end", async () => {
    const words = repeatText(
      40,
      (i) => `qq${String.fromCharCode(97 + (i % 26))}${String.fromCharCode(97 + Math.floor(i / 26))}x`,
    );
    expect(await findFirst(`${words.join(" ")} zymurgy`)).toBe("last");
    const long = await find(`zymurgy ${"padding ".repeat(400)}`);
    expect(long.data[0]?.record_key).toBe("last");
    expect(listNotes(long)).toContain(
      "words_left_out: only the first 2000 characters of the question were searched for",
    );
  });

  it("[SRCH-16] searches for the rarest of very many words, and says so", async () => {
    const digits = repeatText(200, (i) => `w${String(i).replace(/\d/g, (d) => "abcdefghij"[Number(d)] ?? "")}q`);
    const list = await find(`${digits.join(" ")} zymurgy`);
    expect(list.data[0]?.record_key).toBe("last");
    expect(listNotes(list)).toContain("words_left_out: of 201 words the 128 rarest were searched for");
  });

  it("[SRCH-17] finds inflections and other spellings", async () => {
    const asked = {
      Rechnung: "invoices",
      москва: "moscow",
      goose: "geese",
      color: "colour",
      mueller: "mueller",
      Muller: "mueller",
    };
    for (const [q, key] of Object.entries(asked)) expect([q, await findFirst(q)]).toEqual([q, key]);
  });

  it("[SRCH-18] ranks compounds after the word itself, and names them", async () => {
    const list = await find("Versicherung");
    expect(list.data.map(({ record_key }) => record_key)).toEqual(["policy", "compound"]);
    expect(list.data[1]?.evidence[0]?.preview).toContain("Haftpflichtversicherung");
    expect(listNotes(list)).toEqual(["searched_also: searched also: haftpflichtversicherung (for versicherung)"]);
  });

  it("[SRCH-18] corrects a typo in, or splits, a word that no record contains", async () => {
    const slip = await find("plumer");
    expect(slip.data[0]).toMatchObject({ record_key: "plumber", evidence: [{ field_path: "text" }] });
    expect(listNotes(slip)).toEqual([
      "words_not_found: no record has: plumer",
      "searched_also: searched also: plumber (for plumer); a guess at a typo, so hits with nothing else come last",
    ]);
    const apart = await find("icecream");
    expect(apart.data.map(({ record_key }) => record_key)).toEqual(["notes"]);
    expect(listNotes(apart)).toEqual(["searched_also: searched also: ice cream (for icecream)"]);
    // Both parts occur, but never next to each other.
    const neither = await find("plummer");
    expect(neither.data.map(({ record_key }) => record_key)).toEqual(["plumber"]);
    expect(listNotes(neither)).toContain("words_not_found: no record has: plummer");
    expect((await find("xyzzyq")).data).toEqual([]);
  });

  it("[SRCH-23] finds an identifier as a whole, and its parts only if no record contains the whole", async () => {
    for (const q of ["VR-2026-88214", "vr_2026_88214"]) {
      const whole = await find(q);
      expect([q, whole.data.map(({ record_key }) => record_key)]).toEqual([q, ["police", "phoned"]]);
      expect([q, whole.meta.count, listNotes(whole)]).toEqual([q, 2, []]);
    }
    expect(await findKeys("vr/2026.88214")).toEqual(["police"]);
    const pieces = await find("VR-2026-99999");
    expect(pieces.data.map(({ record_key }) => record_key)).toEqual(
      expect.arrayContaining(["police", "valve", "claim"]),
    );
    expect(listNotes(pieces)).toEqual([
      "words_not_found: no record has: 99999",
      "phrase_not_found: no record has VR-2026-99999 as a whole; its pieces were searched for",
    ]);
  });

  it("[SRCH-23] ranks the record with the identifier above those with the other words", async () => {
    expect(await findFirst("report information regarding claims VR-2026-88214")).toBe("police");
  });

  it("[SRCH-24] does not correct a word that a record contains", async () => {
    for (const q of ["payout", "payouts"]) {
      const list = await find(q);
      expect([q, list.data.map(({ record_key }) => record_key), listNotes(list)]).toEqual([q, ["payout"], []]);
    }
  });

  it("[SRCH-25] names the words that no record contains before those searched for instead", async () => {
    const some = await find("japan flyer");
    expect(some.data.map(({ record_key }) => record_key)).toEqual(["layout"]);
    expect(listNotes(some)).toEqual(["words_not_found: no record has: japan"]);
    expect(listNotes(await find("Was the flyer from japan or xyzzyq?"))).toEqual([
      "words_not_found: no record has: japan, xyzzyq",
    ]);
    expect(listNotes(await find("北海道"))).toEqual(["words_not_found: no record has: 北海道"]);
    expect(listNotes(await find("zzz* flyer"))).toEqual(["words_not_found: no record has: zzz*"]);
    // An excluded record still contains its words.
    expect(listNotes(await find("help zymurgy -last"))).toEqual([]);
    const narrowed = await reader.search({ q: "japan", streams: ["notes"] });
    expect(listNotes(narrowed)).toEqual(["words_not_found: no record of this selection has: japan"]);
  });

  it("[SRCH-26] ranks guesses at a typo last, and counts no record as containing the word", async () => {
    const list = await find("plumer wanted");
    expect(list.data.at(-1)?.record_key).toBe("plumber");
    expect(list.meta.match).toEqual({ mode: "words", all: 0, most: 0, any: 8 });
    const question = await find("Was it the plumer on day 7?", 50);
    expect(question.data.at(-1)?.record_key).toBe("plumber");
  });
});
