import type { ImportDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import type { GrantDocument, OwnerApi } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { isTroubled, type LiveSource } from "../sources/load-sources.ts";
import { listUnreadItems, type UnreadItems } from "./unread-items.ts";

/** Sources that need the owner, grants that end soon, imports with rejected items, and refused agents; recent ones only, and at most a few of each. */

export type Attention =
  | { readonly about: "source"; readonly id: string; readonly label: string; readonly text: string }
  | { readonly about: "grant"; readonly client: string; readonly id: string; readonly until: number }
  | ({ readonly about: "import" } & UnreadItems)
  | { readonly about: "refusal"; readonly client: string; readonly at: number; readonly times: number };

const day = 86_400_000;
const maxRefusals = 100;

/** The most urgent first. */
export async function listAttention(
  owner: OwnerApi,
  {
    grants,
    imports,
    live,
  }: {
    readonly grants: readonly GrantDocument[];
    readonly imports: readonly ImportDocument[];
    readonly live: readonly LiveSource[];
  },
  now: number,
): Promise<Attention[]> {
  const ending = new Map<string, Attention>();
  for (const { status, expires_at, client, package_id, grant_id } of grants) {
    const until = expires_at === undefined ? null : parseInstant(expires_at);
    if (status !== "active" || until === null || until - now > 7 * day) continue;
    const id = package_id ?? grant_id;
    ending.set(id, { about: "grant", client: isolateLabel(client.name), id, until });
  }
  const unread = await listUnreadItems(owner, imports, now - 30 * day, 2);
  const { entries } = await owner.log.page({ kind: "refusal", limit: maxRefusals });
  const lately = entries.filter(({ at }) => now - (parseInstant(at) ?? 0) < 7 * day);
  const refused = [...Map.groupBy(lately, ({ client }) => client)].map(
    ([client, all]): Attention => ({
      about: "refusal",
      client,
      at: parseInstant(all[0]?.at ?? "") ?? 0,
      times: all.reduce((sum, { times = 1 }) => sum + times, 0),
    }),
  );
  const troubled = live
    .filter(({ status }) => isTroubled(status))
    .map(({ source, label, status: { text } }) => ({ about: "source" as const, id: source.source_id, label, text }));
  return [
    ...troubled.slice(0, 3),
    ...[...ending.values()].slice(0, 3),
    ...unread.map((each) => ({ about: "import" as const, ...each })),
    ...refused.slice(0, 3),
  ];
}
