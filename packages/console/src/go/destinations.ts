import type { GrantDocument } from "@pdpp/contract/owner";
import type { SavedSearch } from "@pdpp/contract/searches";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { getSavedUrl } from "../explore/saved/saved-question.ts";
import { getStreamUrl, toAbsoluteUrl } from "../frame/addresses.ts";
import type { Names } from "../frame/names.ts";
import { rooms } from "../frame/rooms.ts";

/** Everything that can be gone to by name: pages, saved searches, sources with their streams, and agents. */

export interface Destination {
  readonly group: "Pages" | "Saved searches" | "Sources" | "Agents";
  readonly label: string;
  readonly href: string;
}

export function listDestinations(
  names: Names,
  grants: readonly GrantDocument[],
  searches: readonly SavedSearch[],
): Destination[] {
  const agents = new Map<string, string>();
  for (const { status, package_id, grant_id, client } of grants)
    if (status === "active") agents.set(package_id ?? grant_id, isolateLabel(client.name));
  return [
    ...searches.map((search) => ({ group: "Saved searches" as const, label: search.name, href: getSavedUrl(search) })),
    ...rooms.map(({ label, path }) => ({ group: "Pages" as const, label, href: path })),
    ...names.sources.flatMap(({ id, label, streams }) =>
      streams.map(({ name, label: stream }) => ({
        group: "Sources" as const,
        label: `${label} · ${stream}`,
        href: toAbsoluteUrl(getStreamUrl(id, name)),
      })),
    ),
    ...[...agents].map(([id, client]) => ({ group: "Agents" as const, label: client, href: `/agents/${id}` })),
  ];
}

/** Those whose name contains every word. */
export function findDestinations(all: readonly Destination[], text: string): Destination[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}
