import { type Entry, readHead } from "../../tree/tree.ts";

/**
 * JSON of any size, piece by piece: the bytes are searched for where values begin and end, and each is parsed alone, so that a file
 * takes the memory of one value, and one bad value costs itself.
 */

export interface JsonElement {
  /** Where its first byte stands in the file. */
  readonly offset: number;
  /** Just behind it. */
  readonly end: number;
  readonly value?: unknown;
  /** Why it has no value. */
  readonly failure?: { readonly code: "malformed" | "too_long" | "truncated"; readonly reason: string };
  readonly raw: Uint8Array;
}

/** Keys joined by `/`, an item of an array as `*`: `chats/list/*`. Empty for the whole file. */
export type Step =
  | { readonly kind: "enter"; readonly path: string }
  | { readonly kind: "leave"; readonly path: string }
  | { readonly kind: "value"; readonly path: string; readonly element: JsonElement };

interface WalkOptions {
  /** Whether the object or array at this path is entered; others are given whole. */
  shouldOpen(path: string): boolean;
  /** Values longer than this are put aside. */
  readonly maxBytes?: number;
  /** The end of an element that was reached before, of a file that is an array. */
  readonly from?: number;
}

const defaultMaxBytes = 64 * 1024 * 1024;
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_ARRAY] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b];
const isOpen = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClose = (byte: number): boolean => byte === 0x5d || byte === 0x7d;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

interface Container {
  readonly path: string;
  /** Of what is in it, where all of that has one path. */
  readonly itemPath: string | undefined;
  /** In an object: the name that the next value has. */
  key: string | undefined;
  hasColon: boolean;
}

const joinPath = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`);

const createContainer = (path: string, isArray: boolean): Container => ({
  path,
  itemPath: isArray ? joinPath(path, "*") : undefined,
  key: undefined,
  hasColon: false,
});

const getItemPath = (inner: Container | undefined): string =>
  inner === undefined ? "" : (inner.itemPath ?? joinPath(inner.path, inner.key ?? ""));

/** What a JSON file holds, in its order. What comes behind its end is left out. */
export async function* walkJson(
  bytes: (from: number) => AsyncIterable<Uint8Array>,
  { shouldOpen: opens, maxBytes: most = defaultMaxBytes, from = 0 }: WalkOptions,
): AsyncGenerator<Step> {
  const stack: Container[] = from > 0 ? [createContainer("", true)] : [];
  const held = new ValueBuffer(most);
  const span = new ValueScanner();
  let at = from;
  let isEnded = false;
  /** What is kept: a value, or the name of one. */
  let taking: "value" | "key" | undefined;
  let path = "";
  for await (const chunk of bytes(from)) {
    let start = 0;
    let i = at === 0 && from === 0 ? measureByteOrderMark(chunk) : 0;
    for (; i < chunk.length && !isEnded; i += 1) {
      const inner = stack.at(-1);
      if (taking === "key") {
        i = span.findTextEnd(chunk, i);
        if (i === chunk.length) break;
        held.keep(chunk.subarray(start, i + 1));
        if (inner !== undefined) inner.key = held.parseKey();
        taking = undefined;
        continue;
      }
      if (taking === "value") {
        i = span.findValueEnd(chunk, i);
        if (i === chunk.length) break;
        yield { kind: "value", path, element: held.finish(chunk, start, i, at + i) };
        taking = undefined;
        if (inner === undefined) isEnded = true;
      }
      // Between values.
      const byte = chunk[i] ?? 0;
      if (isSpace(byte)) continue;
      if (byte === COMMA) {
        if (inner !== undefined) inner.key = undefined;
        continue;
      }
      if (isClose(byte)) {
        const left = stack.pop();
        if (left !== undefined) yield { kind: "leave", path: left.path };
        isEnded = stack.length === 0;
        const outer = stack.at(-1);
        if (outer !== undefined) outer.key = undefined;
        continue;
      }
      const isInObject = inner !== undefined && inner.itemPath === undefined;
      if (isInObject && inner.key === undefined && byte === QUOTE) {
        [taking, start] = ["key", i];
        held.begin(at + i);
        span.begin(byte);
        inner.hasColon = false;
        continue;
      }
      if (inner?.key !== undefined && byte === COLON && !inner.hasColon) {
        inner.hasColon = true;
        continue;
      }
      path = getItemPath(inner);
      if (isOpen(byte) && opens(path)) {
        stack.push(createContainer(path, byte === OPEN_ARRAY));
        yield { kind: "enter", path };
        continue;
      }
      [taking, start] = ["value", i];
      held.begin(at + i, isInObject && !inner.hasColon);
      span.begin(byte);
    }
    if (isEnded) return;
    if (taking !== undefined) held.keep(chunk.subarray(start));
    at += chunk.length;
  }
  if (taking !== undefined) {
    const isWhole = taking === "value" && stack.length === 0 && span.isWhole;
    yield { kind: "value", path, element: isWhole ? held.finish(noBytes, 0, 0, at) : held.finishTruncated(at) };
  }
  for (const { path } of stack.reverse()) yield { kind: "leave", path };
}

const noBytes = new Uint8Array(0);

/** How far a value reaches whose first byte was seen. Nearly all bytes of a file are looked at here, and nowhere else. */
class ValueScanner {
  #depth = 0;
  #inText = false;
  #isEscaped = false;

  begin(byte: number): void {
    this.#depth = isOpen(byte) ? 1 : 0;
    this.#inText = byte === QUOTE;
    this.#isEscaped = false;
  }

  /** It may end here: all that it opened is closed. */
  get isWhole(): boolean {
    return this.#depth === 0 && !this.#inText;
  }

  /** Where the text's last quote is; the chunk's length where it is not in it. */
  findTextEnd(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let i = from;
    if (this.#isEscaped && i < length) {
      this.#isEscaped = false;
      i += 1;
    }
    for (; i < length; i += 1) {
      const byte = chunk[i];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) i += 1;
    }
    this.#inText = i >= length;
    this.#isEscaped = i > length;
    return Math.min(i, length);
  }

  /** Where the comma or the bracket behind it is; the chunk's length where that is not in it. */
  findValueEnd(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let depth = this.#depth;
    let i = this.#inText ? this.findTextEnd(chunk, from) + 1 : from;
    for (; i < length; i += 1) {
      const byte = chunk[i] ?? 0;
      if (byte === QUOTE) i = this.findTextEnd(chunk, i + 1);
      else if (byte === COMMA) {
        if (depth === 0) break;
      } else if (isClose(byte)) {
        if (depth === 0) break;
        depth -= 1;
      } else if (isOpen(byte)) depth += 1;
    }
    this.#depth = depth;
    return Math.min(i, length);
  }
}

/** A byte order mark is no part of what a file says. */
const measureByteOrderMark = (chunk: Uint8Array): number =>
  chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0;

/** The bytes of one value, as far as they are not too many. */
class ValueBuffer {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #offset = 0;
  #isNameless = false;

  constructor(most: number) {
    this.#maxBytes = most;
  }

  begin(offset: number, isNameless = false): void {
    this.#parts = [];
    this.#size = 0;
    this.#offset = offset;
    this.#isNameless = isNameless;
  }

  /** What goes on in the next chunk, whose memory may be another one's by then. */
  keep(part: Uint8Array): void {
    // What is too long is not kept whole: its beginning tells what it was.
    if (this.#size <= this.#maxBytes) this.#parts.push(Uint8Array.from(part));
    else if (this.#parts.length > 1) this.#parts = this.#parts.slice(0, 1);
    this.#size += part.length;
  }

  parseKey(): string {
    try {
      const key: unknown = JSON.parse(Buffer.concat(this.#parts).toString("utf8"));
      return typeof key === "string" ? key : "";
    } catch {
      return "";
    }
  }

  /** It ends with these bytes of a chunk, or lies there whole. */
  finish(chunk: Uint8Array, start: number, end: number, endInFile: number): JsonElement {
    const span = { offset: this.#offset, end: endInFile };
    if (this.#parts.length > 0) {
      this.keep(chunk.subarray(start, end));
      return this.#parse(span, Buffer.concat(this.#parts));
    }
    this.#size = end - start;
    return this.#parse(span, Buffer.from(chunk.buffer, chunk.byteOffset + start, end - start));
  }

  #parse(lies: { readonly offset: number; readonly end: number }, raw: Buffer): JsonElement {
    this.#parts = [];
    const { offset, end } = lies;
    const failure = (code: "malformed" | "too_long", reason: string) => ({
      offset,
      end,
      raw,
      failure: { code, reason },
    });
    if (this.#size > this.#maxBytes) return failure("too_long", `it is longer than ${this.#maxBytes} bytes`);
    if (this.#isNameless) return failure("malformed", "it stands in an object and has no name");
    try {
      return { offset, end, raw, value: JSON.parse(raw.toString("utf8")) };
    } catch (error) {
      const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
      return failure("malformed", `it is not JSON: ${why}`);
    }
  }

  finishTruncated(end: number): JsonElement {
    const failure = { code: "truncated" as const, reason: "the file ends in the middle of it" };
    return { offset: this.#offset, end, failure, raw: Buffer.concat(this.#parts) };
  }
}

/** The elements of an array, whatever the bytes come from. */
export async function* readArrayElements(
  bytes: (from: number) => AsyncIterable<Uint8Array>,
  from: number,
): AsyncGenerator<JsonElement> {
  for await (const step of walkJson(bytes, { shouldOpen: (path) => path === "", from }))
    if (step.kind === "value") yield step.element;
}

/** The elements of a file that is an array, or the one object that it is. */
export async function* readFileElements(entry: Entry, from: number): AsyncGenerator<JsonElement> {
  const isObjectFile = /^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(Buffer.from(await readHead(entry, 64)).toString("latin1"));
  if (isObjectFile && from > 0) return;
  const opens = (path: string): boolean => !isObjectFile && path === "";
  for await (const step of walkJson((at) => entry.bytes(at), { shouldOpen: opens, from }))
    if (step.kind === "value") yield step.element;
}
