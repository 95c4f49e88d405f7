import type { AsideDocument, ImportDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";

/** What imports of the last days could not read: each item once, with the parts it belongs to. */

export interface UnreadItems {
  /** The newest import that has them. */
  readonly id: string;
  readonly items: number;
  /** Of the parts that have them, and of no others. */
  readonly labels: readonly string[];
  readonly at: number;
}

/** Imports are looked at from the newest on, and of each so many items: the page must not wait for more. */
const mostImports = 20;
const mostItems = 500;

export async function unreadItems(
  { imports }: Pick<OwnerApi, "imports">,
  all: readonly ImportDocument[],
  since: number,
  most: number,
): Promise<UnreadItems[]> {
  const lately = all.filter((each) => (parseInstant(each.started_at) ?? 0) >= since && asideIn(each.parts) > 0);
  const told = new Set<string>();
  const found: UnreadItems[] = [];
  for (const { import_id: id, started_at, parts } of lately.slice(0, mostImports)) {
    if (found.length >= most) break;
    const { items, next } = await imports.asidePage(id, mostItems);
    const fresh = items.filter((item) => !told.has(nameOf(item)));
    for (const item of fresh) told.add(nameOf(item));
    // The same file again: what was not looked at is as well known as what was.
    if (fresh.length === 0 && items.length > 0) continue;
    const sources = new Set(fresh.map(({ connection_id }) => connection_id));
    const having = parts.filter(
      (part) => asideIn([part]) > 0 && (next !== null || items.length === 0 || sources.has(part.connection_id)),
    );
    found.push({
      id,
      items: asideIn(parts) - (items.length - fresh.length),
      labels: [...new Set(having.map(({ label }) => label))],
      at: parseInstant(started_at) ?? 0,
    });
  }
  return found;
}

const asideIn = (parts: ImportDocument["parts"]): number =>
  parts.flatMap(({ tally }) => Object.values(tally.streams)).reduce((sum, { aside }) => sum + aside, 0);

/** What makes an item of one import the same as one of another. */
const nameOf = ({ connection_id, stream, path, offset, code }: AsideDocument): string =>
  JSON.stringify([connection_id, stream, path, offset, code]);
