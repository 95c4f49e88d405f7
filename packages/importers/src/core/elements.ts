import { type Entry, headOf } from "../tree/tree.ts";

/**
 * JSON of any size, piece by piece: the bytes are searched for where values begin and end, and each is parsed alone, so that a file
 * takes the memory of one value, and one bad value costs itself.
 */

export interface Element {
  /** Where its first byte stands in the file. */
  readonly offset: number;
  /** Just behind it. */
  readonly end: number;
  readonly value?: unknown;
  /** Why it has no value. */
  readonly fault?: { readonly code: "malformed" | "too_long" | "truncated"; readonly reason: string };
  readonly raw: Uint8Array;
}

/** Keys joined by `/`, an item of an array as `*`: `chats/list/*`. Empty for the whole file. */
export type Step =
  | { readonly kind: "enter"; readonly path: string }
  | { readonly kind: "leave"; readonly path: string }
  | { readonly kind: "value"; readonly path: string; readonly element: Element };

interface WalkOptions {
  /** Whether the object or array at this path is entered; others are given whole. */
  opens(path: string): boolean;
  /** Values longer than this are put aside. */
  readonly most?: number;
  /** The end of an element that was reached before, of a file that is an array. */
  readonly from?: number;
}

const usualMost = 64 * 1024 * 1024;
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_ARRAY] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b];
const isOpen = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClose = (byte: number): boolean => byte === 0x5d || byte === 0x7d;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

interface Container {
  readonly path: string;
  readonly isArray: boolean;
  /** In an object: the name that the next value has. */
  key: string | undefined;
  hasColon: boolean;
}

const containerAt = (path: string, isArray: boolean): Container => ({ path, isArray, key: undefined, hasColon: false });

/** What a JSON file holds, in its order. What comes behind its end is left out. */
export async function* walk(
  bytes: (from: number) => AsyncIterable<Uint8Array>,
  { opens, most = usualMost, from = 0 }: WalkOptions,
): AsyncGenerator<Step> {
  const stack: Container[] = from > 0 ? [containerAt("", true)] : [];
  const held = new Held(most);
  let at = from;
  let isEnded = false;
  /** A value that is kept, and how deep we are in it; or the name of one. */
  let taking: "value" | "key" | undefined;
  let path = "";
  let depth = 0;
  let inText = false;
  let escaped = false;
  for await (const chunk of bytes(from)) {
    let start = 0;
    let i = at === 0 && from === 0 ? markLength(chunk) : 0;
    for (; i < chunk.length && !isEnded; i += 1) {
      const byte = chunk[i] ?? 0;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inText = false;
          const inner = stack.at(-1);
          if (taking === "key" && inner !== undefined) {
            held.keep(chunk.subarray(start, i + 1));
            inner.key = held.key();
            taking = undefined;
          }
        }
        continue;
      }
      const inner = stack.at(-1);
      if (taking === "value") {
        if (depth > 0 || !(byte === COMMA || isClose(byte))) {
          if (byte === QUOTE) inText = true;
          else if (isOpen(byte)) depth += 1;
          else if (isClose(byte)) depth -= 1;
          continue;
        }
        held.last(chunk.subarray(start, i));
        yield { kind: "value", path, element: held.element(at + i) };
        taking = undefined;
        if (inner === undefined) isEnded = true;
      }
      // Between values.
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
      if (inner !== undefined && !inner.isArray && inner.key === undefined && byte === QUOTE) {
        [taking, inText, start] = ["key", true, i];
        held.begin(at + i);
        inner.hasColon = false;
        continue;
      }
      if (inner?.key !== undefined && byte === COLON && !inner.hasColon) {
        inner.hasColon = true;
        continue;
      }
      path = pathIn(inner);
      if (isOpen(byte) && opens(path)) {
        stack.push(containerAt(path, byte === OPEN_ARRAY));
        yield { kind: "enter", path };
        continue;
      }
      [taking, start, depth, inText] = ["value", i, isOpen(byte) ? 1 : 0, byte === QUOTE];
      held.begin(at + i, inner !== undefined && !inner.isArray && !inner.hasColon);
    }
    if (isEnded) return;
    if (taking !== undefined) held.keep(chunk.subarray(start));
    at += chunk.length;
  }
  if (taking !== undefined) {
    const isWhole = taking === "value" && stack.length === 0 && depth === 0 && !inText;
    yield { kind: "value", path, element: isWhole ? held.element(at) : held.truncated(at) };
  }
  for (const { path } of stack.reverse()) yield { kind: "leave", path };
}

const pathIn = (inner: Container | undefined): string => {
  if (inner === undefined) return "";
  const name = inner.isArray ? "*" : (inner.key ?? "");
  return inner.path === "" ? name : `${inner.path}/${name}`;
};

/** A byte order mark is no part of what a file says. */
const markLength = (chunk: Uint8Array): number => (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0);

/** The bytes of one value, as far as they are not too many. */
class Held {
  readonly #most: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #offset = 0;
  #isNameless = false;

  constructor(most: number) {
    this.#most = most;
  }

  begin(offset: number, isNameless = false): void {
    this.#parts = [];
    this.#size = 0;
    this.#offset = offset;
    this.#isNameless = isNameless;
  }

  /** What goes on in the next chunk, whose memory may be another one's by then. */
  keep(part: Uint8Array): void {
    this.last(Uint8Array.from(part));
  }

  last(part: Uint8Array): void {
    // What is too long is not kept whole: its beginning tells what it was.
    if (this.#size <= this.#most) this.#parts.push(part);
    else if (this.#parts.length > 1) this.#parts = this.#parts.slice(0, 1);
    this.#size += part.length;
  }

  key(): string {
    try {
      const key: unknown = JSON.parse(Buffer.concat(this.#parts).toString("utf8"));
      return typeof key === "string" ? key : "";
    } catch {
      return "";
    }
  }

  #raw(): Buffer {
    const [only, ...others] = this.#parts;
    if (only === undefined || others.length > 0) return Buffer.concat(this.#parts);
    return Buffer.from(only.buffer, only.byteOffset, only.length);
  }

  element(end: number): Element {
    const raw = this.#raw();
    this.#parts = [];
    const offset = this.#offset;
    const fault = (code: "malformed" | "too_long", reason: string) => ({ offset, end, raw, fault: { code, reason } });
    if (this.#size > this.#most) return fault("too_long", `it is longer than ${this.#most} bytes`);
    if (this.#isNameless) return fault("malformed", "it stands in an object and has no name");
    try {
      return { offset, end, raw, value: JSON.parse(raw.toString("utf8")) };
    } catch (error) {
      const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
      return fault("malformed", `it is not JSON: ${why}`);
    }
  }

  truncated(end: number): Element {
    const fault = { code: "truncated" as const, reason: "the file ends in the middle of it" };
    return { offset: this.#offset, end, fault, raw: Buffer.concat(this.#parts) };
  }
}

/** The elements of an array, whatever the bytes come from. */
export async function* elementsFrom(
  bytes: (from: number) => AsyncIterable<Uint8Array>,
  from: number,
): AsyncGenerator<Element> {
  for await (const step of walk(bytes, { opens: (path) => path === "", from }))
    if (step.kind === "value") yield step.element;
}

/** The elements of a file that is an array, or the one object that it is. */
export async function* elementsOf(entry: Entry, from: number): AsyncGenerator<Element> {
  const isObjectFile = /^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(Buffer.from(await headOf(entry, 64)).toString("latin1"));
  if (isObjectFile && from > 0) return;
  const opens = (path: string): boolean => !isObjectFile && path === "";
  for await (const step of walk((at) => entry.bytes(at), { opens, from }))
    if (step.kind === "value") yield step.element;
}
