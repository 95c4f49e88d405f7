import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery } from "../query/query.ts";
import { parseQuestionTime } from "./question-time.ts";
import { timeLanguages } from "./time-words.ts";

/** A question, since and until as a day with the offset at its beginning (`-` is none), and the words that say so. */
type DatedQuestion = [question: string, since: string, until: string, words: string];

/** The day after the clocks of Berlin went forward. */
const berlin = { now: Date.parse("2026-03-30T10:00:00Z"), timeZone: "Europe/Berlin" };
const inBerlin: DatedQuestion[] = [
  ["boiler 2026-03", "2026-03-01+01", "2026-04-01+02", "2026-03"],
  ["2026-03 boiler", "2026-03-01+01", "2026-04-01+02", "2026-03"],
  ["boiler March 2026", "2026-03-01+01", "2026-04-01+02", "March 2026"],
  ["boiler in March", "2026-03-01+01", "2026-04-01+02", "in March"],
  ["what did Ada write last March?", "2025-03-01+01", "2025-04-01+02", "last March"],
  ["boiler this March", "2026-03-01+01", "2026-04-01+02", "this March"],
  ["power bill in 2025", "2025-01-01+01", "2026-01-01+01", "in 2025"],
  ["boiler today", "2026-03-30+02", "2026-03-31+02", "today"],
  ["boiler yesterday", "2026-03-29+01", "2026-03-30+02", "yesterday"],
  ["boiler last week", "2026-03-23+01", "2026-03-30+02", "last week"],
  ["boiler last month", "2026-02-01+01", "2026-03-01+01", "last month"],
  ["boiler last year", "2025-01-01+01", "2026-01-01+01", "last year"],
  ["boiler this week", "2026-03-30+02", "2026-04-06+02", "this week"],
  ["boiler this month", "2026-03-01+01", "2026-04-01+02", "this month"],
  ["boiler this year", "2026-01-01+01", "2027-01-01+01", "this year"],
  ["boiler last 3 days", "2026-03-27+01", "2026-03-31+02", "last 3 days"],
  ["boiler in the last three weeks", "2026-03-09+01", "2026-03-31+02", "in the last three weeks"],
  ["boiler last 6 months", "2025-09-30+02", "2026-03-31+02", "last 6 months"],
  ["boiler past 14 days", "2026-03-16+01", "2026-03-31+02", "past 14 days"],
  ["boiler past week", "2026-03-23+01", "2026-03-31+02", "past week"],
  ["boiler since March", "2026-03-01+01", "-", "since March"],
  ["boiler since 2026-03-01", "2026-03-01+01", "-", "since 2026-03-01"],
  ["boiler before 2026-04-01", "-", "2026-04-01+02", "before 2026-04-01"],
  ["boiler until June", "-", "2026-07-01+02", "until June"],
  ["boiler between March and May 2026", "2026-03-01+01", "2026-06-01+02", "between March and May 2026"],
  ["boiler from 2026-03-01 to 2026-03-15", "2026-03-01+01", "2026-03-16+01", "from 2026-03-01 to 2026-03-15"],
  ["boiler on 14 March 2026", "2026-03-14+01", "2026-03-15+01", "on 14 March 2026"],
  ["boiler on March 14, 2026", "2026-03-14+01", "2026-03-15+01", "on March 14, 2026"],
  ["boiler on the 14th of March", "2026-03-14+01", "2026-03-15+01", "on the 14th of March"],
  ["boiler on 2026-03-14", "2026-03-14+01", "2026-03-15+01", "on 2026-03-14"],
  ["boiler on Monday", "2026-03-30+02", "2026-03-31+02", "on Monday"],
  ["boiler last Monday", "2026-03-23+01", "2026-03-24+01", "last Monday"],
  ["boiler Q1 2026", "2026-01-01+01", "2026-04-01+02", "Q1 2026"],
  ["boiler in Q1 2026", "2026-01-01+01", "2026-04-01+02", "in Q1 2026"],
  ["boiler since March until May", "2026-03-01+01", "2026-06-01+02", "since March until May"],
  ["Rechnung letzten März", "2025-03-01+01", "2025-04-01+02", "letzten März"],
  ["Rechnung im März", "2026-03-01+01", "2026-04-01+02", "im März"],
  ["Rechnung im Jahr 2025", "2025-01-01+01", "2026-01-01+01", "im Jahr 2025"],
  ["Rechnung letzte Woche", "2026-03-23+01", "2026-03-30+02", "letzte Woche"],
  ["Rechnung gestern", "2026-03-29+01", "2026-03-30+02", "gestern"],
  ["Rechnung vom 14. März 2026", "2026-03-14+01", "2026-03-15+01", "vom 14. März 2026"],
  ["Rechnung am 14.3.2026", "2026-03-14+01", "2026-03-15+01", "am 14.3.2026"],
  ["Rechnung in den letzten 3 Monaten", "2025-12-30+01", "2026-03-31+02", "in den letzten 3 Monaten"],
  ["Rechnung zwischen März und Mai 2026", "2026-03-01+01", "2026-06-01+02", "zwischen März und Mai 2026"],
  ["Rechnung seit März", "2026-03-01+01", "-", "seit März"],
  ["mails reçus en mars", "2026-03-01+01", "2026-04-01+02", "en mars"],
  ["les mails reçus hier", "2026-03-29+01", "2026-03-30+02", "hier"],
  ["facture le mois dernier", "2026-02-01+01", "2026-03-01+01", "le mois dernier"],
  ["facture l'année dernière", "2025-01-01+01", "2026-01-01+01", "l'année dernière"],
  ["facture en mars 2026", "2026-03-01+01", "2026-04-01+02", "en mars 2026"],
  ["facture le 14 mars 2026", "2026-03-14+01", "2026-03-15+01", "le 14 mars 2026"],
  ["facture depuis mars", "2026-03-01+01", "-", "depuis mars"],
  ["facture du 1 mars au 15 mars 2026", "2026-03-01+01", "2026-03-16+01", "du 1 mars au 15 mars 2026"],
  ["facture cette semaine", "2026-03-30+02", "2026-04-06+02", "cette semaine"],
  ["les 3 derniers jours facture", "2026-03-27+01", "2026-03-31+02", "les 3 derniers jours"],
  ["factura el mes pasado", "2026-02-01+01", "2026-03-01+01", "el mes pasado"],
  ["factura ayer", "2026-03-29+01", "2026-03-30+02", "ayer"],
  ["factura en marzo de 2026", "2026-03-01+01", "2026-04-01+02", "en marzo de 2026"],
  ["factura el 14 de marzo de 2026", "2026-03-14+01", "2026-03-15+01", "el 14 de marzo de 2026"],
  ["factura los últimos 3 meses", "2025-12-30+01", "2026-03-31+02", "los últimos 3 meses"],
  ["factura la semana pasada", "2026-03-23+01", "2026-03-30+02", "la semana pasada"],
  ["fattura a marzo", "2026-03-01+01", "2026-04-01+02", "a marzo"],
  ["fattura il mese scorso", "2026-02-01+01", "2026-03-01+01", "il mese scorso"],
  ["fattura ieri", "2026-03-29+01", "2026-03-30+02", "ieri"],
  ["fattura l'anno scorso", "2025-01-01+01", "2026-01-01+01", "l'anno scorso"],
  ["fattura quest'anno", "2026-01-01+01", "2027-01-01+01", "quest'anno"],
  ["fattura il 14 marzo 2026", "2026-03-14+01", "2026-03-15+01", "il 14 marzo 2026"],
  ["factuur vorige maand", "2026-02-01+01", "2026-03-01+01", "vorige maand"],
  ["factuur gisteren", "2026-03-29+01", "2026-03-30+02", "gisteren"],
  ["factuur in maart", "2026-03-01+01", "2026-04-01+02", "in maart"],
  ["factuur op 14 maart 2026", "2026-03-14+01", "2026-03-15+01", "op 14 maart 2026"],
  ["factuur sinds maart", "2026-03-01+01", "-", "sinds maart"],
  ["factuur dit jaar", "2026-01-01+01", "2027-01-01+01", "dit jaar"],
  ["Last week boiler", "2026-03-23+01", "2026-03-30+02", "Last week"],
  ["In March, what did Ada say?", "2026-03-01+01", "2026-04-01+02", "In March"],
  ["boiler next April", "2026-04-01+02", "2026-05-01+02", "next April"],
  ["boiler tomorrow", "2026-03-31+02", "2026-04-01+02", "tomorrow"],
  ["boiler last quarter", "2025-10-01+02", "2026-01-01+01", "last quarter"],
  ["boiler this Monday", "2026-03-30+02", "2026-03-31+02", "this Monday"],
  ["boiler on Sunday", "2026-03-29+01", "2026-03-30+02", "on Sunday"],
  ["boiler since Saturday", "2026-03-28+01", "-", "since Saturday"],
  ["boiler after 2026-03-29", "2026-03-30+02", "-", "after 2026-03-29"],
  ["boiler between 2026-03-28 and 2026-03-30", "2026-03-28+01", "2026-03-31+02", "between 2026-03-28 and 2026-03-30"],
  ["boiler from November to February", "2025-11-01+01", "2026-03-01+01", "from November to February"],
  ["boiler on 31 December", "2025-12-31+01", "2026-01-01+01", "on 31 December"],
  ["boiler in December", "2025-12-01+01", "2026-01-01+01", "in December"],
  ["boiler since yesterday", "2026-03-29+01", "-", "since yesterday"],
  ["boiler before 2026", "-", "2026-01-01+01", "before 2026"],
  ['"expansion vessel" last week -invoice', "2026-03-23+01", "2026-03-30+02", "last week"],
];

/** Late on the day after the clocks of New York went forward; in UTC it is the next day. */
const newYork = { now: Date.parse("2026-03-10T03:30:00Z"), timeZone: "America/New_York" };
const inNewYork: DatedQuestion[] = [
  ["boiler today", "2026-03-09-04", "2026-03-10-04", "today"],
  ["boiler yesterday", "2026-03-08-05", "2026-03-09-04", "yesterday"],
  ["boiler on Sunday", "2026-03-08-05", "2026-03-09-04", "on Sunday"],
  ["boiler last week", "2026-03-02-05", "2026-03-09-04", "last week"],
  ["boiler this week", "2026-03-09-04", "2026-03-16-04", "this week"],
  ["boiler last 3 days", "2026-03-06-05", "2026-03-10-04", "last 3 days"],
  ["boiler in March", "2026-03-01-05", "2026-04-01-04", "in March"],
  ["boiler last March", "2025-03-01-05", "2025-04-01-04", "last March"],
  ["boiler since 2026-03-08", "2026-03-08-05", "-", "since 2026-03-08"],
  ["boiler before 2026-03-08", "-", "2026-03-08-05", "before 2026-03-08"],
  ["boiler on 2026-03-08", "2026-03-08-05", "2026-03-09-04", "on 2026-03-08"],
  ["boiler on 8 March", "2026-03-08-05", "2026-03-09-04", "on 8 March"],
  ["boiler between 2026-03-07 and 2026-03-08", "2026-03-07-05", "2026-03-09-04", "between 2026-03-07 and 2026-03-08"],
  ["boiler in November 2026", "2026-11-01-04", "2026-12-01-05", "in November 2026"],
  ["boiler last year", "2025-01-01-05", "2026-01-01-05", "last year"],
  ["boiler Q4 2026", "2026-10-01-04", "2027-01-01-05", "Q4 2026"],
  ["boiler 2026-11", "2026-11-01-04", "2026-12-01-05", "2026-11"],
  ["boiler past 2 weeks", "2026-02-23-05", "2026-03-10-04", "past 2 weeks"],
];

const noTimes = [
  "Wann hat Mila ab September Klavier?",
  "Klavier ab März 2026",
  "piano à partir du 14 mars 2026",
  "piano vanaf maart 2026",
  "piano a partir de marzo de 2026",
  "may I come",
  "May I come on board",
  "march on",
  "march on Rome",
  "the long march in China",
  "the last march on Washington",
  "this may take a while",
  "what comes next may be strange",
  "invoice 2026",
  "invoice 2026-03",
  "order 2026-03",
  "order no. 2026-03",
  "Rechnung 2026-03",
  "invoice #2026-03",
  "invoice 2026-03-14",
  "2026-03-14 boiler",
  "boiler 14 March 2026",
  "boiler 14.3.2026",
  "order 4711-2026",
  "CVE-2026-03",
  "version 2026.3",
  "node v20.2026",
  "phone 0151 2026",
  "+49 30 2026 1990",
  "call 030 20262027",
  "mail from April",
  "letter to May",
  "dinner with June",
  "messages between April and June",
  "April wrote to August",
  "photos of August",
  "August Macke exhibition",
  "in August Macke",
  "in March Madness",
  "June and April wedding",
  "invoice for March 2026",
  "rent for April",
  "Rechnung für März 2026",
  "facture pour mars 2026",
  "article about March 2026",
  "end of March 2026",
  "Ende März 2026",
  "from May 2026",
  "not in March",
  "except last week",
  "more than last year",
  "same as last year",
  "Last Week Tonight",
  "This Week in Tech",
  "Beatles Yesterday",
  "USA Today subscription",
  "today's menu",
  "last year's tax return",
  "yesterday's mail",
  "last weekend",
  "last day of school",
  "the last week of school",
  '"last March" boiler',
  '„letzten März" Rechnung',
  "«en mars» facture",
  "boiler -march",
  "-boiler last March",
  "last March",
  "in 2025",
  "yesterday",
  "what was yesterday",
  "what happened in March or April",
  "boiler in March and May 2026",
  "boiler March - May 2026",
  "boiler March to May 2026",
  "boiler last week and this week",
  "boiler in summer",
  "boiler last winter",
  "boiler in spring 2026",
  "was steht hier",
  "wat staat hier",
  "in 2000 Metern Höhe",
  "in 2000 words",
  "translate in 20 days",
  "room 2026",
  "Mars in the night sky",
  "life on Mars",
  "3 last wishes",
  "on Black Friday",
  "in 1984 by Orwell",
  "bezahlt vor 3 Tagen",
  "factuur voor maart",
  "morgen Kaffee",
  "on 2026-02-30",
  "on 31 February 2026",
  "between May and April",
  'boiler "in 2025"',
  "last march*",
  "from:yesterday",
  "the past is past",
  "boiler in the 2026 report",
  "in the March meeting",
  "at 2026-03-14T10:00",
  "ISO 2026-03 standard draft",
  "boiler 3/14/2026",
  "on 3/4/2026",
  "chapter last",
  "next steps",
  "this one",
  "no last minute",
  "sept jours",
  "on May be",
  "boiler the day before yesterday",
  "l'altro ieri fattura",
  "since 2026-03-01 boiler before 2026-04-01",
  "boiler before last week",
];

const beginning = (day: string): string | undefined =>
  day === "-" ? undefined : day.replace(/([+-]\d\d)$/, "T00:00:00$1:00");

describe.each([
  ["Berlin", berlin, inBerlin],
  ["New York", newYork, inNewYork],
] as const)("[CLI-3] in %s", (_name, clock, said) => {
  test.each(said)("%s", (question, since, until, words) => {
    const time = parseQuestionTime(question, clock);
    expect([time?.since, time?.until, time?.words]).toEqual([beginning(since), beginning(until), words]);
  });
});

test.each(noTimes)("[CLI-4] finds no time in: %s", (question) => {
  expect([parseQuestionTime(question, berlin), parseQuestionTime(question, newYork)]).toEqual([null, null]);
});

test.each([
  ["what did Ada write last March?", "what did Ada write?"],
  ["In March, what did Ada say?", "what did Ada say?"],
  ["boiler (March 2026) invoice", "boiler invoice"],
  ["boiler in March, and the pump", "boiler, and the pump"],
  ['"expansion vessel" last week -invoice', '"expansion vessel" -invoice'],
  ["boiler: last week", "boiler"],
])("[CLI-3] the rest of %s", (question, rest) => {
  expect(parseQuestionTime(question, berlin)?.rest).toBe(rest);
});

test("[CLI-3] resolves a month without a year relative to today", () => {
  const asked = (question: string, now: string) => {
    const time = parseQuestionTime(question, { now: Date.parse(now), timeZone: "UTC" });
    return [time?.since, time?.until].map((day) => day?.slice(0, 7));
  };
  expect(asked("boiler in March", "2026-01-15T00:00:00Z")).toEqual(["2025-03", "2025-04"]);
  expect(asked("boiler in March", "2026-11-15T00:00:00Z")).toEqual(["2026-03", "2026-04"]);
  expect(asked("boiler last March", "2026-03-15T00:00:00Z")).toEqual(["2025-03", "2025-04"]);
  expect(asked("boiler last March", "2026-04-01T00:00:00Z")).toEqual(["2026-03", "2026-04"]);
  expect(asked("boiler next March", "2026-03-15T00:00:00Z")).toEqual(["2027-03", "2027-04"]);
  expect(asked("boiler before June", "2026-03-15T00:00:00Z")).toEqual([undefined, "2026-06"]);
  expect(asked("boiler before June", "2026-11-15T00:00:00Z")).toEqual([undefined, "2026-06"]);
});

test("[CLI-3] handles a day that starts at one o'clock because of a clock change", () => {
  const clock = { now: Date.parse("2018-11-10T12:00:00Z"), timeZone: "America/Sao_Paulo" };
  expect(parseQuestionTime("boiler on 2018-11-04", clock)?.since).toBe("2018-11-04T01:00:00-02:00");
});

const vocabulary = [
  ...timeLanguages.flatMap(({ months, weekdays, days, units, pluralUnits, last, lasts, this: these, next }) => [
    ...[...months.keys(), ...weekdays.keys(), ...days.keys(), ...units.keys(), ...pluralUnits.keys()],
    ...[...last, ...lasts, ...these, ...next],
  ]),
  ...timeLanguages.flatMap(({ in: within, inThe, on, since, until, before, after, from, to, between, and }) =>
    [within, inThe, on, since, until, before, after, from, to, between, and].flat().map((words) => words.join(" ")),
  ),
  ...[
    "2026-03",
    "2026-03-14",
    "2026-02-30",
    "14.3.2026",
    "2025",
    "2026",
    "14",
    "31.",
    "3",
    "Q1",
    "2026-Q4",
    "March",
    "May",
    "Last",
  ],
  ...["boiler", "Ada", "invoice", '"last March"', "-pump", "l'", "(", ")", ",", "?", "„", "“", "*", "'s", "-"],
];

test("[CLI-3] [CLI-4] returns an ordered range, the words that express it, and a rest that asks for the same without them", () => {
  const zones = fc.constantFrom("Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu", "UTC");
  const nows = fc.integer({ min: Date.parse("1995-01-01"), max: Date.parse("2060-01-01") });
  const glue = fc.constantFrom(" ", " ", " ", " ", ", ", "  ", "");
  const questions = fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...vocabulary) }, fc.string({ unit: "grapheme" })),
        glue,
      ),
      {
        maxLength: 9,
      },
    )
    .map((pieces) => pieces.flat().join(""));
  let understood = 0;
  fc.assert(
    fc.property(questions, nows, zones, (question, now, timeZone) => {
      const time = parseQuestionTime(question, { now, timeZone });
      if (time === null) return;
      understood += 1;
      const { since, until, words, rest } = time;
      expect(since ?? until).toBeDefined();
      if (since !== undefined && until !== undefined) expect(Date.parse(since)).toBeLessThan(Date.parse(until));
      expect(words).not.toBe("");
      expect(question).toContain(words);
      expect(rest.length).toBeLessThan(question.length);
      expect(parseQuery(rest).wanted.length).toBeGreaterThan(0);
      expect(JSON.stringify(parseQuery(rest).excluded)).toBe(JSON.stringify(parseQuery(question).excluded));
      // A date such as 14.3.2026 is an identifier while it is taken for words.
      const phrases = (text: string) =>
        parseQuery(text).wanted.filter((clause) => clause.kind === "phrase" && clause.identifier === undefined);
      expect(phrases(rest)).toEqual(phrases(question));
    }),
    { numRuns: 3000 },
  );
  expect(understood).toBeGreaterThan(50);
});
