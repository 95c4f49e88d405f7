import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import { formatCount } from "../frame/render/values.tsx";

/** Confirmations come from the log, so they survive a reload and cannot be forged by a link. */

const confirmations: Readonly<Record<string, (records: number) => string>> = {
  "records.prune": (n) => `Deleted ${formatCount(n, "old version")}. Current records are unchanged.`,
  "log.prune": (n) => `Deleted ${formatCount(n, "log entry", "log entries")}.`,
  "connection.remove": (n) => `Source deleted, with ${formatCount(n, "record")}. The activity log is kept.`,
  "connection.rename": () => "Source renamed.",
  "source.pause": () => "Paused. It is not collected until you resume it.",
  "source.resume": () => "Resumed. It is collected within a minute.",
  "source.schedule": () => "Schedule saved.",
  "source.remove": () => "The source is no longer collected. Its records are still here.",
  "owner.time-zone": () => "Time zone saved.",
  "owner-token.revoke": () => "Token revoked.",
  "search.save": () => "Search saved. It is listed on Explore.",
  "search.rename": () => "Saved search renamed.",
  "search.remove": () => "Saved search removed.",
  "owner.erase": (n) =>
    `Everything was deleted: ${formatCount(n, "record")}, all sources and all access. The activity log is kept.`,
};

export const describeAction = ({ operation, records }: AccessDocument): string =>
  confirmations[operation]?.(records) ?? "Done.";

/** `page` is the URL to return to. */
export async function getConfirmationUrl(owner: OwnerApi, operation: string, page = "/settings"): Promise<string> {
  const { entries } = await owner.log.page({ kind: "act", limit: 10 });
  const entry = entries.find((each) => each.operation === operation)?.entry;
  return entry === undefined ? page : `${page}${page.includes("?") ? "&" : "?"}did=${entry}`;
}

/** Only actions whose operation starts with `prefix`. */
export async function findAction(
  owner: OwnerApi,
  did: string | undefined,
  prefix = "",
): Promise<AccessDocument | undefined> {
  if (did === undefined || !/^\d{1,15}$/.test(did)) return undefined;
  const { entries } = await owner.log.page({ kind: "act", before: Number(did) + 1, after: Number(did) - 1, limit: 1 });
  return entries.find(({ operation }) => operation.startsWith(prefix));
}
