import { findSpans } from "@pdpp/evidence/passages/spans";
import { parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { tokenize } from "@pdpp/language/words/tokenize";

/** Words, compared as search compares them: case, accents, punctuation and marks between words do not matter. */

/** What a model reads, without the escapes of JSON and the tags around matched words. */
export const readable = (shown: string): string =>
  shown
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\[nrt]/g, " ")
    .replaceAll(/\\(["\\/])/g, "$1")
    .replaceAll(/<\/?mark>/g, "")
    // A day is a word of its own in a time, too.
    .replaceAll(/(\d{4}-\d\d-\d\d)T(?=\d)/g, "$1 ");

const sequence = (text: string): string =>
  ` ${tokenize(text)
    .map(({ form }) => form)
    .join(" ")} `;

/** Tells of texts whether one of the answers stands in them, word by word. `…` parts what may stand apart. */
export function answerFinder(answers: readonly string[]): (shown: string) => boolean {
  const wanted = answers.map((answer) => answer.split("…").map(sequence));
  return (shown) => {
    const words = sequence(readable(shown));
    return wanted.some((parts) => parts.every((part) => words.includes(part)));
  };
}

/** Tells of texts which words of the query stand in them, each by its number. */
export function wordFinder(q: string): (texts: readonly string[]) => Set<number> {
  const query: SearchQuery = parseQuery(q);
  return (texts) =>
    new Set(texts.flatMap((text) => findSpans(text, query, Number.POSITIVE_INFINITY).map(({ clause }) => clause)));
}

/** Every word of the text is in the other one already. */
export function addsNothing(text: string, to: string): boolean {
  const known = new Set(tokenize(readable(to)).map(({ form }) => form));
  return tokenize(readable(text)).every(({ form }) => known.has(form));
}
