import { ByteBuffer } from "../../core/parsing/byte-buffer.ts";
import type { Entry } from "../../tree/tree.ts";

/** The mails of an mbox file, one at a time. */

export interface RawMail {
  readonly offset: number;
  /** Where the next one begins. */
  readonly end: number;
  /** The line before it: `From sender date`; empty in a file that is one mail. */
  readonly envelope: string;
  /** They are there until the next mail is asked for. */
  readonly bytes: Buffer;
  /** It is longer than what is read; these are its last bytes. */
  readonly isCut: boolean;
}

/** A mail longer than this is put aside: no provider takes half of it. */
const longest = 128 * 1024 * 1024;
const keptOfCut = 4000;
const longestEnvelope = 2000;
/** So much of the line behind an envelope tells whether it is a header. */
const headerStart = 200;
const LF = 10;

export async function* mailsIn(entry: Entry, from: number): AsyncGenerator<RawMail> {
  const room = new ByteBuffer();
  /** Where what is held begins in the file, and how far it was searched. */
  let at = from;
  let searched = 1;
  let cut = 0;
  const give = (end: number): RawMail => {
    const whole = room.content.subarray(0, end);
    const hasEnvelope = isEnvelope(whole, 0);
    const line = hasEnvelope ? whole.indexOf(LF) : -1;
    const bytes = unquoted(whole.subarray(line + 1), hasEnvelope);
    const envelope = hasEnvelope ? whole.toString("latin1", 0, line).trim() : "";
    return { offset: at - cut, end: at + end, envelope, bytes, isCut: cut > 0 };
  };
  const pass = (count: number): void => {
    room.drop(count);
    at += count;
    searched = 1;
  };
  for await (const chunk of entry.bytes(from)) {
    room.add(chunk);
    for (;;) {
      const next = nextEnvelope(room.content, searched);
      searched = next.at;
      if (!next.isFound) break;
      yield give(next.at);
      pass(next.at);
      cut = 0;
    }
    if (room.content.length > longest) {
      const dropped = room.content.length - keptOfCut;
      pass(dropped);
      cut += dropped;
    }
  }
  const { content: held } = room;
  if (held.length > 0 && held.toString("latin1", 0, 2000).trim() !== "") yield give(held.length);
}

/** Where the next envelope begins; where none is seen yet, from where to search when more is there. */
function nextEnvelope(bytes: Buffer, from: number): { readonly isFound: boolean; readonly at: number } {
  for (let at = bytes.indexOf("\nFrom ", from - 1); at >= 0; at = bytes.indexOf("\nFrom ", at + 1)) {
    const isAfterBlank = bytes[at - 1] === LF || (bytes[at - 1] === 13 && bytes[at - 2] === LF);
    if (!isAfterBlank) continue;
    if (!canTell(bytes, at + 1)) return { isFound: false, at: at + 1 };
    if (isEnvelope(bytes, at + 1)) return { isFound: true, at: at + 1 };
  }
  // The beginning of an envelope may be the last that is held.
  return { isFound: false, at: Math.max(1, bytes.length - 8) };
}

/** Whether enough is there to say if a line is an envelope. */
function canTell(bytes: Buffer, at: number): boolean {
  const line = bytes.indexOf(LF, at);
  if (line < 0) return bytes.length - at > longestEnvelope;
  return bytes.length - line > headerStart || bytes.indexOf(LF, line + 1) >= 0;
}

/** A line `From ` counts when a header follows it; people begin sentences with the word, too. */
function isEnvelope(bytes: Buffer, at: number): boolean {
  if (bytes.toString("latin1", at, at + 5) !== "From ") return false;
  const line = bytes.subarray(at, at + longestEnvelope).indexOf(LF) + at;
  if (line < at) return false;
  const next = bytes.toString("latin1", line + 1, line + headerStart);
  return /^(>?From |[!-9;-~]+:)/.test(next);
}

/** Where a line of the text began with `From `, programs have put a `>` before it. */
function unquoted(bytes: Buffer, isQuoted: boolean): Buffer {
  if (!isQuoted || bytes.indexOf(">From ") < 0) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/\n>(>*From )/g, "\n$1"), "latin1");
}
