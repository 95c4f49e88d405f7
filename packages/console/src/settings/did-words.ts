import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import { counted } from "../frame/value-view.ts";

/** What was done, told from the log: a reload tells the same, and nobody can make a link that tells something else. */

const words: Readonly<Record<string, (records: number) => string>> = {
  "records.prune": (n) => `Forgotten: ${counted(n, "earlier version")}. The records are as they were.`,
  "log.prune": (n) => `Forgotten: ${counted(n, "entry", "entries")} of the log.`,
  "connection.remove": (n) =>
    `The source is gone, with ${counted(n, "record")}. Nobody can read them any more; the log still has who did.`,
  "connection.rename": () => "The source has its new name.",
  "owner.time-zone": () => "Time zone saved.",
  "owner-token.revoke": () => "That token no longer opens anything.",
  "owner.erase": (n) =>
    `Everything is gone: ${counted(n, "record")}, every source, every permission. The log still has what was done.`,
};

export const didWords = ({ operation, records }: AccessDocument): string => words[operation]?.(records) ?? "Done.";

/** Where to go after an act: the page that tells it. */
export async function toldAt(owner: OwnerApi, operation: string): Promise<string> {
  const { entries } = await owner.log.page({ kind: "act", limit: 10 });
  const entry = entries.find((each) => each.operation === operation)?.entry;
  return entry === undefined ? "/settings" : `/settings?did=${entry}`;
}

/** The act that an address speaks of. */
export async function actAt(owner: OwnerApi, did: string | undefined): Promise<AccessDocument | undefined> {
  if (did === undefined || !/^\d{1,15}$/.test(did)) return undefined;
  const { entries } = await owner.log.page({ kind: "act", before: Number(did) + 1, after: Number(did) - 1, limit: 1 });
  return entries[0];
}
