import type { Entry } from "../tree/tree.ts";
import { aside, type Claim, type Item, type Mark, mark } from "./importer.ts";
import { type Element, elementsOf } from "./parsing/json-elements.ts";

/** Reading a claim from a mark on. */

/** What could not be parsed, as it is put aside. */
export const faulty = (entry: Entry, { offset, fault, raw }: Element): Item =>
  aside(entry.path, offset, fault?.code ?? "malformed", fault?.reason ?? "it cannot be read", raw);

/** Every element of every file, where an element has nothing to do with the others. */
export async function* eachElement(
  claim: Claim,
  from: Mark | undefined,
  read: (element: Element, entry: Entry) => Iterable<Item>,
): AsyncGenerator<Item> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    const start = from !== undefined && index === from.entry ? from.offset : 0;
    for await (const element of elementsOf(entry, start)) {
      if (element.fault === undefined) yield* read(element, entry);
      else yield faulty(entry, element);
      yield mark(index, element.end);
    }
  }
}

/**
 * Every part of a claim, where a part keeps something in mind while it is read: who took part in a chat, how often the same was said.
 * A part that was left in its middle is read again from its beginning, and gives nothing until the mark. Parts are neighbours
 * that `partOf` calls the same.
 */
export async function* eachPart(
  claim: Claim,
  from: Mark | undefined,
  read: (entries: readonly Entry[], first: number) => AsyncIterable<Item>,
  partOf: (entry: Entry) => string,
): AsyncGenerator<Item> {
  for (const { first, entries } of partsOf(claim.entries, partOf)) {
    const end = first + entries.length;
    if (from !== undefined && end <= from.entry) continue;
    let isBehind = from !== undefined && first <= from.entry && (first < from.entry || from.offset > 0);
    for await (const item of read(entries, first)) {
      if (!isBehind) yield item;
      else if (item.kind === "mark") isBehind = !(item.entry === from?.entry && item.offset === from.offset);
    }
    // The mark is not there any more: better to give all of it again than nothing.
    if (isBehind) yield* read(entries, first);
    yield mark(end, 0);
  }
}

/** The same, where every file is a part of its own. */
export const eachFile = (
  claim: Claim,
  from: Mark | undefined,
  read: (entry: Entry, index: number) => AsyncIterable<Item>,
): AsyncIterable<Item> => {
  const only = ([entry]: readonly Entry[], index: number): AsyncIterable<Item> =>
    entry === undefined ? nothing() : read(entry, index);
  return eachPart(claim, from, only, ({ path }) => path);
};

async function* nothing(): AsyncGenerator<Item> {}

function partsOf(entries: readonly Entry[], partOf: (entry: Entry) => string): { first: number; entries: Entry[] }[] {
  const parts: { name: string; first: number; entries: Entry[] }[] = [];
  for (const [index, entry] of entries.entries()) {
    const name = partOf(entry);
    const last = parts.at(-1);
    if (last?.name === name) last.entries.push(entry);
    else parts.push({ name, first: index, entries: [entry] });
  }
  return parts;
}
