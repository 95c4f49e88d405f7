import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Clause, parseQuery, removeQuotes } from "./query.ts";

const spelled = (clause: Clause): string => {
  if (clause.kind === "word") return clause.form;
  return clause.kind === "prefix" ? `${clause.prefix}*` : `"${clause.forms.join(" ")}"`;
};
const wanted = (text: string) => parseQuery(text).wanted.map(spelled);
const excluded = (text: string) => parseQuery(text).excluded.map(spelled);

describe("[SRCH-10] a query asks for", () => {
  it.each<[string, string, string[]]>([
    ["words", "old bridge", ["old", "bridge"]],
    ["each word once, in any form", "bridge Bridges", ["bridge"]],
    [
      "phrases in quotes of any kind",
      '"a b" “c d” „e f“ „g h” «i j» »k l« 「m n」『o p』',
      ['"a b"', '"c d"', '"e f"', '"g h"', '"i j"', '"k l"', '"m n"', '"o p"'],
    ],
    [
      "phrases in single quotes",
      "'a b' ‘c d’ ‚e f‘ ‹g h› ('i j') title:'k l'",
      ['"a b"', '"c d"', '"e f"', '"g h"', '"i j"', "title", '"k l"'],
    ],
    [
      "apostrophes as text",
      "the boys' toys, '90s hits, o'brien's rock 'n roll",
      ["boys", "toys", "90s", "hits", "brien", "rock", "n", "roll"],
    ],
    ["apostrophes in single quotes", "'o'brien's dog' x", ['"o brien s dog"', "x"]],
    ["a phrase behind a sign", 'title:"old bridge" x', ["title", '"old bridge"', "x"]],
    ["words where a quote never ends", '"old bridge „new', ["old", "bridge", "new"]],
    ["inches as text", 'a 5" pipe 3" long', ["5", "pipe", "3", "long"]],
    ["a phrase of one word, in that form", '"bridges"', ['"bridges"']],
    ["beginnings", "bicy* old", ["bicy*", "old"]],
    ["text, where signs are not syntax", "a+b=c AND (d OR e):* foo*bar", ["a", "b", "c", "d", "e", "foo", "bar"]],
    ["words of a run that is joined by signs", "well-known x.y*", ["well", "known", "x", "y*"]],
    ["telling words only", "where is the bridge", ["bridge"]],
    ["all words when none is telling", "to be or not to be", ["to", "be", "or", "not"]],
    ["pairs of a script without spaces", "东京都", ["东京", "京都"]],
    ["its one character as a beginning", "东", ["东*"]],
    ["its characters apart", "x东 东京", ["x", "东*", "东京"]],
    ["a phrase of such a script without its last character", '"东京都"', ['"东京 京都"']],
    ["a pair in quotes", '"东京"', ["东京"]],
    ["one character in quotes", '"东"', ["东*"]],
    ["nothing of nothing", '"" - * "', []],
    ["a minus alone as text", "a - box", ["box"]],
  ])("%s", (_, text, clauses) => expect(wanted(text)).toEqual(clauses));

  it.each([
    ["How much did the boiler cost?", ["boiler", "cost"]],
    ["how many crabs", ["crabs"]],
    ["What time does the ferry leave?", ["ferry", "leave"]],
    ["What size is the dress?", ["size", "dress"]],
    ["Wie hoch war der Selbstbehalt?", ["selbstbehalt"]],
    ["Wie lange gilt die Garantie?", ["gilt", "garantie"]],
    ["a long ribbon", ["long", "ribbon"]],
    ["war der Worlds", ["war", "der", "worlds"]],
  ])("[SRCH-30] ignores question words: %s", (text, words) => expect(wanted(text)).toEqual(words));

  it("nothing that is excluded", () => {
    expect(excluded('bridge -old -"new town" well-known')).toEqual(["old", '"new town"']);
    expect(wanted("bridge -old")).toEqual(["bridge"]);
    expect(excluded("bridge -well-known -old* -東京")).toEqual(['"well known"', "old*", "东京"]);
  });

  it.each([
    ["--watch", ["watch"]],
    ["run -v now", ["run", "v"]],
    ["-120,00 EUR", ["120", "00", "eur"]],
    ["-5°C outside", ["5", "c", "outside"]],
    ["bridge - old", ["bridge", "old"]],
    ["well-known", ["well", "known"]],
    ["-boiler", ["boiler"]],
    ['-"old boiler"', ['"old boiler"']],
  ])("text for %s, where the minus is not an exclusion", (text, words) => {
    expect(excluded(text)).toEqual([]);
    expect(wanted(text)).toEqual(expect.arrayContaining(words));
  });

  it("a limited number of words, and counts the omitted ones", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => `w${String.fromCharCode(97 + (i % 26), 97 + ((i / 26) | 0))}q`).join(" ");
    expect(parseQuery(many(100))).toMatchObject({ omittedCount: 0 });
    expect(wanted(many(100))).toHaveLength(100);
    expect(wanted(many(600))).toHaveLength(512);
    expect(parseQuery(many(600)).omittedCount).toBe(88);
    expect(parseQuery(`"${many(100)}"`).wanted[0]).toMatchObject({ kind: "phrase" });
  });

  it("[SRCH-47] every syllable of a Vietnamese query, in no other form", () => {
    const question = "Năm 2010 dân số của Hà Nội là bao nhiêu và ai đã đến?";
    const syllables = ["nam", "2010", "dan", "so", "cua", "ha", "noi", "la", "bao", "nhieu", "va", "ai", "da", "den"];
    expect(wanted(question)).toEqual(syllables);
    for (const clause of parseQuery(question).wanted)
      if (clause.kind === "word") expect(clause.inflections).toMatchObject({ exact: [clause.form], prefixes: [] });
    expect(wanted("who is Nguyễn Văn")).toEqual(["nguyen", "van"]);
    expect(wanted("Wo ist die Straße?")).toEqual(["strasse"]);
  });

  it("[SRCH-48] an acronym that would be a stop word in lower case", () => {
    const acronyms = (text: string) =>
      parseQuery(text).wanted.flatMap((clause) => (clause.kind === "word" && clause.isAcronym ? [clause.form] : []));
    expect(acronyms("who went to the ER")).toEqual(["er"]);
    expect(acronyms("the NASA launch")).toEqual([]);
    expect(acronyms("WHO WENT TO THE ER")).toEqual([]);
  });

  it.each<[string, [string, string][]]>([
    [
      "old stone bridge",
      [
        ["old", "stone"],
        ["stone", "bridge"],
      ],
    ],
    ["the old bridge of the town", [["old", "bridge"]]],
    ['old "stone bridge" town', []],
    [
      "old bridge -stone town",
      [
        ["old", "bridge"],
        ["bridge", "town"],
      ],
    ],
    ["bridge bridges old", [["bridge", "old"]]],
    ["old TH-25/1893 bridge", []],
    ["old bri* town", []],
    ["東京都", [["东京", "京都"]]],
  ])("[SRCH-44] adjacent words: %s", (text, pairs) => {
    const { wanted: clauses, adjacent } = parseQuery(text);
    expect(adjacent.map((pair) => pair.map((n) => spelled(clauses[n]!)))).toEqual(pairs);
  });

  it.each<[string, string, object[]]>([
    ["a word with a hyphen", "e-mail", [{ clauses: [0, 1], joined: "email" }]],
    ["a name in code", "getUserById", [{ clauses: [0, 1, 2, 3], joined: "getuserbyid" }]],
    ["a name in other code", "max_retry_count", [{ clauses: [0, 1, 2], joined: "maxretrycount" }]],
    ["a name with an apostrophe", "O’Brien", [{ clauses: [0], joined: "obrien" }]],
    ["an amount", "1,234.50", [{ clauses: [0, 1] }]],
    ["an amount with a space", "1\u202f234,50\u00a0€", [{ clauses: [0, 1] }]],
    ["an amount with its sign", "$1,234.50", [{ clauses: [0, 1, 2] }]],
    ["an address", "example.org/my-page", [{ clauses: [2, 3], joined: "mypage" }, { clauses: [0, 1, 2, 3] }]],
    ["pairs of one text", "东京都", [{ clauses: [0, 1] }]],
    ["a fraction", "1½", [{ clauses: [0, 0, 1] }]],
    ["none where spaces are", "old\u00a0stone bridge", []],
    ["none of a beginning", "getUs*", []],
  ])("runs: %s", (_, text, runs) => expect(parseQuery(text).runs).toEqual(runs));

  it.each<[string, string, object[]]>([
    [
      "a reference number",
      "Rechnung R-2026-0117.",
      [{ form: "rechnung" }, { forms: ["r", "2026", "0117"], identifier: "R-2026-0117", joined: "r20260117" }],
    ],
    ["a number with slashes", "(42/815/00423)", [{ forms: ["42", "815", "00423"], identifier: "42/815/00423" }]],
    ["a date", "on 2026-03-14", [{ forms: ["2026", "03", "14"], identifier: "2026-03-14" }]],
    ["letters and digits in one piece", "TH-25b", [{ forms: ["th", "25", "b"], identifier: "TH-25b" }]],
    ["no words without a digit", "well-known", [{ form: "well" }, { form: "known" }]],
    ["no decimal", "1.5 1,234.50", [{ form: "1" }, { form: "5" }, { form: "1234" }, { form: "50" }]],
    ["no time of day", "16:30", [{ form: "16" }, { form: "30" }]],
    ["no beginning", "R-2026*", [{ form: "r" }, { prefix: "2026" }]],
  ])("[SRCH-23] identifiers: %s", (_, text, clauses) => expect(parseQuery(text).wanted).toMatchObject(clauses));

  it("the prefix of a word with several parts as a whole", () => {
    expect(wanted("getUs* a1b2* x-ra*")).toEqual(["getus*", "a1b2*", "x", "ra*"]);
  });

  it("the words of a phrase without its quotes", () => {
    expect(wanted(removeQuotes('"old bridge" «new town» -"red barn" x "y'))).toEqual([
      "old",
      "bridge",
      "new",
      "town",
      "x",
      "y",
    ]);
    expect(excluded(removeQuotes('x -"red barn"'))).toEqual(['"red barn"']);
  });

  it("something or nothing, but never fails", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(fc.constantFrom('"', "-", "*", "“", "”", " ", "a", "东", "'")).map((parts) => parts.join("")),
        ),
        (text) => {
          for (const clause of [...parseQuery(text).wanted, ...parseQuery(text).excluded])
            expect(spelled(clause)).not.toBe("");
        },
      ),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });
});

describe("[SRCH-10] stop words", () => {
  it.each<[string, string, string[]]>([
    ["capitals are respected", "When did we go to the ER", ["go", "er"]],
    ["and so are names", "where is my son Will", ["son", "will"]],
    ["but not in a title", "The Lord Of The Rings", ["lord", "rings"]],
    ["nor at the beginning of a sentence", "I fell. Was it the bridge?", ["fell", "bridge"]],
    ["nor where all is in capitals", "WHERE IS THE BRIDGE", ["bridge"]],
    ["nor where they are meant as signs", "bridge AND town OR road", ["bridge", "town", "road"]],
    ["words of other languages tell", "blue hat", ["blue", "hat"]],
    ["a war too", "world war", ["world", "war"]],
    ["a son too", "my son", ["son"]],
    ["and to die", "he may die", ["may", "die"]],
    ["Al and LA", "Al in LA", ["al", "la"]],
    ["German", "was ist die Versicherung", ["versicherung"]],
    ["German by its letters", "die Kündigung", ["kundigung"]],
    ["French", "quand est l'anniversaire de ma mère ?", ["anniversaire", "mere"]],
    ["Spanish", "¿Cuándo fue la reunión con el señor?", ["reunion", "senor"]],
    ["Russian", "когда была встреча", ["встреча"]],
    ["a contraction", "what's wrong, don't we'll Macy's", ["wrong", "macy"]],
    ["all words when none tells", "it is what it is", ["it", "is", "what"]],
    ["a contraction alone", "don't", ["don", "t"]],
    ["words bound by signs", "my-company.io", ["my", "company", "io"]],
    ["parts of a name", "YouTube", ["you", "tube"]],
    ["none next to a phrase", 'what is "old bridge"', ['"old bridge"']],
  ])("%s", (_, text, clauses) => expect(wanted(text)).toEqual(clauses));

  it("turn a query into a question", () => {
    expect(parseQuery("where is the bridge").isQuestion).toBe(true);
    expect(parseQuery("bridge?").isQuestion).toBe(true);
    expect(parseQuery("blue hat").isQuestion).toBe(false);
    expect(parseQuery("Macy's l'hôtel").isQuestion).toBe(false);
    expect(parseQuery("example.org/to/my-page").isQuestion).toBe(false);
  });
});
