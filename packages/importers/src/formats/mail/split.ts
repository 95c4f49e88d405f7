import type { Entry } from "../../tree/tree.ts";

/** The mails of an mbox file, one at a time. */

export interface RawMail {
  readonly offset: number;
  /** Where the next one begins. */
  readonly end: number;
  /** The line before it: `From sender date`; empty in a file that is one mail. */
  readonly envelope: string;
  readonly bytes: Buffer;
  /** It is longer than what is read; these are its first bytes. */
  readonly isCut: boolean;
}

/** A mail longer than this is put aside: no provider takes half of it. */
const longest = 128 * 1024 * 1024;
const LF = 10;

export async function* mailsIn(entry: Entry, from: number): AsyncGenerator<RawMail> {
  let held: Buffer = Buffer.alloc(0);
  /** Where `held` begins in the file, and how far it was searched. */
  let at = from;
  let searched = 0;
  let cut = 0;
  const give = (end: number): RawMail => {
    const whole = held.subarray(0, end);
    const line = whole.indexOf(LF);
    const hasEnvelope = isEnvelope(whole, 0);
    const bytes = hasEnvelope ? whole.subarray(line + 1) : whole;
    const envelope = hasEnvelope ? whole.toString("latin1", 0, line).trim() : "";
    return { offset: at - cut, end: at + end, envelope, bytes: unquoted(bytes, hasEnvelope), isCut: cut > 0 };
  };
  for await (const chunk of entry.bytes(from)) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    for (;;) {
      const next = nextEnvelope(held, Math.max(1, searched));
      if (next === undefined) break;
      if (next < 0) {
        // What stands before it cannot be an envelope; the end must be seen again with what follows.
        searched = Math.max(1, held.length - 2000);
        break;
      }
      yield give(next);
      at += next;
      held = held.subarray(next);
      searched = 0;
      cut = 0;
    }
    if (held.length > longest) {
      const dropped = held.length - 4000;
      cut += dropped;
      at += dropped;
      held = Buffer.concat([held.subarray(dropped)]);
      searched = 0;
    }
  }
  if (held.length > 0 && held.toString("latin1", 0, 2000).trim() !== "") yield give(held.length);
}

/** Where the next envelope begins; -1 where none is seen yet. */
function nextEnvelope(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf("\nFrom ", Math.max(0, from - 1)); at >= 0; at = bytes.indexOf("\nFrom ", at + 1)) {
    // Without the two lines behind it, it cannot be told yet.
    const line = bytes.indexOf(LF, at + 1);
    if (line < 0 || bytes.indexOf(LF, line + 1) < 0) return undefined;
    const isAfterBlank = bytes[at - 1] === LF || (bytes[at - 1] === 13 && bytes[at - 2] === LF);
    if (isAfterBlank && isEnvelope(bytes, at + 1)) return at + 1;
  }
  return -1;
}

/** A line `From ` counts when a header follows it; people begin sentences with the word, too. */
function isEnvelope(bytes: Buffer, at: number): boolean {
  if (bytes.toString("latin1", at, at + 5) !== "From ") return false;
  const line = bytes.indexOf(LF, at);
  if (line < 0) return false;
  const next = bytes.toString("latin1", line + 1, line + 200);
  return /^(>?From |[!-9;-~]+:)/.test(next);
}

/** Where a line of the text began with `From `, programs have put a `>` before it. */
function unquoted(bytes: Buffer, isQuoted: boolean): Buffer {
  if (!isQuoted || bytes.indexOf(">From ") < 0) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/\n>(>*From )/g, "\n$1"), "latin1");
}
