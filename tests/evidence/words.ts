import { findSpans } from "@pdpp/evidence/passages/spans";
import { parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { tokenize } from "@pdpp/language/words/tokenize";

/** Compares words as search does: ignoring case, accents, punctuation and highlights. */

/** The text a model reads, without JSON escapes and highlight tags. */
export const toReadableText = (shown: string): string =>
  shown
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\[nrt]/g, " ")
    .replaceAll(/\\(["\\/])/g, "$1")
    .replaceAll(/<\/?mark>/g, "")
    // A day inside a timestamp counts as a word too.
    .replaceAll(/(\d{4}-\d\d-\d\d)T(?=\d)/g, "$1 ");

const sequence = (text: string): string =>
  ` ${tokenize(text)
    .map(({ form }) => form)
    .join(" ")} `;

/** Checks whether texts contain one of the answers, word by word. `…` separates parts that may be apart. */
export function answerFinder(answers: readonly string[]): (shown: string) => boolean {
  const wanted = answers.map((answer) => answer.split("…").map(sequence));
  return (shown) => {
    const words = sequence(toReadableText(shown));
    return wanted.some((parts) => parts.every((part) => words.includes(part)));
  };
}

/** Finds the query words that texts contain, by index. */
export function createWordFinder(q: string): (texts: readonly string[]) => Set<number> {
  const query: SearchQuery = parseQuery(q);
  return (texts) =>
    new Set(texts.flatMap((text) => findSpans(text, query, Number.POSITIVE_INFINITY).map(({ clause }) => clause)));
}

/** Whether the other text contains every word of this one. */
export function isRedundant(text: string, to: string): boolean {
  const known = new Set(tokenize(toReadableText(to)).map(({ form }) => form));
  return tokenize(toReadableText(text)).every(({ form }) => known.has(form));
}
