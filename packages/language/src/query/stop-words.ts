import data from "../../data/stop-words.json" with { type: "json" };
import { isVietnamese } from "./vietnamese.ts";

/**
 * Stop words by language, folded like the index. Each language has its own list because `die`, `war` and `son` are meaningful in
 * English.
 */

const { lists } = data;

type Language = keyof typeof lists;

/** Stop words that are common English words too, so they do not identify a language by themselves. */
const englishToo = parseWordSet(data.englishToo);

/** Letters that English does not have. */
const ownLetters: { readonly [language in Language]?: RegExp } = {
  de: /[äöüß]/iu,
  fr: /[éèêëàâçîïôûùœ]/iu,
  es: /[áéíóúñü¿¡]/iu,
  it: /[àèéìòù]/iu,
  pt: /[ãõçáéíóúâêô]/iu,
  nl: /[ëïé]/iu,
  sv: /[åäö]/iu,
  da: /[æøå]/iu,
  no: /[æøå]/iu,
  pl: /[ąćęłńóśźż]/iu,
  cs: /[áčďéěíňóřšťúůýž]/iu,
  ro: /[ăâîșşțţ]/iu,
  fi: /[äö]/iu,
  hu: /[áéíóöőúüű]/iu,
  tr: /[çğıİöşü]/u,
};

const none: ReadonlySet<string> = new Set();
const english: ReadonlySet<string> = parseWordSet(lists.en);
/** Built on first use. */
let others: ReadonlyMap<Language, ReadonlySet<string>> | undefined;

function parseWordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/**
 * The stop words of the language the query is written in: the one whose list contains most of its words. For any language but
 * English, the query must contain a word or letter that English lacks, or several of its stop words and no English ones.
 */
export function selectStopWords(forms: readonly string[], text: string): ReadonlySet<string> {
  if (isVietnamese(text)) return none;
  others ??= parseOtherLists();
  const distinct = [...new Set(forms)];
  let best = english;
  const ofEnglish = distinct.filter((form) => english.has(form)).length;
  let most = ofEnglish;
  for (const [language, words] of others) {
    const said = distinct.filter((form) => words.has(form));
    if (said.length <= most) continue;
    const isAmbiguous = said.every((form) => /^[a-z]$/.test(form) || englishToo.has(form));
    const isSure =
      (said.length >= minCertainWords && ofEnglish === 0) ||
      forms.some((form, i) => completesQuestionWord(forms[i - 1], form, language));
    if (isAmbiguous && !isSure && !ownLetters[language]?.test(text)) continue;
    best = words;
    most = said.length;
  }
  return best;
}

const parseOtherLists = (): ReadonlyMap<Language, ReadonlySet<string>> =>
  new Map(
    (Object.keys(lists) as Language[]).flatMap((name) =>
      name === "en" ? [] : [[name, parseWordSet(lists[name])] as const],
    ),
  );

/** Whether it is a stop word in any language. */
export function isAnyStopWord(form: string): boolean {
  others ??= parseOtherLists();
  return english.has(form) || [...others.values()].some((words) => words.has(form));
}

/** This many stop words identify a language even if each is also an English word: "wie hoch war der ...". */
const minCertainWords = 3;

/** Question words and the adjectives that complete them: "how long", "wie hoch". */
const measures: { readonly [language in Language]?: readonly (readonly [asking: string, of: ReadonlySet<string>])[] } =
  {
    en: [
      [
        "how",
        parseWordSet(
          "big deep early expensive far fast heavy high large late long many much often old soon tall thick warm wide",
        ),
      ],
      ["what", parseWordSet("kind sort time")],
    ],
    de: [
      [
        "wie",
        parseWordSet("alt breit dick gross hoch lang lange oft schnell schwer spat teuer tief viel viele warm weit"),
      ],
    ],
  };

/** Whether a word only completes the question word before it, in the given language or in any. */
export const completesQuestionWord = (before: string | undefined, form: string, language?: Language): boolean =>
  (language === undefined ? Object.values(measures).flat() : (measures[language] ?? [])).some(
    ([asking, of]) => before === asking && of.has(form),
  );

export const isEnglish = (stopWords: ReadonlySet<string>): boolean => stopWords === english;
