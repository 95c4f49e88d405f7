import { stemmer } from "stemmer";
import data from "../../data/irregular-english.json" with { type: "json" };

/** Irregular English words, and rules for British and American spelling. */

const parseGroups = (groups: readonly string[]): string[][] => groups.map((group) => group.split(" "));

const words = parseGroups(data.words);
/** The infinitive comes first: its regular forms match too. */
const verbs = parseGroups(data.verbs);

interface Irregular {
  readonly words: ReadonlyMap<string, readonly string[]>;
  readonly verbs: ReadonlyMap<string, readonly string[]>;
  /** Verbs by the stem of their regular forms. */
  readonly stems: ReadonlyMap<string, readonly string[]>;
}
let known: Irregular | undefined;

const indexByForm = (groups: readonly (readonly string[])[]) =>
  new Map(groups.flatMap((group) => group.map((form) => [form, group] as const)));

/** The irregular forms of a word, and the infinitive if it is a verb. */
export function findIrregularForms(form: string, stem: string): { forms: readonly string[]; verb: string | undefined } {
  known ??= {
    words: indexByForm(words),
    verbs: indexByForm(verbs),
    stems: new Map(verbs.map((group) => [stemmer(group[0]!), group])),
  };
  const verb = known.verbs.get(form) ?? known.stems.get(stem);
  return { forms: [...(known.words.get(form) ?? []), ...(verb ?? [])], verb: verb?.[0] };
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/^(\w{2,})our/, "$1or"],
  [/^(\w{2,}[^aeiou])or(?=$|s$|ed$|ing$|able$|ful$|ite$|ites$|less$|hood)/, "$1our"],
  [/^(\w{3,})is(?=(?:e|ed|es|ing|ation|ations|er|ers)$)/, "$1iz"],
  [/^(\w{3,})iz(?=(?:e|ed|es|ing|ation|ations|er|ers)$)/, "$1is"],
  [/^(\w{2,})ys(?=(?:e|ed|es|ing|er|ers)$)/, "$1yz"],
  [/^(\w{2,})yz(?=(?:e|ed|es|ing|er|ers)$)/, "$1ys"],
  [/^(\w{4,})ogue(s)?$/, "$1og$2"],
  [/^(\w{4,})og(s)?$/, "$1ogue$2"],
  [/^(\w{3,}[aeiou])ll(?=(?:ed|ing|er|ers|or|ors)$)/, "$1l"],
  [/^(\w{3,}[aeiou])l(?=(?:ed|ing|er|ers|or|ors)$)/, "$1ll"],
  [/^(\w{3,})enc(?=(?:e|es|ed|ing)$)/, "$1ens"],
  [/^(\w{3,})ens(?=(?:e|es|ed|ing)$)/, "$1enc"],
];

/** theatre and theater, which do not inflect by the rules above. */
const erRules: typeof rules = [
  [/^(\w{2,}[bt])re(s|d)?$/, "$1er$2"],
  [/^(\w{2,}[bt])re$/, "$1ers"],
  [/^(\w{2,}[bt])er(s)?$/, "$1re$2"],
  [/^(\w{2,}[bt])ers$/, "$1re"],
  [/^(\w{2,}[bt])ered$/, "$1red"],
  [/^(\w{2,}[bt])red$/, "$1ered"],
];
/** Words that are spelled -ise in American English too. */
const alwaysIse =
  /^(?:advert|comprom|enterpr|exerc|expert|franch|improv|merchand|otherw|likew|parad|prec|prem|prom|superv|surpr|telev)is/;

/** The American spelling of a British word and vice versa. Some results are not words; they match nothing. */
export function listOtherSpellings(form: string): { roots: string[]; alone: string[] } {
  if (!/^[a-z]{5,}$/.test(form) || alwaysIse.test(form)) return { roots: [], alone: [] };
  const changed = (list: typeof rules) =>
    list.flatMap(([pattern, replacement]) => {
      const other = form.replace(pattern, replacement);
      return other === form ? [] : [other];
    });
  return { roots: changed(rules), alone: changed(erRules) };
}
