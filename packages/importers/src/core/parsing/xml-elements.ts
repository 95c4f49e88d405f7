import type { Entry } from "../../tree/tree.ts";

/**
 * Streams the children of an XML file's root element. The scanner finds where they begin and end, and each is parsed on its own: memory is
 * bounded by one element, reading can resume after any of them, and a malformed element does not affect the others.
 */
export interface XmlElement {
  readonly name: string;
  /** Offset of its first byte in the file. */
  readonly offset: number;
  /** Exclusive end offset. */
  readonly end: number;
  readonly raw: Buffer;
  readonly failure?: { readonly code: "too_long" | "truncated"; readonly reason: string };
}

interface XmlOptions {
  /** Resumes at the `end` of an earlier element. */
  readonly from?: number;
  /** Longer elements are rejected. */
  readonly maxBytes?: number;
  /** Names of the root's children: after an unclosed one, reading resumes at the next start tag. */
  readonly childNames: readonly string[];
}

/** Limits how often reading resumes after an unclosed element. */
const maxResumptions = 200;

export async function* readXmlElements(
  entry: Entry,
  { from = 0, maxBytes: most = 64 * 1024 * 1024, childNames: names }: XmlOptions,
): AsyncGenerator<XmlElement> {
  let at = from;
  let isInside = from > 0;
  for (let resumptions = 0; ; resumptions += 1) {
    let failed: XmlElement | undefined;
    for await (const element of scan(entry.bytes(at), at, isInside, most)) {
      if (element.failure === undefined) yield element;
      else {
        failed = element;
        break;
      }
    }
    if (failed === undefined) return;
    const next = resumptions < maxResumptions ? await findNextStart(entry, failed.offset + 1, names) : undefined;
    yield {
      ...failed,
      end: next ?? failed.end,
      raw: failed.raw.subarray(0, (next ?? failed.end) - failed.offset),
    };
    if (next === undefined) return;
    at = next;
    isInside = true;
  }
}

/** Finds the next child after an unclosed one. */
async function findNextStart(entry: Entry, from: number, names: readonly string[]): Promise<number | undefined> {
  const tags = names.flatMap((name) => [`<${name} `, `<${name}>`, `<${name}\n`]);
  const longest = Math.max(...tags.map((tag) => tag.length));
  let kept = Buffer.alloc(0);
  let at = from;
  for await (const chunk of entry.bytes(from)) {
    const bytes = Buffer.concat([kept, chunk]);
    const found = tags.map((tag) => bytes.indexOf(tag)).filter((index) => index >= 0);
    if (found.length > 0) return at + Math.min(...found);
    kept = bytes.subarray(Math.max(0, bytes.length - longest));
    at += bytes.length - kept.length;
  }
  return undefined;
}

const [LESS, GREATER, SLASH] = [0x3c, 0x3e, 0x2f];
/** No real tag is longer. */
const maxTagBytes = 1024 * 1024;

async function* scan(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  isInside: boolean,
  most: number,
): AsyncGenerator<XmlElement> {
  const window = new Window(start);
  let depth = isInside ? 1 : 0;
  /** Positions in the window: how far it was scanned, and where the open child begins. */
  let at = 0;
  let began = -1;
  let searched = 0;
  const createFailure = (code: "too_long" | "truncated", reason: string): XmlElement => {
    const first = began < 0 ? at : began;
    const raw = Buffer.from(window.bytes.subarray(first));
    return {
      name: "",
      offset: window.offset + first,
      end: window.offset + window.bytes.length,
      raw,
      failure: { code, reason },
    };
  };
  for await (const chunk of chunks) {
    const dropped = window.add(chunk, began < 0 ? at : began);
    at -= dropped;
    searched -= dropped;
    if (began >= 0) began = 0;
    for (;;) {
      const { bytes } = window;
      const open = bytes.indexOf(LESS, at);
      at = open < 0 ? bytes.length : open;
      const end = open < 0 ? -1 : findTagEnd(bytes, open, searched);
      if (end < 0) {
        searched = bytes.length;
        break;
      }
      searched = 0;
      at = end;
      const kind = bytes[open + 1];
      if (kind === 0x21 || kind === 0x3f) continue;
      if (kind === SLASH) depth -= 1;
      else if (bytes[end - 2] !== SLASH) depth += 1;
      if (depth < 0 || (depth === 0 && (kind === SLASH || bytes[end - 2] === SLASH))) return;
      const isStart = kind !== SLASH && began < 0 && (depth === 2 || (depth === 1 && bytes[end - 2] === SLASH));
      if (isStart) began = open;
      if (depth === 1 && began >= 0) {
        const raw = Buffer.from(bytes.subarray(began, end));
        yield { name: parseTagName(raw), offset: window.offset + began, end: window.offset + end, raw };
        began = -1;
      }
    }
    if (began >= 0 && window.bytes.length - began > most) {
      yield createFailure("too_long", `longer than ${most} bytes`);
      return;
    }
    if (began < 0 && window.bytes.length - at > maxTagBytes) return yield createFailure("too_long", "a tag never ends");
  }
  if (began >= 0 || at < window.bytes.length) yield createFailure("truncated", "the file ends before this item does");
}

const parseTagName = (raw: Buffer): string => /^<([^\s/>]+)/.exec(raw.toString("latin1", 0, 200))?.[1] ?? "";

/** End of the tag at `open`, or -1 if more bytes are needed. `searched` is how far it was already searched. */
function findTagEnd(bytes: Buffer, open: number, searched: number): number {
  const findClosing = (what: string, from: number): number => {
    const found = bytes.indexOf(what, Math.max(from, searched - what.length));
    return found < 0 ? -1 : found + what.length;
  };
  const second = bytes[open + 1];
  if (second === undefined) return -1;
  if (second === 0x3f) return findClosing("?>", open + 2);
  if (second === 0x21) {
    const lead = bytes.toString("latin1", open, open + 9);
    if (lead.length < 9) return -1;
    if (lead.startsWith("<!--")) return findClosing("-->", open + 4);
    if (lead === "<![CDATA[") return findClosing("]]>", open + 9);
    return findDoctypeEnd(bytes, open);
  }
  let quote = 0;
  for (let i = open + 1; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    if (quote !== 0) {
      const end = bytes.indexOf(quote, i);
      if (end < 0) return -1;
      i = end;
      quote = 0;
    } else if (byte === 0x22 || byte === 0x27) quote = byte;
    else if (byte === GREATER) return i + 1;
  }
  return -1;
}

/** A DOCTYPE may contain an internal subset in brackets. */
function findDoctypeEnd(bytes: Buffer, open: number): number {
  const plain = bytes.indexOf(GREATER, open);
  const bracket = bytes.indexOf("[", open);
  if (plain < 0) return -1;
  if (bracket < 0 || plain < bracket) return plain + 1;
  for (let i = bytes.indexOf("]", bracket); i >= 0; i = bytes.indexOf("]", i + 1)) {
    const rest = /^\]\s*>/.exec(bytes.toString("latin1", i, i + 20));
    if (rest !== null) return i + rest[0].length;
  }
  return -1;
}

/** A sliding window over a file's bytes. */
class Window {
  /** File offset of the first byte. */
  offset: number;
  bytes: Buffer = Buffer.alloc(0);
  #whole: Buffer = Buffer.alloc(512 * 1024);

  constructor(offset: number) {
    this.offset = offset;
  }

  /** Drops what is before `from`, and returns how much that was. */
  add(chunk: Uint8Array, from: number): number {
    const kept = this.bytes.subarray(from);
    const needed = kept.length + chunk.length;
    const whole = needed > this.#whole.length ? Buffer.alloc(Math.max(needed, this.#whole.length * 2)) : this.#whole;
    kept.copy(whole, 0);
    whole.set(chunk, kept.length);
    this.#whole = whole;
    this.bytes = whole.subarray(0, needed);
    this.offset += from;
    return from;
  }
}
