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

interface Table {
  months: string;
  weekdays: string;
  /** today, yesterday, the day before, tomorrow */
  days: string;
  /** from two on */
  numbers: string;
  units: string;
  pluralUnits: string;
  last: string;
  past?: string;
  lasts: string;
  this: string;
  next: string;
  in: string;
  inThe: string;
  on: string;
  onDay: string;
  since: string;
  until: string;
  before: string;
  after: string;
  from: string;
  to: string;
  between: string;
  and: string;
  of: string;
  capitalNouns?: boolean;
}

const createLanguage = (table: Table): TimeLanguage => ({
  months: indexWords(table.months, twelve),
  weekdays: indexWords(table.weekdays, twelve),
  days: indexWords(table.days, aroundToday),
  numbers: indexWords(table.numbers, fromTwo),
  units: indexWords(table.units, units),
  pluralUnits: indexWords(table.pluralUnits, units),
  last: parseWords(table.last),
  past: parseWords(table.past ?? ""),
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
export const timeLanguages: readonly TimeLanguage[] = [
  createLanguage({
    months: "january february march april may june july august september october november december",
    weekdays: "monday tuesday wednesday thursday friday saturday sunday",
    days: "today yesterday - tomorrow",
    numbers: "two three four five six seven eight nine ten eleven twelve",
    units: "- week month quarter year",
    pluralUnits: "days weeks months quarters years",
    last: "last",
    past: "past",
    lasts: "last past previous",
    this: "this",
    next: "next",
    in: "in, during, throughout, in the year, in the month of",
    inThe: "in, during, from, within, over, in the, during the, from the, within the, over the",
    on: "on, on the",
    onDay: "on",
    since: "since, since the, ever since",
    until: "until, till, up to, until the, till the",
    before: "before, prior to, before the",
    after: "after, after the",
    from: "from, from the",
    to: "to, until, till, through, to the",
    between: "between, between the",
    and: "and, and the",
    of: "of",
  }),
  createLanguage({
    months: "januar/janner februar marz/maerz april mai juni juli august september oktober november dezember",
    weekdays: "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    days: "heute gestern vorgestern -",
    numbers: "zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    units: "- woche monat/monats quartal/quartals jahr/jahres",
    pluralUnits: "tage/tagen wochen monate/monaten quartale/quartalen jahre/jahren",
    last: "letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorige vorigen voriger voriges",
    lasts: "letzte letzten letzter vergangene vergangenen",
    this: "diese diesen dieser dieses diesem",
    next: "nachste nachsten nachster nachstes kommende kommenden kommendes",
    in: "im, in, im jahr, im jahre, wahrend",
    inThe: "im, in, von, vom, aus, in der, in den, in dem, in diesem, wahrend der, aus der, aus dem, von der",
    on: "am, vom",
    onDay: "am",
    since: "seit, seit dem, seit der",
    until: "bis, bis zum, bis zur",
    before: "vor, vor dem, vor der",
    after: "nach, nach dem, nach der",
    from: "von, vom",
    to: "bis, bis zum",
    between: "zwischen, zwischen dem",
    and: "und, und dem",
    of: "",
    capitalNouns: true,
  }),
  createLanguage({
    months: "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche",
    days: "aujourdhui hier avanthier -",
    numbers: "deux trois quatre cinq six sept huit neuf dix onze douze",
    units: "- semaine mois/moisci trimestre an/annee",
    pluralUnits: "jours semaines mois trimestres ans/annees",
    last: "dernier derniere passe passee",
    lasts: "derniers dernieres",
    this: "ce cet cette",
    next: "prochain prochaine",
    in: "en, au mois de, au mois d, pendant, durant",
    inThe: "la, le, l, les, dans les, ces, au cours des, pendant la, pendant les, durant les, de la, du, de l, des",
    on: "le, du",
    onDay: "",
    since: "depuis, depuis le, depuis la, depuis l",
    until: "jusqu en, jusqu a, jusqu au, jusqu a la",
    before: "avant, avant le, avant la, avant l",
    after: "apres, apres le, apres la",
    from: "de, d, du, depuis",
    to: "a, au, jusqu a, jusqu au, jusqu en",
    between: "entre, entre le",
    and: "et, et le",
    of: "de d",
  }),
  createLanguage({
    months: "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
    weekdays: "lunes martes miercoles jueves viernes sabado domingo",
    days: "hoy ayer anteayer/antier -",
    numbers: "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    units: "- semana mes trimestre ano",
    pluralUnits: "dias semanas meses trimestres anos",
    last: "pasado pasada",
    lasts: "ultimos ultimas pasados pasadas",
    this: "este esta",
    next: "proximo proxima",
    in: "en, durante, en el ano, en el mes de",
    inThe:
      "el, la, los, las, en, en el, en la, en los, en las, durante el, durante la, durante los, durante las, del, de la, de",
    on: "el, del",
    onDay: "el",
    since: "desde, desde el, desde la",
    until: "hasta, hasta el, hasta la",
    before: "antes de, antes del, antes de la",
    after: "despues de, despues del, despues de la",
    from: "de, del, desde, desde el",
    to: "a, al, hasta, hasta el",
    between: "entre, entre el",
    and: "y, y el",
    of: "de del",
  }),
  createLanguage({
    months: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    weekdays: "lunedi martedi mercoledi giovedi venerdi sabato domenica",
    days: "oggi ieri altroieri domani",
    numbers: "due tre quattro cinque sei sette otto nove dieci undici dodici",
    units: "- settimana mese trimestre anno",
    pluralUnits: "giorni settimane mesi trimestri anni",
    last: "scorso scorsa passato passata",
    lasts: "ultimi ultime scorsi scorse",
    this: "questo questa quest",
    next: "prossimo prossima",
    in: "in, a, ad, nel, durante, nel mese di",
    inThe:
      "la, il, lo, l, gli, le, negli, nelle, nel, nella, nell, nello, della, del, dell, degli, delle, dello, in, di",
    on: "il, l, del, dell",
    onDay: "",
    since: "da, dal, dalla, dall",
    until: "fino a, fino ad, fino al, fino alla",
    before: "prima di, prima del, prima della",
    after: "dopo, dopo il, dopo la",
    from: "da, dal, dall",
    to: "a, ad, al, all, fino a, fino al",
    between: "tra, fra, tra il, fra il",
    and: "e, e il, ed",
    of: "di del",
  }),
  createLanguage({
    months: "januari februari maart april mei juni juli augustus september oktober november december",
    weekdays: "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    days: "vandaag gisteren eergisteren -",
    numbers: "twee drie vier vijf zes zeven acht negen tien elf twaalf",
    units: "- week maand kwartaal jaar",
    pluralUnits: "dagen weken maanden kwartalen jaar/jaren",
    last: "vorige vorig",
    past: "afgelopen",
    lasts: "laatste afgelopen vorige",
    this: "deze dit",
    next: "volgende volgend komende",
    in: "in, tijdens",
    inThe: "de, het, in, in de, in het, tijdens de, van, van de",
    on: "op, van",
    onDay: "op",
    since: "sinds, sinds de",
    until: "tot, tot en met, tot de",
    before: "",
    after: "na",
    from: "van",
    to: "tot, tot en met",
    between: "tussen",
    and: "en",
    of: "",
  }),
];

/** Only next to a year or a day, because some of them are names or words. */
export const shortMonths: ReadonlyMap<string, number> = indexWords(
  "jan feb mar apr - jun jul aug sep/sept oct/okt nov dec/dez",
  twelve,
);

/** Months that are first names too. */
export const nameMonths = parseWords("april may june august mai");

/** Before a time, these say that it is a topic, a comparison or an exclusion, not a filter. */
export const nonFilterWords = parseWords(
  `for fur pour para per voor about regarding concerning re uber sur sobre riguardo of by to than as like versus vs not nicht kein pas non
  niet except ausser sauf excepto salvo tranne behalve excluding without ohne sans sin senza zonder wie dan statt before
  after vor nach avant apres antes despues prima dopo na altro ab partir vanaf`.replaceAll(/\s+/g, " "),
);

/** Before a month and its year, these leave open which part of it, or which side of it, is meant. */
export const vagueWords = parseWords(
  `from de d di von vom van da del dell du end beginning start mid middle early late ende anfang mitte fin debut fine inizio meta
  finales principios mediados eind begin half`.replaceAll(/\s+/g, " "),
);

export const connectives = parseWords("and or to und oder bis et ou a y o e en tot through until till");

/** Nouns followed by a number that may look like a month: invoice 2026-03. */
export const numberedNouns = parseWords(
  `invoice invoices order orders no nr num number ticket case ref reference version v release rechnung rechnungsnummer bestellung auftrag
  facture commande factura pedido fattura ordine factuur bestelling booking contract policy id code isbn model section chapter page rfc cve
  issue build room flight konto account nummer kundennummer numero n az aktenzeichen vertrag vorgang beleg document doc file
  part item sku serial quote offer angebot devis`.replaceAll(/\s+/g, " "),
);
