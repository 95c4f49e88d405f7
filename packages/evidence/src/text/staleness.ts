import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { Freshness } from "@pdpp/contract/wire";

/** For the name of a source in a schema: since when newer records may be missing; undefined unless it is stale. */
export function formatStaleness(freshness: Freshness | undefined): string | undefined {
  if (freshness?.status !== "stale") return undefined;
  const at = parseInstant(freshness.captured_at ?? "");
  return at === null ? "never collected completely" : `not current since ${formatInstant(at).slice(0, 10)}`;
}
