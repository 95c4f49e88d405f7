import type { EvidenceCard, RecordList } from "@pdpp/contract/wire";

/** Facts that all cards of a page have in common, so that a page can state them once. */

export type ListItem = RecordList["data"][number];
export type ListedCard = Extract<ListItem, { object: "evidence_card" }>;

export const isCard = (item: ListItem): item is ListedCard => item.object === "evidence_card";

export const sharableFacts = [
  "connector_key",
  "stream",
  "connection_id",
  "display_name",
  "record_version",
  "emitted_at",
] as const satisfies readonly (keyof EvidenceCard)[];

export type SharedFacts = { readonly [K in (typeof sharableFacts)[number]]?: string };

export function findSharedFacts(items: readonly ListItem[]): SharedFacts {
  const [first, ...others] = items.filter(isCard);
  if (first === undefined) return {};
  const shared = sharableFacts.filter(
    (name) => first[name] !== undefined && others.every((card) => card[name] === first[name]),
  );
  return Object.fromEntries(shared.map((name) => [name, first[name]]));
}
