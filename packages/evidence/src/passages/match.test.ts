import { createHash } from "node:crypto";
import { parseQuery } from "@pdpp/language/query/query";
import { measureGrowth } from "@pdpp/test-support/processes/cpu-time";
import { describe, expect, it } from "vitest";
import { budget } from "../sizes/budget.ts";
import { countChars, sliceChars } from "../text/text.ts";
import { cutWindowFrom } from "../windows/window.ts";
import { findMatchWindows, matchEvidence } from "./match.ts";
import { sumWeights } from "./passages.ts";
import { findSpans } from "./spans.ts";

const bytes = Buffer.concat(
  Array.from({ length: 30 }, (_, i) => createHash("sha512").update(String(i)).digest()),
).toString("base64");
/** As a number of two letters, for digits make a word of their own. */
const letters = (i: number) => String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26));
const found = (text: string, query: string) =>
  findSpans(text, parseQuery(query)).map(({ start, end }) => text.slice(start, end));
const windows = (text: string, query: string) => findMatchWindows(text, parseQuery(query));
const marked = (text: string, query: string) => windows(text, query).map((window) => window.marked);

describe("[SRCH-10] a query matches", () => {
  it.each<[string, string, string, string[]]>([
    ["a word in any of its forms", "Runs, running; he ran a marathon of runners", "run", ["Runs", "running", "ran"]],
    ["any case and accents", "CAFÉ, cafe, Cafés", "café", ["CAFÉ", "cafe", "Cafés"]],
    ["a prefix", "bicycle Bicycles bike", "bicy*", ["bicycle", "Bicycles"]],
    [
      "a phrase, word by word in these forms",
      "old bridge, old bridges, bridge old; Old-Bridge",
      '"old bridge"',
      ["old bridge", "Old-Bridge"],
    ],
    [
      "a phrase that begins again within itself",
      "a b a b a c a b a b a b a c",
      '"a b a b a c"',
      ["a b a b a c", "a b a b a c"],
    ],
    ["phrases that overlap", "ha ha ha", '"ha ha"', ["ha ha", "ha ha"]],
    ["pairs of a script without spaces", "東京都庁", "東京都", ["東京", "京都"]],
    ["a phrase of such a script", "京都の東京都庁", '"東京都"', ["東京都"]],
    ["a single character of such a script", "東京の東", "東", ["東", "東"]],
    ["a name with an apostrophe, by its part", "O'Brien's dog", "brien", ["Brien"]],
    ["a name with an apostrophe, by the whole", "Mr O’Brien", "obrien", ["O’Brien"]],
    ["a name with an apostrophe, as written", "Mr O'Brien", "O’Brien", ["O'Brien", "Brien"]],
    ["a word that may also be written as one", "an email, an e-mail", "e-mail", ["email", "email", "e", "mail"]],
    ["a phrase across parts of a word", "met O'Brien now, obrien now", '"brien now"', ["Brien now"]],
    ["a phrase that ends with a whole", "to O'Brien", '"to obrien"', ["to O'Brien"]],
    ["a phrase of thirty-two words", `${"a ".repeat(40)}b`, `"${"a ".repeat(31)}b"`, [`${"a ".repeat(31)}b`]],
    ["a word in another spelling", "Mueller, Müller", "müller", ["Mueller", "Müller"]],
    ["a pictograph", "party 🎉!", "🎉", ["🎉"]],
    ["nothing that was excluded", "old bridge", "old -bridge", ["old"]],
    ["nothing", "old bridge", "zebra", []],
    ["nothing for an empty query", "old bridge", "", []],
  ])("%s", (_, text, query, matches) => expect(found(text, query)).toEqual(matches));

  it("forms that search also accepted", () => {
    const text = "Die Haftpflichtversicherung zahlt den Wasserschaden.";
    const also = new Map([[1, new Set(["haftpflichtversicherung"])]]);
    expect(findSpans(text, parseQuery("schaden versicherung"), undefined, also)).toEqual([
      { start: 4, end: 27, clause: 1 },
    ]);
    expect(findMatchWindows(text, parseQuery("schaden versicherung"), { also })[0]!.marked).toContain(
      "<mark>Haftpflichtversicherung</mark>",
    );
  });

  it("in long texts piece by piece, including phrases across pieces", () => {
    const filler = "lorem ipsum ".repeat(Math.ceil(budget.match.scanUnits / 12));
    const text = `${filler.slice(0, budget.match.scanUnits - 4)} old bridge ${filler} zebra`;
    expect(found(text, '"old bridge"')).toEqual(["old bridge"]);
    expect(found(text, "zebra")).toEqual(["zebra"]);
    expect(found("x".repeat(3 * budget.match.scanUnits), "x*")).toHaveLength(1);
  });

  it("until there are enough matches", () => {
    const text = "bridge ".repeat(50_000);
    expect(findSpans(text, parseQuery("bridge")).length).toBeLessThan(budget.match.scanUnits);
    expect(findSpans(text, parseQuery("bridge")).length).toBeGreaterThanOrEqual(budget.match.spans);
  });
});

describe("[LAD-1] a matching passage", () => {
  const filler = "Some other words that tell nothing of it at all. ".repeat(12);

  it("[LAD-2] has context on both sides, cut between words", () => {
    const [window] = windows(`${filler}We crossed the old bridge at dawn. ${filler}`, "bridge");
    expect(window!.preview).toMatch(/^\S.*We crossed the old bridge at dawn\. Some .*\S$/s);
    expect(window!.marked).toMatch(/^…\S.* <mark>bridge<\/mark> .*\S…$/s);
    expect(window!.clauses).toBe(1);
  });

  it("[LAD-2] is the bare word only if the field contains nothing else", () => {
    expect(marked("bridge", "bridge")).toEqual(["<mark>bridge</mark>"]);
    expect(marked("the bridge", "bridge")).toEqual(["the <mark>bridge</mark>"]);
    expect(marked("Bridges\n", "bridge")).toEqual(["<mark>Bridges</mark>\n"]);
  });

  it("highlights overlapping matches as one", () => {
    expect(marked("東京都庁", "東京都")).toEqual(["<mark>東京都</mark>庁"]);
    expect(marked("an old bridge", 'bridge "old bridge" old')).toEqual(["an <mark>old bridge</mark>"]);
  });

  it("[EVI-11] highlights parts joined by punctuation as one match, and separate words as two", () => {
    expect(marked("die Rechnung R-2026-0117 über 486,71 €", "Rechnung R-2026-0117")).toEqual([
      "die <mark>Rechnung</mark> <mark>R-2026-0117</mark> über 486,71 €",
    ]);
    expect(marked("an old, stone bridge", "old stone")).toEqual(["an <mark>old</mark>, <mark>stone</mark> bridge"]);
  });

  it("[EVI-11] shows a passage that contains the tag unchanged", () => {
    expect(marked("the <mark>old</mark> bridge", "bridge")).toEqual(["the <mark>old</mark> bridge"]);
  });

  it("[EVI-12] shows a short field in full, wherever the match is", () => {
    const text = `The old bridge. ${"Some other words. ".repeat(20)}`.slice(0, 400);
    for (const query of ["bridge", "words"]) expect(windows(text, query)[0]!.preview).toBe(text);
    expect(windows(`${text}!`, "bridge")[0]!.preview.length).toBeLessThan(400);
  });

  it("[EVI-12] never omits only the first or last few dozen characters", () => {
    const before = "Some words that come earlier and say little about it. ".repeat(6);
    for (let rest = 1; rest < 120; rest += 1) {
      const text = `${before}The bridge ${"was closed and ".repeat(9)}${"x".repeat(rest)}`;
      const left = countChars(text) - windows(text, "bridge")[0]!.end;
      expect(left === 0 || left > 40).toBe(true);
      const mirrored = `${"x".repeat(rest)} ${"was closed and ".repeat(9)} the bridge ${before}`;
      const { start } = windows(mirrored, "bridge")[0]!;
      expect(start === 0 || start > 40).toBe(true);
    }
  });

  it("[EVI-12] ends with a sentence or a line when one ends nearby", () => {
    const line = "a line of some fifty characters without a full stop\n".repeat(12);
    expect(windows(`${line}the bridge was closed\n${line}`, "bridge")[0]!.preview).toMatch(
      /^(a|the) .*(stop|closed)$/s,
    );
    const sentences = `${filler}The bridge was closed. ${"Nobody crossed it then. ".repeat(30)}`;
    expect(windows(sentences, "bridge")[0]!.preview).toMatch(/^[A-Z].*\.$/s);
  });

  it.each([
    "Paid out: 2,600 − 150 = 2,450.00 € on the same day and so on",
    "met on 16 January 2026 at 7:30 in the hall and so on",
    "costs EUR 1 250 000 a year for everybody and so on",
    "call 030 / 123 45 67 or write to us and so on",
  ])("[EVI-12] never starts or ends inside or next to a number: %s", (numbers) => {
    const words = (n: number) => "some words ".repeat(40).slice(0, n);
    for (let shift = 0; shift < 120; shift += 1) {
      const after = `${filler}bridge ${words(60 + shift)} ${numbers} ${words(400)}`;
      const [window] = windows(after, "bridge");
      const rest = sliceChars(after, window!.end, countChars(after));
      expect(/\d\P{L}{0,3}$/u.test(window!.preview) && rest.trim() !== "").toBe(false);
      expect(/^\P{L}{0,4}\d/u.test(rest)).toBe(false);
      const before = `${words(400)} ${numbers} ${words(60 + shift)} bridge ${filler}`;
      const [other] = windows(before, "bridge");
      const head = sliceChars(before, 0, other!.start);
      expect(/^\P{L}{0,3}\d/u.test(other!.preview)).toBe(false);
      expect(/\d\P{L}{0,4}$/u.test(head)).toBe(false);
    }
  });

  it("gives unused space of one side to the other", () => {
    expect(windows(`bridge ${filler}`, "bridge")[0]!.preview.length).toBeGreaterThan(budget.match.previewChars - 40);
    expect(windows(`${filler} bridge`, "bridge")[0]!.preview.length).toBeGreaterThan(budget.match.previewChars - 40);
  });

  it("is the earliest passage with the most query words", () => {
    const text = `A bridge. ${filler}The old stone bridge. ${filler}An old stone bridge again.`;
    expect(windows(text, "bridge stone old")[0]!.preview).toContain("The old stone bridge.");
    expect(windows(text, "bridge")[0]!.start).toBe(0);
  });

  it("is followed by passages for words the first does not show", () => {
    const text = `The old bridge. ${filler}A stone. ${filler}Some more stones, and a heron. ${filler}`;
    const shown = windows(text, "bridge old stone heron");
    expect(shown.map(({ preview }) => ["bridge", "heron"].filter((word) => preview.includes(word)))).toEqual([
      ["bridge"],
      ["heron"],
    ]);
    expect(shown.map(({ clauses }) => sumWeights(clauses))).toEqual([2, 2]);
    expect(findMatchWindows(text, parseQuery("bridge heron"), { maxPassages: 1 })).toHaveLength(1);
  });

  it("does not overlap others", () => {
    const text = `alpha ${"x ".repeat(80)}beta ${"y ".repeat(80)}gamma ${"z ".repeat(80)}`;
    const shown = windows(text, "alpha beta gamma").toSorted((a, b) => a.start - b.start);
    expect(shown.length).toBeGreaterThan(1);
    for (const [i, window] of shown.entries()) expect(window.start).toBeGreaterThanOrEqual(shown[i - 1]?.end ?? 0);
  });

  it("distinguishes 32 clauses", () => {
    const words = Array.from({ length: 40 }, (_, i) => `q${letters(i)}q`);
    const shown = findMatchWindows(words.join(" "), parseQuery(words.join(" ")), { maxPassages: 3 });
    expect(shown.reduce((sum, { clauses }) => sum + sumWeights(clauses), 0)).toBe(32);
  });

  it("uses the clauses with the greatest weight beyond 32", () => {
    const words = Array.from({ length: 40 }, (_, i) => `q${letters(i)}q`);
    const weights = words.map((_, i) => i);
    const query = parseQuery(`${words.join(" ")} ab-cd`);
    const also = new Map([
      [0, new Set(["zebra"])],
      [39, new Set(["heron"])],
    ]);
    expect(findMatchWindows(words[0]!, query, { weights })).toEqual([]);
    expect(findMatchWindows(words[39]!, query, { weights })).toHaveLength(1);
    expect(findMatchWindows("zebra", query, { weights, also })).toEqual([]);
    expect(findMatchWindows("heron", query, { weights, also })).toHaveLength(1);
  });

  it("shows an overlong match from its start", () => {
    const long = "a".repeat(400);
    const [window] = windows(`before it ${long} behind it`, long);
    expect(window!.preview).toBe(`before it ${long.slice(0, budget.match.coreChars)}`);
    expect(window!.marked).toBe(`before it <mark>${long.slice(0, budget.match.coreChars)}</mark>…`);
    expect(window!.matches).toEqual([{ start: 10, end: 410 }]);
  });

  it("omits a phrase that does not fit, unless there is nothing else", () => {
    const phrase = Array.from({ length: 32 }, (_, i) => `wordnumber${letters(i)}`).join(" ");
    const query = `bridge "${phrase}"`;
    const [apart] = windows(`The bridge is near ${phrase} and ${phrase} is near the bridge.`, query);
    expect(apart!.marked).toBe("The <mark>bridge</mark> is near…");
    const [, , behind] = windows(`${phrase} and ${filler}${phrase} is not near the bridge.`, `bridge "${phrase}"`);
    expect(behind).toBeUndefined();
    const [close] = windows(`bridge ${phrase}. bridge`, query);
    expect(close!.marked).toMatch(/^<mark>bridge<\/mark> <mark>wordnumberaa .*<\/mark>…$/);
    const mirrored = windows(`${phrase} bridge`, query).find(({ preview }) => preview.endsWith("bridge"));
    expect(mirrored!.marked).toMatch(/^…<mark>wordnumber\w+ .*<\/mark> <mark>bridge<\/mark>$/);
    const beyond = windows(`${phrase} and the bridge`, query).find(({ preview }) => preview.endsWith("bridge"));
    expect(beyond!.marked).toBe("…and the <mark>bridge</mark>");
  });

  it("[BIG-4] neither lies in encoded bytes nor shows them", () => {
    const word = /[A-Za-z]{4,}/.exec(bytes.slice(600))![0];
    expect(windows(`see ${bytes}`, word)).toEqual([]);
    expect(marked(`the bridge ${bytes} of stone and ${bytes}`, "bridge stone")).toEqual([
      "the <mark>bridge</mark> …",
      "…of <mark>stone</mark> and…",
    ]);
  });

  it("does not exist without a match", () => expect(windows("old bridge", "zebra")).toEqual([]));

  it("takes time linear in the text", async () => {
    const queries = ["bridge", "zebra", '"dolor sit amet" bridg* zebra', `"${"lorem ".repeat(500)}"`];
    const match = (times: number) => () => {
      const text = "lorem ipsum dolor sit amet bridge consectetur 🎉 ".repeat(times);
      for (const query of queries) windows(text, query);
    };
    expect(await measureGrowth(match(2100), match(21_000))).toBeLessThan(50);
  });
});

describe("[LAD-6] the evidence of a hit", () => {
  const place = { connectionId: "cin_a", stream: "messages", recordId: "m1", version: "3" };
  const text = `${"🎉 before ".repeat(90)}the old bridge ${"behind ".repeat(300)}`;
  const total = Array.from(text).length;

  it("states its offsets, what matched, and the next read", () => {
    const [window] = windows(text, "bridge");
    const evidence = matchEvidence(place, "text", total, window!);
    expect(evidence).toMatchObject({
      field_path: "text",
      match: [{ start_chars: 818, end_chars: 824 }],
      window: { start_chars: window!.start, end_chars: window!.end, total_chars: total },
      truncated: true,
      read: { operation: "readField", arguments: { field: "text", offset_chars: 422, version: "3" } },
    });
    expect(sliceChars(text, window!.start, window!.end)).toBe(evidence.preview);
  });

  it("[LAD-8] continues at the match, not at the start", () => {
    const { read, match } = matchEvidence(place, "text", total, windows(text, "bridge")[0]!);
    if (read.operation !== "readField") throw new Error("another read");
    const { offset_chars: from = 0 } = read.arguments;
    const window = cutWindowFrom(sliceChars(text, from, total), from, budget.window.chars);
    expect(sliceChars(window.text, match[0]!.start_chars - window.start, match[0]!.end_chars - window.start)).toBe(
      "bridge",
    );
    const before = match[0]!.start_chars - window.start;
    expect(before).toBeLessThanOrEqual(budget.window.beforeChars);
    expect(before).toBeGreaterThan(budget.window.beforeChars - 40);
  });

  it("[EVI-13] reads a field that fits one window from its start", () => {
    const short = `${"before ".repeat(100)}the old bridge ${"behind ".repeat(100)}`;
    const { read } = matchEvidence(place, "text", short.length, windows(short, "bridge")[0]!);
    expect(read).toMatchObject({ operation: "readField", arguments: { field: "text" } });
    expect(read.arguments).not.toHaveProperty("offset_chars");
  });

  it("[WIN-7] continues between two words", () => {
    for (let shift = 0; shift < 8; shift += 1) {
      const shifted = `${"before ".repeat(90)}${"y".repeat(shift)} the old bridge ${"behind ".repeat(400)}`;
      const { read } = matchEvidence(place, "text", shifted.length, windows(shifted, "bridge")[0]!);
      if (read.operation !== "readField") throw new Error("another read");
      const from = read.arguments.offset_chars ?? 0;
      expect(shifted.slice(from - 1, from + 1)).toMatch(/\s/);
    }
  });

  it("is not truncated if it shows everything", () => {
    const [window] = windows("the old bridge", "bridge");
    expect(matchEvidence(place, "text", 14, window!).truncated).toBe(false);
  });
});
