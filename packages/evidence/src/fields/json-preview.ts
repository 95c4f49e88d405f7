import type { Json } from "@pdpp/contract/declaration";

/** The beginning of a list or an object as compact JSON, cut between items. */

export interface ItemCount {
  /** Items that the preview has whole. */
  readonly shown: number;
  readonly total: number;
}

interface Cut {
  /** In UTF-16 units. */
  readonly unit: number;
  /** How many containers are open there. */
  readonly depth: number;
  /** Items of the outermost container that end before. */
  readonly items: number;
}

/** Items and keys of the value itself, not of what is in them. */
const countItems = (value: Json): number =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 0;

/** Every place up to `most` at which an item ends. */
function* findItemEnds(json: string, most: number): Generator<Cut> {
  let depth = 0;
  let items = 0;
  let isString = false;
  for (let at = 0; at < most; at += 1) {
    const sign = json[at];
    if (isString) {
      if (sign === "\\") at += 1;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    else if (sign === ",") {
      if (depth === 1) items += 1;
      yield { unit: at, depth, items };
    }
  }
}

/** Where a preview of at most `most` units can end between items, and how many items of the value itself it has whole. */
export interface ItemCut {
  /** In UTF-16 units; 0 when no item ends within. */
  readonly unit: number;
  readonly items: ItemCount;
  /** How many items are whole wherever the preview ends after this place. */
  readonly itemsAnyway: ItemCount;
}

/** A cut between items of the value itself is best; when that would leave more than half of the room empty, one between what is in an item. */
export function cutBetweenItems(value: Json, json: string, most: number): ItemCut {
  const last = new Map<number, Cut>();
  let items = 0;
  for (const cut of findItemEnds(json, most)) {
    last.set(cut.depth, cut);
    items = cut.items;
  }
  const byDepth = [...last.values()].sort((a, b) => a.depth - b.depth);
  const best = byDepth.find(({ unit }) => unit >= most / 2) ?? byDepth.sort((a, b) => b.unit - a.unit)[0];
  const total = countItems(value);
  return { unit: best?.unit ?? 0, items: { shown: best?.items ?? 0, total }, itemsAnyway: { shown: items, total } };
}
