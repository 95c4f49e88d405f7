import { compoundOf } from "@pdpp/language/inflections/compounds";
import type { Clause } from "@pdpp/language/query/query";
import { isTypoOfForm } from "@pdpp/language/words/typos";
import {
  beginningWith,
  byForm,
  type Found,
  formsIn,
  type Looking,
  lookUp,
  mostRecords,
  only,
  type PhraseTerm,
  phrasesOf,
  type Span,
  type Term,
} from "./dictionary.ts";
import { backwards } from "./segment.ts";
import { partSpans, type Split, splitOf, typoSpans } from "./spellings.ts";

/** What a question's words are in the dictionaries of what is searched: in the forms asked for, in other forms, in compounds. */

export interface FoundClause {
  readonly terms: readonly Term[];
  readonly phrases: readonly PhraseTerm[];
  /** Words beyond those that were asked for; one that was taken apart has several. */
  readonly also: readonly (readonly string[])[];
  /** Only some of the words that begin so were searched. */
  readonly isCut: boolean;
  /** No record has the word: it was taken for a typo of other words, which is a guess. */
  readonly isGuess?: boolean;
}

const weights = { joined: 0.9, compound: 0.35, split: 0.8, typo: 0.5 } as const;
/** Of words that begin so, those that most records have. */
const mostOfBeginning = 500;
const mostCompounds = 24;
/** Where a scope sees some records only, so many words that end so are looked up, to find those that it sees among them. */
const mostLimitedHeads = 200;
const mostTypos = 8;
/** So many words that nothing has are tried in other spellings. */
const mostUnknown = 4;

/** How each clause was looked for in the first place, so that what was found can be put together. */
interface Sought {
  readonly clause: Clause;
  /** Its spans among all. */
  readonly spans: readonly number[];
  /** The spans of the words that it is when written apart. */
  readonly parts?: readonly number[];
  /** The span of words that end so, if it is looked for in compounds. */
  readonly backward: number | undefined;
}

/** `joined` has words that a clause is a part of, by the place of the clause: e-mail is email too. */
export async function findClauses(
  look: Looking,
  clauses: readonly Clause[],
  isWanted: boolean,
  joined: ReadonlyMap<number, readonly string[]> = new Map(),
): Promise<FoundClause[]> {
  const spans: Span[] = [];
  const add = (span: Span): number => spans.push(span) - 1;
  const sought = clauses.map((clause, n): Sought => {
    if (clause.kind === "prefix") return { clause, spans: [add(beginningWith(clause.prefix))], backward: undefined };
    if (clause.kind === "phrase") {
      const forms = clause.forms.map((form) => add(only(form)));
      const whole = clause.joined === undefined ? [] : [add({ ...only(clause.joined), weigh: () => weights.joined })];
      return { clause, spans: [...forms, ...whole], backward: undefined };
    }
    const { beginnings } = clause.family;
    const exact = [...clause.family.exact, ...(joined.get(n) ?? [])];
    const isPart = isWanted && isPartOfCompounds(clause.form);
    const weigh = weigher(clause, exact, isPart);
    const ranges = beginnings.map(beginningWith);
    if (isPart && !ranges.some(({ from }) => clause.form.startsWith(from))) ranges.push(beginningWith(clause.form));
    const points = exact.filter((form) => !ranges.some(({ from, to }) => from <= form && form < to)).map(only);
    const backward = isPart ? add({ ...beginningWith(backwards(clause.form)), isBackward: true }) : undefined;
    const parts = (clause.parts ?? []).map((form) => add(only(form)));
    return { clause, spans: [...points, ...ranges].map((span) => add({ ...span, weigh })), parts, backward };
  });
  const found = await lookUp(look, spans);
  const isLimited = look.sources.some(({ limits }) => limits.length > 0);
  const firsts = sought.map((each) => firstLook(each, found, isLimited ? mostLimitedHeads : mostCompounds));
  const unknown = isWanted
    ? sought
        .flatMap(({ clause }, n) =>
          clause.kind === "word" && firsts[n]?.terms.length === 0 && !firsts[n].isApart ? [n] : [],
        )
        .slice(0, mostUnknown)
    : [];
  return secondLook(look, sought, firsts, unknown);
}

/** What a form counts for a word; kept, for a form comes once for every segment. */
function weigher(
  { form: word, family }: Extract<Clause, { kind: "word" }>,
  exact: readonly string[],
  withCompounds: boolean,
): (form: string) => number {
  const known = new Map<string, number>();
  return (form) => {
    const held = known.get(form);
    if (held !== undefined) return held;
    const own = Math.max(family.weightOf(form), exact.includes(form) ? weights.joined : 0);
    const weight = own > 0 || !withCompounds || compoundOf(word, form) === null ? own : weights.compound;
    known.set(form, weight);
    return weight;
  };
}

const isPartOfCompounds = (form: string): boolean => form.length >= 5 && /^[a-z]+$/.test(form);

interface FirstLook {
  readonly terms: Term[];
  readonly phrases: PhraseTerm[];
  /** Compounds that still must be looked up by their own letters. */
  readonly heads: readonly string[];
  readonly also: readonly (readonly string[])[];
  readonly isCut: boolean;
  /** Its parts are there as words of their own, wherever they stand. */
  readonly isApart?: boolean;
}

function firstLook(
  { clause, spans, parts = [], backward }: Sought,
  found: readonly Found[],
  mostHeads: number,
): FirstLook {
  const of = spans.map((span): Found => found[span] ?? new Map());
  if (clause.kind === "phrase") {
    const words = clause.forms.map((form, n) => of[n]?.get(form) ?? []);
    const terms = [...(of[clause.forms.length]?.values() ?? [])].flat();
    return { terms, phrases: phrasesOf(words, 1), heads: [], also: [], isCut: false };
  }
  const forms = new Map(of.flatMap((each) => [...each]));
  if (clause.kind === "prefix") {
    const kept = mostRecords(forms, mostOfBeginning);
    return {
      terms: kept.flatMap(([, terms]) => terms),
      phrases: [],
      heads: [],
      also: [],
      isCut: kept.length < forms.size,
    };
  }
  const { weightOf } = clause.family;
  // In order, so that what is added up is added up alike however the words lie in segments.
  const ordered = [...forms].sort(byForm);
  const isCompound = ([, held]: readonly [string, readonly Term[]]): boolean => held[0]?.weight === weights.compound;
  const kept = mostRecords(new Map(ordered.filter(isCompound)), mostCompounds);
  const terms = [...ordered.filter((each) => !isCompound(each)), ...kept].flatMap(([, held]) => held);
  const heads = [...(backward === undefined ? [] : (found[backward]?.keys() ?? []))]
    .map(backwards)
    .filter((form) => !forms.has(form) && weightOf(form) === 0 && compoundOf(clause.form, form) !== null)
    .sort()
    .slice(0, mostHeads);
  const apart = clause.parts?.map((form, n) => found[parts[n] ?? -1]?.get(form) ?? []) ?? [];
  const isApart = apart.length > 0 && apart.every((of) => of.length > 0);
  const phrases = phrasesOf(apart, weights.joined);
  return { terms, phrases, heads, also: kept.map(([form]) => [form]), isCut: false, isApart };
}

/** What needs another look: compounds by their own letters, and words that nothing has in other spellings. */
async function secondLook(
  look: Looking,
  sought: readonly Sought[],
  firsts: readonly FirstLook[],
  unknown: readonly number[],
): Promise<FoundClause[]> {
  const spans: Span[] = [];
  const add = (span: Span): number => spans.push(span) - 1;
  const heads = firsts.map(({ heads: of }) => of.map((form) => add(only(form))));
  const others = new Map(
    unknown.map((n) => {
      const clause = sought[n]?.clause;
      const form = clause?.kind === "word" ? clause.form : "";
      return [n, { form, typos: typoSpans(form).map(add), parts: partSpans(form).map(add) }];
    }),
  );
  const found = spans.length === 0 ? [] : await lookUp(look, spans);
  const apart = new Map<number, Split>();
  for (const [n, { form, parts }] of others) {
    const split = splitOf(form, formsIn(found, parts));
    if (split !== undefined && (await look.stands(phrasesOf(split.words, weights.split)))) apart.set(n, split);
  }
  return firsts.map(({ terms, phrases, also, isCut }, n) => {
    const compounds = new Map([...formsIn(found, heads[n] ?? [])].slice(0, mostCompounds));
    const named = [...compounds.keys()].map((form) => [form]);
    const more = [...compounds.values()].flat().map((term) => ({ ...term, weight: weights.compound }));
    const made = { terms: [...terms, ...more], phrases, also: [...also, ...named], isCut };
    const other = others.get(n);
    if (other === undefined || made.terms.length > 0) return made;
    const split = apart.get(n);
    if (split !== undefined) {
      return { ...made, phrases: phrasesOf(split.words, weights.split), also: [split.forms] };
    }
    const typos = new Map([...formsIn(found, other.typos)].filter(([form]) => isTypoOfForm(other.form, form)));
    const kept = mostRecords(typos, mostTypos);
    return {
      ...made,
      terms: kept.flatMap(([, held]) => held.map((term) => ({ ...term, weight: weights.typo }))),
      also: kept.map(([form]) => [form]),
      isGuess: kept.length > 0,
    };
  });
}
