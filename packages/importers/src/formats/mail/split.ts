import { ByteBuffer } from "../../core/parsing/byte-buffer.ts";
import { type Entry, readHead } from "../../tree/tree.ts";
import { countLeadingBlanks } from "./headers.ts";
import { maxMailBytes } from "./mail-reader.ts";

/** Streams the mails of an mbox file. */

export interface RawMail {
  readonly offset: number;
  /** Where the next mail begins. */
  readonly end: number;
  /** The `From sender date` line; empty if the file is a single mail. */
  readonly envelope: string;
  /** Valid until the next mail is requested. */
  readonly bytes: Buffer;
  /** Longer than the limit; `bytes` has its last bytes only. */
  readonly isCut: boolean;
}

const keptBytes = 4000;
const maxEnvelopeBytes = 2000;
/** Enough of the line after an envelope to tell whether it is a header. */
const headerProbeBytes = 200;
const LF = 10;

export async function* splitMails(entry: Entry, from: number): AsyncGenerator<RawMail> {
  const buffer = new ByteBuffer();
  /** File offset of the buffer, and how far it was searched. */
  let at = from;
  let searched = 1;
  let cut = 0;
  const kind = await detectMailboxKind(entry);
  const give = (end: number): RawMail => {
    const whole = buffer.content.subarray(0, end);
    const start = countLeadingBlanks(whole);
    const hasEnvelope = isEnvelope(whole, start);
    const line = hasEnvelope ? whole.indexOf(LF, start) : -1;
    const bytes = unquoteFrom(whole.subarray(line + 1), hasEnvelope);
    const envelope = hasEnvelope ? whole.toString("latin1", start, line).trim() : "";
    return { offset: at - cut, end: at + end, envelope, bytes, isCut: cut > 0 };
  };
  const pass = (count: number): void => {
    buffer.drop(count);
    at += count;
    searched = 1;
  };
  for await (const chunk of entry.bytes(from)) {
    buffer.add(chunk);
    for (;;) {
      if (kind === "single") break;
      const next = findNextEnvelope(buffer.content, searched, kind);
      searched = next.at;
      if (!next.isFound) break;
      yield give(next.at);
      pass(next.at);
      cut = 0;
    }
    if (buffer.content.length > maxMailBytes) {
      const dropped = buffer.content.length - keptBytes;
      pass(dropped);
      cut += dropped;
    }
  }
  const { content: held } = buffer;
  if (held.length > 0 && held.toString("latin1", 0, 2000).trim() !== "") yield give(held.length);
}

/** A file without an envelope at its beginning is one mail. */
type MailboxKind = "single" | "mailbox" | "patches";

async function detectMailboxKind(entry: Entry): Promise<MailboxKind> {
  const head = Buffer.from(await readHead(entry, maxEnvelopeBytes + headerProbeBytes));
  const start = countLeadingBlanks(head);
  if (!isEnvelope(head, start)) return "single";
  return gitEnvelope.test(head.toString("latin1", start, start + 120)) ? "patches" : "mailbox";
}

/** Whether a mailbox that ended at `offset` was complete, and another mail was appended to it. */
export async function beginsMail(entry: Entry, offset: number): Promise<boolean> {
  const kind = await detectMailboxKind(entry);
  const blank = "\n\r\n".length;
  if (kind === "single" || offset < blank) return false;
  const around = Buffer.from(
    await readHead({ ...entry, bytes: () => entry.bytes(offset - blank) }, blank + maxEnvelopeBytes + headerProbeBytes),
  );
  const isAfterBlank = /(\n\n|\n\r\n)$/.test(around.toString("latin1", 0, blank));
  const isPatch = kind !== "patches" && gitEnvelope.test(around.toString("latin1", blank, blank + 120));
  return isAfterBlank && !isPatch && isEnvelope(around, blank);
}

/** Git writes this date into every patch. */
const gitEnvelope = /^From (?:[0-9a-f]{40}|[0-9a-f]{64}) Mon Sep 17 00:00:00 2001\r?\n/;

/** Finds the next envelope, or where to resume searching when there is more. */
function findNextEnvelope(
  bytes: Buffer,
  from: number,
  kind: MailboxKind,
): { readonly isFound: boolean; readonly at: number } {
  for (let at = bytes.indexOf("\nFrom ", from - 1); at >= 0; at = bytes.indexOf("\nFrom ", at + 1)) {
    const isAfterBlank = bytes[at - 1] === LF || (bytes[at - 1] === 13 && bytes[at - 2] === LF);
    if (!isAfterBlank) continue;
    if (!canDecide(bytes, at + 1)) return { isFound: false, at: at + 1 };
    const isPatch = kind !== "patches" && gitEnvelope.test(bytes.toString("latin1", at + 1, at + 121));
    if (!isPatch && isEnvelope(bytes, at + 1)) return { isFound: true, at: at + 1 };
  }
  // The buffer may end with the start of an envelope.
  return { isFound: false, at: Math.max(1, bytes.length - 8) };
}

/** Whether there are enough bytes to decide. */
function canDecide(bytes: Buffer, at: number): boolean {
  const line = bytes.indexOf(LF, at);
  if (line < 0) return bytes.length - at > maxEnvelopeBytes;
  return bytes.length - line > headerProbeBytes || bytes.indexOf(LF, line + 1) >= 0;
}

/** `From ` starts an envelope only if a header follows; sentences begin with it, too. */
function isEnvelope(bytes: Buffer, at: number): boolean {
  if (bytes.toString("latin1", at, at + 5) !== "From ") return false;
  const line = bytes.subarray(at, at + maxEnvelopeBytes).indexOf(LF) + at;
  if (line < at) return false;
  const next = bytes.toString("latin1", line + 1, line + headerProbeBytes);
  return /^(>?From |[!-9;-~]+:)/.test(next);
}

/** Removes the `>` that mail programs put before lines starting with `From `. */
function unquoteFrom(bytes: Buffer, isQuoted: boolean): Buffer {
  if (!isQuoted || bytes.indexOf(">From ") < 0) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/\n>(>*From )/g, "\n$1"), "latin1");
}
