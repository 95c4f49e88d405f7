import { isSingleCharacter, isUnspaced, tokenize, type Word } from "../words/tokenize.ts";

/** Parses one run of a query: characters without a space between them. */

export interface QueryWord {
  readonly form: string;
  /** As typed. */
  readonly written: string;
  /** Offset in the query. */
  readonly at: number;
  /**
   * Set for a part of a longer word. After an apostrophe it may be an article or a suffix; at any other boundary even a short
   * part belongs to a name.
   */
  readonly partAt: "apostrophe" | "seam" | null;
  /** Joined to its neighbour by punctuation, as in my-company.io. */
  readonly isBound: boolean;
  /** Only the start of the word was given. */
  readonly isPrefix: boolean;
  /** A word with digits may also be written with spaces: 10km and 10 km. */
  readonly parts?: readonly string[];
}

/** A range of words that may also be written as one. */
interface Join {
  readonly from: number;
  readonly to: number;
  readonly joined: string;
}

/** A range of words that form an identifier, and the identifier as typed. */
interface Identifier {
  readonly from: number;
  readonly to: number;
  readonly written: string;
}

const maxJoinedLength = 64;
const joining = /^[-‐‑_'’‘ʼ＇·"׳״\u200c]*$/u;
const binding = /^[-‐‑_./:@#&=+~\\]$/u;
const identifierSeparator = /^[-‐‑_./]$/u;
/** A decimal number is not an identifier, however its thousands are grouped. */
const decimal = /^[\d,]*\d\.\d+$/;
const currency = /^\p{Sc}$/u;
const apostrophe = /['’‘ʼ＇]/u;

/** The index has the last character of an unspaced run by itself only where the run ends, so a query does not ask for it. */
export const isTrailingCharacter = (form: string, before: string | undefined): boolean =>
  isSingleCharacter(form) && before !== undefined && isUnspaced(before);

export interface QueryRun {
  readonly words: readonly QueryWord[];
  readonly joins: readonly Join[];
  readonly identifiers: readonly Identifier[];
}

export function parseRun(run: string, at: number): QueryRun {
  const all = tokenize(run).filter(({ form }, i, list) => !isTrailingCharacter(form, list[i - 1]?.form));
  const wholes = all.filter((each, i) => all[i + 1]?.position === each.position);
  const parts = all.filter((each) => !wholes.includes(each));
  const wholeOf = (part: Word): Word | undefined =>
    wholes.find(({ start, end }) => start <= part.start && part.end <= end);
  const last = parts.at(-1);
  const begun = last !== undefined && !isUnspaced(last.form) && run.startsWith("*", last.end) ? last : undefined;
  // The index holds whole words too, so the prefix matches them.
  const begunWhole = begun === undefined ? undefined : wholeOf(begun);
  const asked = begunWhole === undefined ? parts : parts.filter((part) => wholeOf(part) !== begunWhole);
  // Parts of a word with digits mean little by themselves, so search for the whole.
  const numbered = (part: Word): Word | undefined =>
    wholes.find((whole) => whole === wholeOf(part) && /\d/.test(whole.form));
  const kept = [...new Set(asked.map((part) => numbered(part) ?? part))];
  const isBound = (left: Word | undefined, right: Word | undefined): boolean =>
    left !== undefined && right !== undefined && binding.test(run.slice(left.end, right.start));
  const words = kept.map((part, i): QueryWord => {
    const isWhole = wholes.includes(part);
    const whole = isWhole ? undefined : wholeOf(part);
    return {
      form: part.form,
      written: run.slice(part.start, part.end),
      at: at + part.start,
      partAt: whole === undefined ? null : apostrophe.test(run.slice(whole.start, whole.end)) ? "apostrophe" : "seam",
      isBound: isBound(kept[i - 1], part) || isBound(part, kept[i + 1]),
      isPrefix: part === begun,
      ...(isWhole ? { parts: asked.filter((each) => wholeOf(each) === part).map(({ form }) => form) } : {}),
    };
  });
  if (begunWhole !== undefined) {
    const { form, start, end } = begunWhole;
    const written = run.slice(start, end);
    words.push({ form, written, at: at + start, partAt: null, isBound: false, isPrefix: true });
  }
  const isShared = ({ start }: Word): boolean => kept.filter((each) => each.start === start).length > 1;
  const isJoined = (left: Word, right: Word): boolean =>
    !isShared(left) &&
    !isShared(right) &&
    !isUnspaced(left.form) &&
    !isUnspaced(right.form) &&
    !currency.test(left.form) &&
    !currency.test(right.form) &&
    (joining.test(run.slice(left.end, right.start)) ||
      (wholeOf(left) !== undefined && wholeOf(left) === wholeOf(right)));
  return begun === undefined
    ? { words, joins: findJoins(kept, isJoined), identifiers: findIdentifiers(run, kept) }
    : { words, joins: [], identifiers: [] };
}

/** R-2026-0117, TH-25/1893, LX_88.40217: parts joined by single separators, at least one with a digit. */
function findIdentifiers(run: string, words: readonly Word[]): Identifier[] {
  const identifiers: Identifier[] = [];
  for (let from = 0; from < words.length; ) {
    let to = from + 1;
    while (to < words.length && identifierSeparator.test(run.slice(words[to - 1]!.end, words[to]!.start))) to += 1;
    const pieces = words.slice(from, to);
    const written = run.slice(pieces[0]!.start, pieces.at(-1)!.end);
    const isIdentifier = pieces.length > 1 && /\d/.test(written) && !decimal.test(written);
    if (isIdentifier && !pieces.some(({ form }) => isUnspaced(form))) identifiers.push({ from, to, written });
    from = to;
  }
  return identifiers;
}

function findJoins(parts: readonly Word[], isJoined: (left: Word, right: Word) => boolean): Join[] {
  const joins: Join[] = [];
  for (let from = 0; from < parts.length; ) {
    let to = from + 1;
    while (to < parts.length && isJoined(parts[to - 1]!, parts[to]!)) to += 1;
    const joined = parts.slice(from, to).reduce((text, { form }) => text + form, "");
    if (to - from > 1 && joined.length <= maxJoinedLength) joins.push({ from, to, joined });
    from = to;
  }
  return joins;
}
