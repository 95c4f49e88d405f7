import type { Entry } from "../tree/tree.ts";
import type { Claim, Item, Mark, RejectedItem } from "./importer.ts";
import { mark, reject } from "./items.ts";
import { type JsonElement, readFileElements } from "./parsing/json-elements.ts";

/** Resuming a claim at a mark. */

/** For an element of JSON or XML, or a row of CSV. */
export const rejectElement = (entry: Entry, { offset, failure, raw }: FailedElement): RejectedItem =>
  reject(entry.path, offset, failure?.code ?? "malformed", failure?.reason ?? "cannot be read", raw);

type FailedElement = Pick<RejectedItem, "offset" | "raw"> & {
  readonly failure?: Pick<RejectedItem, "code" | "reason"> | undefined;
};

/** The claim's files from a mark on, each with the offset to start at. */
export function* listRemainingEntries(
  claim: Claim,
  from?: Mark,
): Generator<{ readonly index: number; readonly entry: Entry; readonly start: number }> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    yield { index, entry, start: from !== undefined && index === from.entry ? from.offset : 0 };
  }
}

/** Reads every element of every file. For formats whose elements are independent. */
export async function* readElements(
  claim: Claim,
  from: Mark | undefined,
  read: (element: JsonElement, entry: Entry) => Iterable<Item>,
): AsyncGenerator<Item> {
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    for await (const element of readFileElements(entry, start)) {
      if (element.failure === undefined) yield* read(element, entry);
      else yield rejectElement(entry, element);
      yield mark(index, element.end);
    }
  }
}

/**
 * Reads a claim part by part, for formats that keep state within a part (participants of a chat, duplicate counts). To resume within a
 * part, the part is read again from its start and yields nothing before the mark. A part is a run of entries with the same `partOf`.
 */
export async function* readParts(
  claim: Claim,
  from: Mark | undefined,
  read: (entries: readonly Entry[], first: number) => AsyncIterable<Item>,
  partOf: (entry: Entry) => string,
): AsyncGenerator<Item> {
  for (const { first, entries } of groupParts(claim.entries, partOf)) {
    const end = first + entries.length;
    if (from !== undefined && end <= from.entry) continue;
    let isBehind = from !== undefined && first <= from.entry && (first < from.entry || from.offset > 0);
    for await (const item of read(entries, first)) {
      if (!isBehind) yield item;
      else if (item.kind === "mark") isBehind = !(item.entry === from?.entry && item.offset === from.offset);
    }
    // The mark no longer exists: yielding everything again is better than yielding nothing.
    if (isBehind) yield* read(entries, first);
    yield mark(end, 0);
  }
}

/** Like `readParts`, with all files as one part. */
export const readTogether = (
  claim: Claim,
  from: Mark | undefined,
  read: (entries: readonly Entry[], first: number) => AsyncIterable<Item>,
): AsyncIterable<Item> => readParts(claim, from, read, () => "");

/** Like `readParts`, with every file as its own part. */
export const readFiles = (
  claim: Claim,
  from: Mark | undefined,
  read: (entry: Entry, index: number) => AsyncIterable<Item>,
): AsyncIterable<Item> => {
  const readEntry = ([entry]: readonly Entry[], index: number): AsyncIterable<Item> =>
    entry === undefined ? yieldNothing() : read(entry, index);
  return readParts(claim, from, readEntry, ({ path }) => path);
};

async function* yieldNothing(): AsyncGenerator<Item> {}

function groupParts(
  entries: readonly Entry[],
  partOf: (entry: Entry) => string,
): { first: number; entries: Entry[] }[] {
  const parts: { name: string; first: number; entries: Entry[] }[] = [];
  for (const [index, entry] of entries.entries()) {
    const name = partOf(entry);
    const last = parts.at(-1);
    if (last?.name === name) last.entries.push(entry);
    else parts.push({ name, first: index, entries: [entry] });
  }
  return parts;
}
