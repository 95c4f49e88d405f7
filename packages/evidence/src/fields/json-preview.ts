import type { Json } from "@pdpp/contract/declaration";

/** Previews of lists and objects as compact JSON, cut between items. */

export interface ItemCount {
  /** Items shown in full. */
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

/** Top-level items or keys. */
const countItems = (value: Json): number =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 0;

/** Every index up to `most` at which an item ends. */
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

/** Where a preview of at most `most` units can end between items, and how many top-level items it shows in full. */
export interface ItemCut {
  /** In UTF-16 units; 0 if no item ends in time. */
  readonly unit: number;
  readonly items: ItemCount;
  /** How many items are complete if the preview is cut at its length instead. */
  readonly itemsAnyway: ItemCount;
}

/** Cuts between top-level items; if that wastes more than half of the space, between nested ones. */
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
