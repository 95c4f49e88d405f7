import type { FieldDeclaration } from "@pdpp/contract/declaration";
import { budget } from "../sizes/budget.ts";

/**
 * Encoded bytes in text. A field declares them (`x_pdpp_type`, `contentEncoding`), or a value is measured. A run of base64
 * characters, in one piece or in lines of 64 or 76, counts as bytes if
 *
 * 1. it is the payload of a `data:...;base64,` URL with at least 32 characters;
 * 2. it starts like a file of a known format (PNG, PDF, zip, ...) and has at least 64;
 * 3. it has at least 512, with upper case, lower case and digits, and at least two in five neighbours differ in class. Encoded
 * bytes do (three in five), but words, paths and slugs do not. The longest identifiers in use, of mail attachments, have 500;
 * 4. it has at least 2,048, with upper case, lower case and digits.
 *
 * Never bytes: part of a URL, a signed token (`eyJ...` in three or five parts), hexadecimal digits, sequences in one case.
 */
export interface EncodedRun {
  /** In UTF-16 units, including the head of a data URL. */
  readonly start: number;
  readonly end: number;
  readonly mediaType?: string;
}

const declaredTypes: ReadonlySet<string> = new Set(["blob", "base64", "base64url", "binary"]);
const declaredEncodings: ReadonlySet<string> = new Set(["base64", "base64url", "base32", "base16", "binary"]);

/** The declared byte encoding of a text field. */
export function getDeclaredEncoding(field: FieldDeclaration): string | null {
  const encoding = field.schema.contentEncoding;
  if (typeof encoding === "string" && declaredEncodings.has(encoding.toLowerCase())) return encoding.toLowerCase();
  const type = field.type?.toLowerCase() ?? "";
  if (field.blob || declaredTypes.has(type)) return type.startsWith("base64") ? type : "binary";
  return null;
}

const runs = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,}={0,2}/g;
const lineWidths: ReadonlySet<number> = new Set([64, 76]);
/** Line breaks, plain or as escaped in JSON. */
const lineEnds = /\r?\n|(?:\\r)?\\n/g;
const nextLine = /(?:\r?\n|(?:\\r)?\\n)([A-Za-z0-9+/_-]+={0,2})(?=$|[\r\n\\"])/y;
/** PNG, JPEG, GIF, RIFF, TIFF, PDF, zip, Ogg, MP3, MP4, ELF, Windows programs, old Office files. */
const signatures =
  /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|SUkqA|TU0AK|JVBERi0|UEsDB|T2dnUw|SUQz[AB]|AAAA[A-Za-z0-9+/]{2}Z0eX|f0VMR|TVqQA|0M8R4KGx)/;
const dataUrlHead = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,\s"]+)*;base64,$/i;
const tokenHead = /(?:^|[^\w.-])(eyJ[\w.-]*)$/;
const token = /^eyJ[\w-]+(?:\.[\w-]*){2}(?:(?:\.[\w-]*){2})?(?![\w.-])/;
const delimiters = /[\s"'<>()]/;
/** How far back to look for what a run is part of. */
const headReach = budget.encoded.tokenChars;

/** In order. */
export const findEncodedRuns = (text: string): EncodedRun[] =>
  canHaveRun(text) ? Array.from(findCandidates(text), ({ run }) => run).filter((run) => run !== null) : [];

const runUnits = budget.encoded.dataUrlChars;
const inRuns = /[A-Za-z0-9+/_-]/;
const runClasses = Uint8Array.from({ length: 128 }, (_, code) => (inRuns.test(String.fromCharCode(code)) ? 1 : 0));

/**
 * Whether any run is long enough. Scans backwards from where one would end, so it reads only a few letters of prose in every 32.
 */
function canHaveRun(text: string): boolean {
  for (let end = runUnits; end <= text.length; ) {
    let start = end;
    while (start > end - runUnits && runClasses[text.charCodeAt(start - 1)] === 1) start -= 1;
    if (start === end - runUnits) return true;
    end = start + runUnits;
  }
  return false;
}

/** Every sufficiently long run of base64 characters, with the result of measuring it. */
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

/** The text right before a run, up to a space or quote. */
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
  let lettersAndDigits = 0;
  let seen = 0;
  let last = 0;
  for (let i = 0; i < run.length; i += 1) {
    const kind = classify(run.charCodeAt(i));
    if (kind === 0) continue;
    if (last !== kind) changes += 1;
    lettersAndDigits += 1;
    seen |= kind;
    last = kind;
  }
  if (seen !== 7) return false;
  return run.length >= budget.encoded.anyChars || changes >= lettersAndDigits * budget.encoded.changes;
}

/** 1 for a digit, 2 for upper case, 4 for lower case, 0 for punctuation. */
function classify(code: number): number {
  if (code >= 97) return 4;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 1 : 0;
}

/** Whether a value as a whole is encoded bytes, judged by its start. */
export function detectEncoded(text: string): { readonly mediaType?: string } | null {
  const sample = text.slice(0, budget.encoded.sampleChars);
  const found = findEncodedRuns(sample);
  const encoded = found.reduce((sum, { start, end }) => sum + end - start, 0);
  if (found.length === 0 || encoded < sample.trim().length * budget.encoded.share) return null;
  const mediaType = found[0]?.mediaType;
  return mediaType === undefined ? {} : { mediaType };
}

/** Whether a value is nothing but encoded bytes, so that there is no text to read. */
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

/** Runs in a part of a text, and how much at its ends depends on the text around it. */
export interface RunsInPart {
  readonly runs: readonly EncodedRun[];
  /** A possible run covers the part up to here; 0 if no run starts before it. */
  readonly openUntil: number;
  /** A possible run covers the part from here on; the length of the part if no run continues after it. */
  readonly openFrom: number;
}

const lineBefore = /^[A-Za-z0-9+/_-]{0,76}={0,2}(?:\r?\n|(?:\\r)?\\n|\r|\\)?$/;
const atEdge = 4;

export function findRunsInPart(part: string): RunsInPart {
  let [openUntil, openFrom] = [0, part.length];
  if (!canHaveRun(part)) return { runs: [], openUntil, openFrom };
  const found: EncodedRun[] = [];
  for (const { start, end, run } of findCandidates(part)) {
    if (run !== null) found.push(run);
    if (end > part.length - atEdge) openFrom = Math.min(openFrom, run?.start ?? start);
    const isHeadCut = start <= headReach && !delimiters.test(part.slice(0, start));
    if (isHeadCut || lineBefore.test(part.slice(0, start))) openUntil = end;
  }
  return { runs: found, openUntil, openFrom };
}

/** How much text around an index is needed to detect a run that starts before it, in UTF-16 units. */
export const runMargin = budget.encoded.anyChars + headReach;

/** Where the plain text before encoded bytes ends, within `most` UTF-16 units. */
export function findPlainEnd(text: string, most: number): number {
  const [first] = findEncodedRuns(text.slice(0, most + runMargin));
  return Math.min(first?.start ?? text.length, most);
}
