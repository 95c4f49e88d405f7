import { fold, isUnspaced, stemWord } from "../words/tokenize.ts";
import {
  arabicEndings,
  cyrillicEndings,
  type Endings,
  greekEndings,
  hebrewEndings,
  indicEndings,
  isExempt,
  latinEndings,
} from "./endings.ts";
import { findIrregularForms, listOtherSpellings } from "./irregular-english.ts";

/**
 * The forms a query word matches: inflected, spelled differently, or with an article or preposition attached. The index does not
 * know about inflection; a query looks its forms up in the dictionary.
 */
export interface Inflections {
  /** Spellings to look up as they are, the word itself first. */
  readonly exact: readonly string[];
  /** Every other form starts with one of these. */
  readonly prefixes: readonly string[];
  /** 1 for the word itself, less for another form of it, 0 for any other word. */
  weigh(form: string): number;
}

const inflectedWeight = 0.9;
const maxPrefixes = 8;
/** Shorter prefixes would match too many words. */
const minPrefixLength = 3;

interface Script {
  readonly of: RegExp;
  readonly endings: readonly Endings[];
  /** Written before a word without a space. */
  readonly prefixes?: readonly string[];
}

const latin: Script = { of: /^[a-z]+$/, endings: latinEndings };
const scripts: readonly Script[] = [
  { of: /^\p{sc=Cyrillic}+$/u, endings: cyrillicEndings },
  { of: /^\p{sc=Greek}+$/u, endings: greekEndings },
  {
    of: /^\p{sc=Arabic}+$/u,
    endings: arabicEndings,
    prefixes: ["ال", "وال", "بال", "كال", "فال", "لل", "و", "ب", "ل"],
  },
  {
    of: /^\p{sc=Hebrew}+$/u,
    endings: hebrewEndings,
    prefixes: ["ה", "ו", "ב", "ל", "מ", "ש", "כ", "וה", "של", "שה", "וב", "ול", "מה", "כש"],
  },
  { of: /^[\p{sc=Devanagari}]+$/u, endings: indicEndings },
];
const anyLetters = /^[\p{L}\p{M}]+$/u;

/** The inflections of a folded word. `written` is the original spelling, which shows whether ö can stand for oe. */
export function getInflections(form: string, written: string = form): Inflections {
  const key = `${form} ${written}`;
  const held = cache.get(key);
  if (held !== undefined) return held;
  if (cache.size >= maxCached) cache.clear();
  const inflections = buildInflections(form, written);
  cache.set(key, inflections);
  return inflections;
}

/** The same words are searched for again and again. */
const maxCached = 2000;
const cache = new Map<string, Inflections>();

function buildInflections(form: string, written: string): Inflections {
  if (latin.of.test(form)) return form.length < 3 ? inflectShortWord(form) : inflectLatin(form, written);
  if (isUnspaced(form) || !anyLetters.test(form)) return createExact([form]);
  const script = scripts.find(({ of }) => of.test(form));
  if (script === undefined) return inflectByLength(form);
  return script.prefixes === undefined
    ? inflectByEndings(form, script)
    : inflectWithPrefixes(form, script.prefixes, script);
}

export function createExact(exact: readonly string[]): Inflections {
  const [form] = exact;
  const others = new Set(exact.slice(1));
  return { exact, prefixes: [], weigh: (other) => (other === form ? 1 : others.has(other) ? inflectedWeight : 0) };
}

const inflectShortWord = (form: string): Inflections => {
  const { forms } = findIrregularForms(form, form);
  return createExact([...new Set([form, ...forms, ...(forms.length > 0 ? [`${form}es`, `${form}ing`] : [])])]);
};

/** Bases of a word, each with the endings its other forms have. */
type Bases = ReadonlyMap<string, ReadonlySet<string>>;

interface EndingEntry {
  readonly list: Endings;
  readonly isStrong: boolean;
}
const maxEndingLength = 8;
const endingIndexes = new WeakMap<readonly Endings[], ReadonlyMap<string, readonly EndingEntry[]>>();

/** The lists that contain each ending. */
function indexEndings(lists: readonly Endings[]): ReadonlyMap<string, readonly EndingEntry[]> {
  const held = endingIndexes.get(lists);
  if (held !== undefined) return held;
  const found = Map.groupBy(
    lists.flatMap((list) => [
      ...list.strong.map((ending) => ({ ending, list, isStrong: true })),
      ...list.weak.map((ending) => ({ ending, list, isStrong: false })),
    ]),
    ({ ending }) => ending,
  );
  endingIndexes.set(lists, found);
  return found;
}

function findBases(roots: readonly string[], lists: readonly Endings[]): Bases {
  const bases = new Map<string, Set<string>>();
  const known = indexEndings(lists);
  for (const root of roots) {
    for (let length = 0; length <= Math.min(maxEndingLength, root.length); length += 1) {
      const base = root.slice(0, root.length - length);
      for (const { list, isStrong } of known.get(root.slice(base.length)) ?? []) {
        if (base.length < list.minBaseLength || list.after?.test(base) === false) continue;
        const endings = bases.get(base) ?? new Set();
        for (const other of list.strong) endings.add(other);
        if (isStrong) for (const other of list.weak) endings.add(other);
        bases.set(base, endings);
      }
    }
  }
  return bases;
}

/** Forms of bases that are too short for a prefix lookup. */
const listShortBaseForms = (bases: Bases): string[] =>
  [...bases].flatMap(([base, endings]) =>
    base.length < minPrefixLength ? [...endings].map((ending) => base + ending) : [],
  );

function matchesAnyBase(bases: Bases, form: string): boolean {
  for (const [base, endings] of bases) if (form.startsWith(base) && endings.has(form.slice(base.length))) return true;
  return false;
}

/** Drops prefixes that a shorter one covers. */
function keepShortest(beginnings: Iterable<string>): string[] {
  const sorted = [...new Set(beginnings)]
    .filter(({ length }) => length >= minPrefixLength)
    .sort((a, b) => a.length - b.length);
  const kept: string[] = [];
  for (const each of sorted) if (!kept.some((other) => each.startsWith(other))) kept.push(each);
  return kept.slice(0, maxPrefixes);
}

const startsWithAny = (form: string, beginnings: readonly string[]): boolean => {
  for (const beginning of beginnings) if (form.startsWith(beginning)) return true;
  return false;
};

function inflectLatin(form: string, written: string): Inflections {
  const spelled = [...new Set([form, ...listUmlautSpellings(form, written)])];
  const english = listOtherSpellings(form);
  const { forms, verb } = findIrregularForms(form, stemWord(form));
  const stems = new Set([...spelled, ...english.roots, ...(verb === undefined ? [] : [verb])].map(stemWord));
  const bases: Bases = isExempt(form) ? new Map() : findBases(spelled, latinEndings);
  const closed = [
    ...spelled.flatMap(listGermanicForms),
    ...listShortEnglishForms(form, stems),
    ...listShortBaseForms(bases),
  ];
  const exact = [...new Set([...spelled, ...forms, ...english.roots, ...english.alone, ...closed])];
  const known = new Set(exact);
  const beginnings = keepShortest([
    ...bases.keys(),
    ...[...stems].map((stem) => stem.slice(0, Math.max(minPrefixLength, stem.length - 1))),
  ]);
  return {
    exact,
    prefixes: beginnings,
    weigh(other) {
      if (other === form) return 1;
      if (known.has(other)) return inflectedWeight;
      if (!startsWithAny(other, beginnings)) return 0;
      if (matchesAnyBase(bases, other) && !isExempt(other)) return inflectedWeight;
      return stems.has(stemWord(other)) ? inflectedWeight : 0;
    },
  };
}

const umlauts: { readonly [letter: string]: string } = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

/** mueller for Müller, and vice versa. */
function listUmlautSpellings(form: string, written: string): string[] {
  const spelled = fold(
    written
      .toLowerCase()
      .normalize("NFC")
      .replace(/[äöüåø]/g, (letter) => umlauts[letter]!),
  );
  const plain = form.length > 4 && !/po(?:em|et)/.test(form) ? form.replace(/(?<![gq])([aou])e(?!$|s$)/g, "$1") : form;
  return [spelled, plain];
}

/** German nouns with a plural in -er. The list is closed; as a general ending, -er would merge corn and corner. */
const germanPlurals =
  /(?:amt|bad|band|bild|blatt|brett|buch|dach|dorf|fach|fass|feld|geist|geld|glas|gott|grab|gras|gut|haus|huhn|kalb|kind|kleid|korn|kraut|lamm|land|licht|lied|loch|mann|nest|pfand|rad|rind|schild|schloss|schwert|tal|tuch|volk|wald|wort|wurm)$/;

/** German and Dutch forms that depend on how the word ends. */
function listGermanicForms(root: string): string[] {
  const forms: string[] = [];
  if (germanPlurals.test(root)) forms.push(`${root}er`, `${root}ern`);
  const singular = root.replace(/ern?$/, "");
  if (singular !== root && germanPlurals.test(singular))
    forms.push(singular, `${singular}er`, `${singular}ern`, `${singular}es`);
  const [, taken, stem] = /^(.*ge)([a-z]{3,})(?:t|en)$/.exec(root) ?? [];
  if (taken === "ge") forms.push(`${stem}en`, `${stem}e`, `${stem}t`, `${stem}te`);
  const verb = /^([a-z]{3,})(?:en|te|st)$/.exec(root)?.[1];
  if (verb !== undefined) forms.push(`ge${verb}t`, `ge${verb}en`);
  // Dutch doubles a letter to keep the sound: kat and katten, jaar and jaren.
  if (/[^aeiou][aeiou][bdfgklmnprst]$/.test(root)) forms.push(`${root}${root.at(-1)}en`);
  if (/(aa|ee|oo|uu)[bdfgklmnprst]$/.test(root)) forms.push(`${root.slice(0, -2)}${root.at(-1)}en`);
  const doubled = /^([a-z]*[aeiou]([bdfgklmnprst]))\2en$/.exec(root)?.[1];
  if (doubled !== undefined) forms.push(doubled);
  const open = /^([a-z]*[^aeiou])([aeou])([bdfgklmnprst])en$/.exec(root);
  if (open !== null) forms.push(`${open[1]}${open[2]}${open[2]}${open[3]}`);
  return forms;
}

/** English forms of stems that are too short for a prefix lookup or end in y. */
function listShortEnglishForms(form: string, stems: ReadonlySet<string>): string[] {
  const [, begun] =
    /^([a-z]{1,2}[^aeiou])(?:y|ies|ied)$/.exec(form) ?? /^([a-z]{1,2})(?:ie|ies|ied|ying)$/.exec(form) ?? [];
  const flown = begun === undefined ? [] : ["y", "ie", "ies", "ied", "ying"].map((ending) => begun + ending);
  const short = [...stems].filter(({ length }) => length < minPrefixLength);
  const others = short.flatMap((stem) => ["s", "es", "ed", "ing", "e", "ee"].map((ending) => stem + ending));
  return [...flown, ...others.filter((other) => stems.has(stemWord(other)))];
}

function inflectByEndings(form: string, { endings }: Script): Inflections {
  const bare = (each: string): string => (each.length > 5 ? each.replace(/(?:ся|сь)$/, "") : each);
  const bases = findBases([bare(form)], endings);
  const beginnings = keepShortest(bases.keys());
  const short = new Set([form, ...listShortBaseForms(bases)]);
  return {
    exact: [...short],
    prefixes: beginnings,
    weigh(other) {
      if (other === form) return 1;
      if (short.has(other)) return inflectedWeight;
      return startsWithAny(other, beginnings) && matchesAnyBase(bases, bare(other)) ? inflectedWeight : 0;
    },
  };
}

/** Arabic and Hebrew attach articles, prepositions and conjunctions to the next word; a word matches with and without them. */
function inflectWithPrefixes(form: string, prefixes: readonly string[], { endings }: Script): Inflections {
  const rootsOf = (each: string): string[] => [
    each,
    ...prefixes
      .filter((prefix) => each.startsWith(prefix) && each.length - prefix.length >= 3)
      .map((prefix) => each.slice(prefix.length)),
  ];
  const roots = rootsOf(form);
  const bases = findBases(roots, endings);
  const exact = [...new Set([...roots, ...roots.flatMap((root) => prefixes.map((prefix) => prefix + root))])];
  const known = new Set(exact);
  const articles = prefixes.filter(({ length }) => length > 1);
  const beginnings = keepShortest(
    [...bases.keys()].flatMap((base) => [base, ...articles.map((prefix) => prefix + base)]),
  );
  return {
    exact,
    prefixes: beginnings,
    weigh(other) {
      if (other === form) return 1;
      if (known.has(other)) return inflectedWeight;
      return startsWithAny(other, beginnings) && rootsOf(other).some((root) => matchesAnyBase(bases, root))
        ? inflectedWeight
        : 0;
    },
  };
}

const maxExtraLetters = 3;

/** For scripts without known endings: forms of a word differ by a few letters at the end. */
function inflectByLength(form: string): Inflections {
  if (form.length <= maxExtraLetters) return createExact([form]);
  const shortestForm = form.slice(0, Math.max(maxExtraLetters, form.length - maxExtraLetters));
  return {
    exact: [form],
    prefixes: [shortestForm],
    weigh(other) {
      if (other === form) return 1;
      const [short, long] = other.length < form.length ? [other, form] : [form, other];
      const grown = long.length - short.length;
      return short.length >= maxExtraLetters && grown > 0 && grown <= maxExtraLetters && long.startsWith(short)
        ? inflectedWeight
        : 0;
    },
  };
}
