/** Splits the plain text of a mail into what was written and what was quoted. Every line stays, in order. */

export type MailBlock =
  | { readonly kind: "text" | "signature"; readonly lines: readonly string[] }
  | {
      readonly kind: "quote";
      /** The lines that say whose text it is, such as "On 20 February, Ada wrote:". */
      readonly intro: readonly string[];
      readonly blocks: readonly MailBlock[];
      /** How many lines are quoted, at all levels. */
      readonly lineCount: number;
    };

/** Deeper quotes are not folded. */
const maxDepth = 8;

export const splitQuotes = (text: string): MailBlock[] => parseLines(text.split("\n"), 0);

const isQuoted = (line: string): boolean => /^ ?>/.test(line);
const isBlank = (line: string): boolean => line.trim() === "";
const stripMarker = (line: string): string => line.replace(/^ ?> ?/, "");
const isSignatureMark = (line: string): boolean => /^--\s?$/.test(line);

/** A line after which programs put the whole earlier mail, without markers. */
const separator =
  /^\s*-{2,}\s*(?:original message|original-nachricht|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|forwarded message|weitergeleitete nachricht)\s*-{2,}\s*$/i;
const headerLine = /^\s*\*?(?:from|von|de|da|van):/i;

function parseLines(lines: readonly string[], depth: number): MailBlock[] {
  if (depth >= maxDepth) return lines.length === 0 ? [] : [{ kind: "text", lines }];
  const blocks: MailBlock[] = [];
  let pending: string[] = [];
  let isSignature = false;
  const flush = (): void => {
    if (pending.length > 0) blocks.push({ kind: isSignature ? "signature" : "text", lines: pending });
    pending = [];
    isSignature = false;
  };
  const addQuote = (intro: readonly string[], quoted: readonly string[]): void => {
    blocks.push({ kind: "quote", intro, blocks: parseLines(quoted, depth + 1), lineCount: quoted.length });
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (isQuoted(line)) {
      const end = findQuoteEnd(lines, at);
      const intro = takeIntro(pending);
      flush();
      addQuote(intro, lines.slice(at, end).map(stripMarker));
      at = end;
    } else if (startsEarlierMail(lines, at)) {
      flush();
      addQuote([line], lines.slice(at + 1));
      at = lines.length;
    } else {
      if (isSignatureMark(line)) {
        flush();
        isSignature = true;
      }
      pending.push(line);
      at += 1;
    }
  }
  flush();
  return blocks;
}

/** Empty lines within a quote belong to it. */
function findQuoteEnd(lines: readonly string[], start: number): number {
  let end = start;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (isQuoted(line)) end = at + 1;
    else if (!isBlank(line)) break;
  }
  return end;
}

const startsEarlierMail = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? "";
  if (separator.test(line)) return true;
  return /^\s*_{20,}\s*$/.test(line) && headerLine.test(lines[at + 1] ?? "");
};

const [maxIntroLines, maxIntroChars] = [3, 300];

/** Removes the paragraph that introduces a quote from the lines before it. */
function takeIntro(before: string[]): string[] {
  let end = before.length;
  while (end > 0 && isBlank(before[end - 1] ?? "")) end -= 1;
  if (!/:\s*$/.test(before[end - 1] ?? "")) return [];
  let start = end - 1;
  while (start > 0 && end - start < maxIntroLines && !isBlank(before[start - 1] ?? "")) start -= 1;
  // A wrapped sentence of the mail itself is longer or names neither a date nor an address.
  const isIntro = (text: string): boolean => text.length <= maxIntroChars && /\d|@/.test(text);
  while (start < end - 1 && !/^\S*\s?.*\d/.test(before[start] ?? "")) start += 1;
  if (!isIntro(before.slice(start, end).join(" "))) return [];
  return before.splice(start);
}
