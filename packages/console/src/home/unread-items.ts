import type { ImportDocument, RejectedItemDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";

/** Items that recent imports could not read, each once, with their parts. */

export interface UnreadItems {
  readonly id: string;
  readonly items: number;
  /** Labels of the affected parts. */
  readonly labels: readonly string[];
  readonly at: number;
}

/** Limits on the imports and items examined, newest first, so that the page stays fast. */
const maxImports = 20;
const maxItems = 500;

export async function listUnreadItems(
  { imports }: Pick<OwnerApi, "imports">,
  all: readonly ImportDocument[],
  since: number,
  most: number,
): Promise<UnreadItems[]> {
  const lately = all.filter((each) => (parseInstant(each.started_at) ?? 0) >= since && countRejected(each.parts) > 0);
  const toolOutput = new Set<string>();
  const found: UnreadItems[] = [];
  for (const { import_id: id, started_at, parts } of lately.slice(0, maxImports)) {
    if (found.length >= most) break;
    const { items, next } = await imports.loadRejectedPage(id, maxItems);
    const fresh = items.filter((item) => !toolOutput.has(getItemKey(item)));
    for (const item of fresh) toolOutput.add(getItemKey(item));
    // A repeated import of the same file: items beyond the limit are known, too.
    if (fresh.length === 0 && items.length > 0) continue;
    const sources = new Set(fresh.map(({ connection_id }) => connection_id));
    const having = parts.filter(
      (part) => countRejected([part]) > 0 && (next !== null || items.length === 0 || sources.has(part.connection_id)),
    );
    found.push({
      id,
      items: countRejected(parts) - (items.length - fresh.length),
      labels: [...new Set(having.map(({ label }) => label))],
      at: parseInstant(started_at) ?? 0,
    });
  }
  return found;
}

const countRejected = (parts: ImportDocument["parts"]): number =>
  parts.flatMap(({ tally }) => Object.values(tally.streams)).reduce((sum, { aside }) => sum + aside, 0);

/** Identifies the same item across imports. */
const getItemKey = ({ connection_id, stream, path, offset, code }: RejectedItemDocument): string =>
  JSON.stringify([connection_id, stream, path, offset, code]);
