/** Related records are one entry of a day: messages of a conversation, mails of a thread, photos of an outing. */

export interface GroupableItem {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Items with the same key may become one entry. */
  readonly groupKey: string | undefined;
}

export interface Entry<Item> {
  readonly first: Item;
  /** In order of time, with the first. */
  readonly items: readonly Item[];
}

/** A pause longer than this starts a new entry. */
const maxPauseMs = 60 * 60_000;

/** The entries in order of their first items; items of the same time keep their order. */
export function groupItems<Item extends GroupableItem>(items: readonly Item[]): Entry<Item>[] {
  const entries: { first: Item; items: Item[] }[] = [];
  const open = new Map<string, { items: Item[]; lastAt: number }>();
  for (const item of items.toSorted((a, b) => a.at - b.at)) {
    const group = item.groupKey === undefined ? undefined : open.get(item.groupKey);
    if (group !== undefined && item.at - group.lastAt <= maxPauseMs) {
      group.items.push(item);
      group.lastAt = item.at;
      continue;
    }
    const entry = { first: item, items: [item] };
    entries.push(entry);
    if (item.groupKey !== undefined) open.set(item.groupKey, { items: entry.items, lastAt: item.at });
  }
  return entries;
}
