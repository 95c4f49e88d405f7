import { getInflections } from "./inflections.ts";

/** Compound words: Versicherung is the head of Haftpflichtversicherung, Kündigung the modifier of Kündigungsfrist. */

const minWordLength = 5;
const minRestLength = 4;
const letters = /^[a-z]+$/;
/** Derivational suffixes. */
const derivations =
  /^(?:s?(?:able|ably|age|ally|ance|ances|ant|ants|ation|ations|ative|ator|ators|bar|chen|dom|ed|ence|ent|er|ers|ess|ful|fully|haft|heit|heiten|hood|ial|ible|ical|ically|ier|ies|iest|ing|ings|ion|ions|isch|ische|ischen|ish|ism|ist|ists|ition|ity|ities|ive|ization|isation|ize|ized|ise|ised|keit|keiten|lein|less|lessly|like|lich|liche|lichen|licher|los|lose|losen|ly|ment|ments|ness|nesses|ous|ously|sam|schaft|schaften|ship|ships|some|ted|ting|tion|tions|ular|ward|wards|wise))$/;
/** Derivational prefixes. */
const prefixes =
  /^(?:ab|an|anti|auf|aus|auto|be|bei|co|counter|de|dis|ein|ent|er|ex|extra|fore|ge|hyper|il|im|in|inter|ir|mega|micro|mini|mis|miss|mit|multi|nach|neo|non|over|out|para|post|pre|pro|proto|pseudo|re|semi|sub|super|tele|trans|ultra|un|under|unter|uber|ver|vor|zer|zu)$/;

export function classifyCompound(word: string, form: string): "head" | "modifier" | null {
  if (
    word.length < minWordLength ||
    form.length < word.length + minRestLength ||
    !letters.test(form) ||
    !letters.test(word)
  )
    return null;
  return isHead(word, form) ? "head" : isModifier(word, form) ? "modifier" : null;
}

function isHead(word: string, form: string): boolean {
  // The head may be inflected: Haftpflichtversicherungen.
  const at = form.indexOf(word, 3);
  if (at < 0) return false;
  const [before, tail] = [form.slice(0, at), form.slice(at + word.length)];
  if (tail.length > 3 || (tail !== "" && getInflections(word).weigh(word + tail) === 0)) return false;
  return before.length >= minRestLength && !prefixes.test(before);
}

function isModifier(word: string, form: string): boolean {
  if (!form.startsWith(word)) return false;
  const rest = form.slice(word.length);
  return (
    rest.length >= minRestLength &&
    /[aeiouy]/.test(rest) &&
    !derivations.test(rest) &&
    getInflections(word).weigh(form) === 0
  );
}
