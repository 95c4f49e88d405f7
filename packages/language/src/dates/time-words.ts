import data from "../../data/time-words.json" with { type: "json" };

/** How each supported language expresses dates, folded: no capitals, no accents. */

type Words = ReadonlySet<string>;

const units = ["day", "week", "month", "quarter", "year"] as const;
export type Unit = (typeof units)[number];

/** Word sequences, longest first. */
export type Introducers = readonly (readonly string[])[];

export interface TimeLanguage {
  readonly months: ReadonlyMap<string, number>;
  /** Monday is 1. */
  readonly weekdays: ReadonlyMap<string, number>;
  /** Days from today: yesterday is -1. */
  readonly days: ReadonlyMap<string, number>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly units: ReadonlyMap<string, Unit>;
  readonly pluralUnits: ReadonlyMap<string, Unit>;
  /** "last month": the previous calendar month. */
  readonly last: Words;
  /** "past month": the days up to today. */
  readonly past: Words;
  /** "last" before a number. */
  readonly lasts: Words;
  readonly this: Words;
  readonly next: Words;
  /** Before a month, a quarter or a year. */
  readonly in: Introducers;
  /** Before a relative time: in the last week. */
  readonly inThe: Introducers;
  /** Before a date. */
  readonly on: Introducers;
  /** Before a weekday. */
  readonly onDay: Introducers;
  readonly since: Introducers;
  readonly until: Introducers;
  readonly before: Introducers;
  readonly after: Introducers;
  readonly from: Introducers;
  readonly to: Introducers;
  readonly between: Introducers;
  readonly and: Introducers;
  /** Between a day and its month, or a month and its year. */
  readonly of: Words;
  /** Nouns are capitalized, so a capital does not make them part of a title. */
  readonly capitalNouns: boolean;
}

const parseWords = (list: string): Words => new Set(list.split(" ").filter((word) => word !== ""));

/** Maps the words of a list to values by position. A slash separates spellings; `-` skips a position. */
function indexWords<T>(list: string, values: readonly T[]): ReadonlyMap<string, T> {
  return new Map(
    list
      .split(" ")
      .flatMap((spellings, i) =>
        spellings === "-" ? [] : spellings.split("/").map((each) => [each, values[i]!] as const),
      ),
  );
}

const parseIntroducers = (list: string): Introducers =>
  list
    .split(/,\s*/)
    .filter((words) => words !== "")
    .map((words) => words.split(" "))
    .sort((a, b) => b.length - a.length);

const twelve = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const fromTwo = twelve.slice(1);
const aroundToday = [0, -1, -2, 1];

type Table = (typeof data.languages)["en"] & { readonly capitalNouns?: boolean };

const createLanguage = (table: Table): TimeLanguage => ({
  months: indexWords(table.months, twelve),
  weekdays: indexWords(table.weekdays, twelve),
  days: indexWords(table.days, aroundToday),
  numbers: indexWords(table.numbers, fromTwo),
  units: indexWords(table.units, units),
  pluralUnits: indexWords(table.pluralUnits, units),
  last: parseWords(table.last),
  past: parseWords(table.past),
  lasts: parseWords(table.lasts),
  this: parseWords(table.this),
  next: parseWords(table.next),
  in: parseIntroducers(table.in),
  inThe: parseIntroducers(table.inThe),
  on: parseIntroducers(table.on),
  onDay: parseIntroducers(table.onDay),
  since: parseIntroducers(table.since),
  until: parseIntroducers(table.until),
  before: parseIntroducers(table.before),
  after: parseIntroducers(table.after),
  from: parseIntroducers(table.from),
  to: parseIntroducers(table.to),
  between: parseIntroducers(table.between),
  and: parseIntroducers(table.and),
  of: parseWords(table.of),
  capitalNouns: table.capitalNouns ?? false,
});

/**
 * Ambiguous words are left out: `voor` (before, for), `morgen` and `mañana` (tomorrow, morning), `von` and `de` alone (of), and
 * `ab`, which points to the future.
 */
export const timeLanguages: readonly TimeLanguage[] = Object.values<Table>(data.languages).map(createLanguage);

/** Only next to a year or a day, because some of them are names or words. */
export const shortMonths: ReadonlyMap<string, number> = indexWords(data.shortMonths, twelve);

/** Months that are first names too. */
export const nameMonths = parseWords(data.nameMonths);

/** Before a time, these say that it is a topic, a comparison or an exclusion, not a filter. */
export const nonFilterWords = parseWords(data.nonFilterWords);

/** Before a month and its year, these leave open which part of it, or which side of it, is meant. */
export const vagueWords = parseWords(data.vagueWords);

export const connectives = parseWords(data.connectives);

/** Nouns followed by a number that may look like a month: invoice 2026-03. */
export const numberedNouns = parseWords(data.numberedNouns);
