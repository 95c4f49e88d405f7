import { findPhrases } from "../query/query.ts";
import { fold } from "../words/fold.ts";
import type { Token } from "./time-reader.ts";

/** Articles and prepositions that an apostrophe joins to the next word. */
const elided = /^(?:l|d|qu|jusqu|quest|dell|nell|dall|all)['’](?=\p{L})/iu;

/** Splits a question into words with their positions. Quoted text becomes one token that is not a word. */
export function tokenizeQuestion(question: string): Token[] {
  const phrases = findPhrases(question);
  const wall = { raw: "", form: "", stops: true };
  const tokens: Token[] = phrases.map((phrase) => ({ ...phrase, ...wall }));
  for (const { 0: run, index } of question.matchAll(/\S+/gu)) {
    if (phrases.some(({ start, end }) => index < end && start < index + run.length)) continue;
    const lead = /^[([{¿¡'‘]*/u.exec(run)![0].length;
    const core = run.slice(lead).replace(/[\])}.,;:!?…'’]+$/u, "");
    const tail = run.slice(lead + core.length);
    const split = elided.exec(core)?.[0].length ?? 0;
    const start = index + lead;
    if (split > 0) tokens.push(createToken(core.slice(0, split), start, lead, ""));
    tokens.push(createToken(core.slice(split), start + split, split > 0 ? 0 : lead, tail));
  }
  return tokens.sort((a, b) => a.start - b.start);
}

const wordLike = /^\p{L}[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*['’]?$/u;

function createToken(raw: string, start: number, lead: number, tail: string): Token {
  // The period of an abbreviation or ordinal does not end a sentence.
  const goesOn = tail === "" || (tail === "." && /^(?:\d{1,2}|\p{L}{3,4})$/u.test(raw));
  return {
    raw,
    form: wordLike.test(raw) ? fold(raw) : "",
    start,
    end: start + raw.length + (tail === "." && /^\d{1,2}$/.test(raw) ? 1 : 0),
    stops: !goesOn,
    ...(lead > 0 ? { opens: true } : {}),
    ...(tail === "," ? { comma: true } : {}),
  };
}
