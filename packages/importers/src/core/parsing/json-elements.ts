import { type Entry, readHead } from "../../tree/tree.ts";
import { parseJson } from "./json.ts";

/**
 * Streams JSON of any size: the scanner only finds where values begin and end, and each value is parsed on its own. Memory is bounded by
 * one value, and a malformed value does not affect the others.
 */

export interface JsonElement {
  /** Offset of its first byte in the file. */
  readonly offset: number;
  /** Exclusive end offset. */
  readonly end: number;
  readonly value?: unknown;
  /** Set instead of `value` if it could not be parsed. */
  readonly failure?: { readonly code: "malformed" | "too_long" | "truncated"; readonly reason: string };
  readonly raw: Uint8Array;
}

/** Keys joined by `/`, array items as `*`: `chats/list/*`. Empty for the root. */
export type Step =
  | { readonly kind: "enter"; readonly path: string }
  | { readonly kind: "leave"; readonly path: string }
  | { readonly kind: "value"; readonly path: string; readonly element: JsonElement };

interface WalkOptions {
  /** Whether to descend into the object or array at this path; others are parsed whole. */
  shouldOpen(path: string): boolean;
  /** Longer values are rejected. */
  readonly maxBytes?: number;
  /** Resumes at the `end` of an earlier element; only for files that are an array. */
  readonly from?: number;
}

const defaultMaxBytes = 64 * 1024 * 1024;
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_ARRAY] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b];
const isOpen = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClose = (byte: number): boolean => byte === 0x5d || byte === 0x7d;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

interface Container {
  readonly path: string;
  /** The path of its items; undefined for objects, whose values have different paths. */
  readonly itemPath: string | undefined;
  /** In an object, the key of the next value. */
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

/** Yields values in file order. Ignores anything after the root value. */
export async function* walkJson(
  bytes: (from: number) => AsyncIterable<Uint8Array>,
  { shouldOpen, maxBytes: most = defaultMaxBytes, from = 0 }: WalkOptions,
): AsyncGenerator<Step> {
  const stack: Container[] = from > 0 ? [createContainer("", true)] : [];
  const held = new ValueBuffer(most);
  const span = new ValueScanner();
  let at = from;
  let isEnded = false;
  /** The kind of bytes being collected. */
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
      if (isOpen(byte) && shouldOpen(path)) {
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

/** Finds where a value ends. This is the hot loop: almost every byte of a file passes through here only. */
class ValueScanner {
  #depth = 0;
  #inText = false;
  #isEscaped = false;

  begin(byte: number): void {
    this.#depth = isOpen(byte) ? 1 : 0;
    this.#inText = byte === QUOTE;
    this.#isEscaped = false;
  }

  /** Whether everything it opened is closed. */
  get isWhole(): boolean {
    return this.#depth === 0 && !this.#inText;
  }

  /** Index of the closing quote, or the chunk's length if it is in a later chunk. */
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

  /** Index of the comma or bracket after the value, or the chunk's length if it is in a later chunk. */
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

const measureByteOrderMark = (chunk: Uint8Array): number =>
  chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0;

/** Collects the bytes of one value, up to a limit. */
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

  /** Copies the part, because the chunk's memory may be reused. */
  keep(part: Uint8Array): void {
    // Of a value that is too long, only the beginning is kept.
    if (this.#size <= this.#maxBytes) this.#parts.push(Uint8Array.from(part));
    else if (this.#parts.length > 1) this.#parts = this.#parts.slice(0, 1);
    this.#size += part.length;
  }

  parseKey(): string {
    const { value: key } = parseJson(Buffer.concat(this.#parts).toString("utf8"));
    return typeof key === "string" ? key : "";
  }

  /** Parses the value, whose last (or only) bytes are in this chunk. */
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
    const createFailure = (code: "malformed" | "too_long", reason: string) => ({
      offset,
      end,
      raw,
      failure: { code, reason },
    });
    if (this.#size > this.#maxBytes) return createFailure("too_long", `longer than ${this.#maxBytes} bytes`);
    if (this.#isNameless) return createFailure("malformed", "a value in an object has no key");
    const { value, failure } = parseJson(raw.toString("utf8"));
    return failure === undefined
      ? { offset, end, raw, value }
      : createFailure("malformed", `not valid JSON: ${failure}`);
  }

  finishTruncated(end: number): JsonElement {
    const failure = { code: "truncated" as const, reason: "the file ends before this item does" };
    return { offset: this.#offset, end, failure, raw: Buffer.concat(this.#parts) };
  }
}

/** Streams the elements of an array from any byte source. */
export async function* readArrayElements(
  bytes: (from: number) => AsyncIterable<Uint8Array>,
  from: number,
): AsyncGenerator<JsonElement> {
  for await (const step of walkJson(bytes, { shouldOpen: (path) => path === "", from }))
    if (step.kind === "value") yield step.element;
}

/** Streams the elements of a list that is a property of the root object. */
export async function* readListElements(entry: Entry, name: string): AsyncGenerator<JsonElement> {
  const shouldOpen = (path: string): boolean => path === "" || path === name;
  for await (const step of walkJson((from) => entry.bytes(from), { shouldOpen }))
    if (step.kind === "value" && step.path === `${name}/*`) yield step.element;
}

/** Streams the elements of a file that is an array; a file that is an object is its only element. */
export async function* readFileElements(entry: Entry, from: number): AsyncGenerator<JsonElement> {
  const isObjectFile = /^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(Buffer.from(await readHead(entry, 64)).toString("latin1"));
  if (isObjectFile && from > 0) return;
  const opens = (path: string): boolean => !isObjectFile && path === "";
  for await (const step of walkJson((at) => entry.bytes(at), { shouldOpen: opens, from }))
    if (step.kind === "value") yield step.element;
}
