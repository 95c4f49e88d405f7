import type { Entry } from "../../tree/tree.ts";

/**
 * The children of an XML file's root element, one at a time: the bytes are searched for where they begin and end, and each is parsed
 * alone, so that a file of any size takes the memory of one element, reading can go on behind any of them, and a bad one costs itself.
 */
export interface XmlElement {
  readonly name: string;
  /** Where its first byte stands in the file. */
  readonly offset: number;
  /** Just behind it. */
  readonly end: number;
  readonly raw: Buffer;
  /** Why it cannot be parsed. */
  readonly failure?: { readonly code: "too_long" | "truncated"; readonly reason: string };
}

interface XmlOptions {
  /** An element's end that was reached before. */
  readonly from?: number;
  /** Elements longer than this are put aside. */
  readonly maxBytes?: number;
  /** What the root's children are called: where one is never closed, reading goes on at the next of them. */
  readonly childNames: readonly string[];
}

/** So often a file is read on behind an element that never ends. */
const maxResumptions = 200;

export async function* readXmlElements(
  entry: Entry,
  { from = 0, maxBytes: most = 64 * 1024 * 1024, childNames: names }: XmlOptions,
): AsyncGenerator<XmlElement> {
  let at = from;
  let isInside = from > 0;
  for (let resumptions = 0; ; resumptions += 1) {
    let createFailure: XmlElement | undefined;
    for await (const element of scan(entry.bytes(at), at, isInside, most)) {
      if (element.failure === undefined) yield element;
      else {
        createFailure = element;
        break;
      }
    }
    if (createFailure === undefined) return;
    const next = resumptions < maxResumptions ? await findNextStart(entry, createFailure.offset + 1, names) : undefined;
    yield {
      ...createFailure,
      end: next ?? createFailure.end,
      raw: createFailure.raw.subarray(0, (next ?? createFailure.end) - createFailure.offset),
    };
    if (next === undefined) return;
    at = next;
    isInside = true;
  }
}

/** Where the next of the children begins, behind one that never ends. */
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
/** No honest tag is that long. */
const maxTagBytes = 1024 * 1024;

async function* scan(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  isInside: boolean,
  most: number,
): AsyncGenerator<XmlElement> {
  const window = new Window(start);
  let depth = isInside ? 1 : 0;
  /** In the window: how far it was looked at, and where the child that is open begins. */
  let at = 0;
  let began = -1;
  let searched = 0;
  const lost = (code: "too_long" | "truncated", reason: string): XmlElement => {
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
      yield lost("too_long", `it is longer than ${most} bytes`);
      return;
    }
    if (began < 0 && window.bytes.length - at > maxTagBytes) return yield lost("too_long", "a tag in it never ends");
  }
  if (began >= 0 || at < window.bytes.length) yield lost("truncated", "the file ends in the middle of it");
}

const parseTagName = (raw: Buffer): string => /^<([^\s/>]+)/.exec(raw.toString("latin1", 0, 200))?.[1] ?? "";

/** Just behind what begins with `<`, or -1 where its end is not there yet. `searched` says up to where it cannot be. */
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

/** A document type may describe its elements, between brackets. */
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

/** Bytes of a file from some place on, which grow at their end and shrink at their beginning. */
class Window {
  /** Where the first byte stands in the file. */
  offset: number;
  bytes: Buffer = Buffer.alloc(0);
  #whole: Buffer = Buffer.alloc(512 * 1024);

  constructor(offset: number) {
    this.offset = offset;
  }

  /** Forgets what stands before `from`, and answers how much that was. */
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
