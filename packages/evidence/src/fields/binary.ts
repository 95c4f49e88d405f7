import type { FieldDeclaration } from "@pdpp/contract/declaration";
import { budget } from "../sizes/budget.ts";

/**
 * Bytes written as text. A field is declared so (`x_pdpp_type`, `contentEncoding`), or a value is measured. A measured run of
 * base64 characters, in one piece or in lines of 64 or 76, counts as bytes when one of these holds:
 *
 * 1. it is the payload of a `data:...;base64,` URL, of at least 32 characters;
 * 2. it begins like a file of a known format (PNG, PDF, zip, ...), and has at least 64;
 * 3. it has at least 512, has upper case, lower case and digits, and two neighbours in five differ in that: encoded bytes do
 *    (three in five), written words, paths and slugs do not. The longest identifiers in use (of mail attachments) have 500;
 * 4. it has at least 2,048 and upper case, lower case and digits.
 *
 * Never: a part of a web address, a signed token (`eyJ...` in three or five parts), hexadecimal digits, one-case sequences.
 */
export interface EncodedRun {
  /** In UTF-16 units of the text, the head of a data URL included. */
  readonly start: number;
  readonly end: number;
  readonly mediaType?: string;
}

const declaredTypes: ReadonlySet<string> = new Set(["blob", "base64", "base64url", "binary"]);
const declaredEncodings: ReadonlySet<string> = new Set(["base64", "base64url", "base32", "base16", "binary"]);

/** The encoding a text field is declared to have, if it is one of bytes. */
export function getDeclaredEncoding(field: FieldDeclaration): string | null {
  const encoding = field.schema.contentEncoding;
  if (typeof encoding === "string" && declaredEncodings.has(encoding.toLowerCase())) return encoding.toLowerCase();
  const type = field.type?.toLowerCase() ?? "";
  if (field.blob || declaredTypes.has(type)) return type.startsWith("base64") ? type : "binary";
  return null;
}

const runs = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,}={0,2}/g;
const lineWidths: ReadonlySet<number> = new Set([64, 76]);
/** Line ends as they are, or as JSON writes them. */
const lineEnds = /\r?\n|(?:\\r)?\\n/g;
const nextLine = /(?:\r?\n|(?:\\r)?\\n)([A-Za-z0-9+/_-]+={0,2})(?=$|[\r\n\\"])/y;
/** PNG, JPEG, GIF, RIFF, TIFF, PDF, zip, Ogg, MP3, MP4, ELF, Windows programs, old Office files. */
const signatures =
  /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|SUkqA|TU0AK|JVBERi0|UEsDB|T2dnUw|SUQz[AB]|AAAA[A-Za-z0-9+/]{2}Z0eX|f0VMR|TVqQA|0M8R4KGx)/;
const dataUrlHead = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,\s"]+)*;base64,$/i;
const tokenHead = /(?:^|[^\w.-])(eyJ[\w.-]*)$/;
const token = /^eyJ[\w-]+(?:\.[\w-]*){2}(?:(?:\.[\w-]*){2})?(?![\w.-])/;
const delimiters = /[\s"'<>()]/;
/** So far back is looked for what a run is a part of. */
const headReach = budget.encoded.tokenChars;

/** The runs of encoded bytes in a text, in order. */
export const findEncodedRuns = (text: string): EncodedRun[] =>
  canHaveRun(text) ? Array.from(findCandidates(text), ({ run }) => run).filter((run) => run !== null) : [];

const runUnits = budget.encoded.dataUrlChars;
const inRuns = /[A-Za-z0-9+/_-]/;
const runClasses = Uint8Array.from({ length: 128 }, (_, code) => (inRuns.test(String.fromCharCode(code)) ? 1 : 0));

/** Whether anything is long enough to be a run. Looks backwards from where one would end: of prose it sees a few letters in 32. */
function canHaveRun(text: string): boolean {
  for (let end = runUnits; end <= text.length; ) {
    let start = end;
    while (start > end - runUnits && runClasses[text.charCodeAt(start - 1)] === 1) start -= 1;
    if (start === end - runUnits) return true;
    end = start + runUnits;
  }
  return false;
}

/** Every run of base64 characters that is long enough, with what it was measured to be. */
function* findCandidates(text: string): Generator<{ start: number; end: number; run: EncodedRun | null }> {
  for (let from = 0; ; ) {
    runs.lastIndex = from;
    const match = runs.exec(text);
    if (match === null) return;
    from = findLinesEnd(text, match.index, runs.lastIndex);
    yield { start: match.index, end: from, run: measureRun(text, match.index, from) };
  }
}

function findLinesEnd(text: string, start: number, firstEnd: number): number {
  const width = firstEnd - start;
  if (!lineWidths.has(width)) return firstEnd;
  let end = firstEnd;
  for (let last = width; last === width; ) {
    nextLine.lastIndex = end;
    const line = nextLine.exec(text)?.[1];
    if (line === undefined || line.length > width) break;
    last = line.length;
    end = nextLine.lastIndex;
  }
  return end;
}

function measureRun(text: string, start: number, end: number): EncodedRun | null {
  const head = getHead(text, start);
  const dataUrl = dataUrlHead.exec(head);
  if (dataUrl !== null) {
    const mediaType = dataUrl[1]?.toLowerCase();
    return { start: start - dataUrl[0].length, end, ...(mediaType === undefined ? {} : { mediaType }) };
  }
  const run = text.slice(start, end).replace(lineEnds, "");
  if (run.length < budget.encoded.signedChars || head.includes("://")) return null;
  if (signatures.test(run)) return { start, end };
  if (run.length < budget.encoded.mixedChars || isInToken(text, head, start)) return null;
  return isMixed(run) ? { start, end } : null;
}

/** What stands right before a run, without a space or a quote between. */
function getHead(text: string, start: number): string {
  let from = start;
  while (from > 0 && start - from < headReach && !delimiters.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from, start);
}

function isInToken(text: string, head: string, start: number): boolean {
  const from = start - (tokenHead.exec(head)?.[1] ?? "").length;
  return token.test(text.slice(from, from + budget.encoded.tokenChars));
}

function isMixed(run: string): boolean {
  let changes = 0;
  let counted = 0;
  let seen = 0;
  let last = 0;
  for (let i = 0; i < run.length; i += 1) {
    const kind = classify(run.charCodeAt(i));
    if (kind === 0) continue;
    if (last !== kind) changes += 1;
    counted += 1;
    seen |= kind;
    last = kind;
  }
  if (seen !== 7) return false;
  return run.length >= budget.encoded.anyChars || changes >= counted * budget.encoded.changes;
}

/** 1 for a digit, 2 for upper case, 4 for lower case, 0 for a sign. */
function classify(code: number): number {
  if (code >= 97) return 4;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 1 : 0;
}

/** Whether a value is encoded bytes as a whole, by its beginning. */
export function detectEncoded(text: string): { readonly mediaType?: string } | null {
  const sample = text.slice(0, budget.encoded.sampleChars);
  const found = findEncodedRuns(sample);
  const encoded = found.reduce((sum, { start, end }) => sum + end - start, 0);
  if (found.length === 0 || encoded < sample.trim().length * budget.encoded.share) return null;
  const mediaType = found[0]?.mediaType;
  return mediaType === undefined ? {} : { mediaType };
}

/** Whether a value is nothing but encoded bytes: then there is no text in it to read. */
export function detectAllBytes(text: string): { readonly mediaType?: string } | null {
  const encoded = detectEncoded(text);
  if (encoded === null) return null;
  let [rest, from] = ["", 0];
  for (const run of findEncodedRuns(text)) {
    rest += text.slice(from, run.start);
    from = run.end;
  }
  return (rest + text.slice(from)).trim() === "" ? encoded : null;
}

/** What is in a part of a text, and whether more of the text must be seen to tell what is at the part's ends. */
export interface RunsInPart {
  readonly runs: readonly EncodedRun[];
  /** How far what may be bytes reaches into the part from its beginning; 0: nothing does. */
  readonly openUntil: number;
  /** From where on it reaches to its end; the length of the part when nothing does. */
  readonly openFrom: number;
}

const lineBefore = /^[A-Za-z0-9+/_-]{0,76}={0,2}(?:\r?\n|(?:\\r)?\\n|\r|\\)?$/;
const atEdge = 4;

export function findRunsInPart(part: string): RunsInPart {
  let [openUntil, openFrom] = [0, part.length];
  const found: EncodedRun[] = [];
  for (const { start, end, run } of findCandidates(part)) {
    if (run !== null) found.push(run);
    if (end > part.length - atEdge) openFrom = Math.min(openFrom, run?.start ?? start);
    const isHeadCut = start <= headReach && !delimiters.test(part.slice(0, start));
    if (isHeadCut || lineBefore.test(part.slice(0, start))) openUntil = end;
  }
  return { runs: found, openUntil, openFrom };
}

/** How much beyond a place must be looked at to see a run that begins before it. In UTF-16 units. */
export const runMargin = budget.encoded.anyChars + headReach;

/** How far a text can be shown before encoded bytes begin, looking no further than `most` UTF-16 units. */
export function findPlainEnd(text: string, most: number): number {
  const [first] = findEncodedRuns(text.slice(0, most + runMargin));
  return Math.min(first?.start ?? text.length, most);
}
