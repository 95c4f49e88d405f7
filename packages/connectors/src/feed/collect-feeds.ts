import { z } from "zod";
import { ConnectorFailure } from "../kit/protocol.ts";
import type { ConnectorRun } from "../kit/run-connector.ts";
import { listAddresses } from "./addresses.ts";
import { FeedError, type FeedVersion, fetchFeed } from "./fetch-feed.ts";
import { readEntries } from "./read-entries.ts";

const stream = "entries";

const version = z.object({
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  digest: z.string().optional(),
});
const cursor = z.object({ feeds: z.record(z.string(), version) });
const entry = z.object({ id: z.string() });

/** Collects the entries of all feeds in the setting. */
export async function collectFeeds(run: ConnectorRun, setting: string | undefined): Promise<void> {
  const addresses = listAddresses(setting ?? "");
  if (addresses.length === 0)
    throw new ConnectorFailure("invalid_setting", "FEED_URL is missing: the feed's address", "manual_action_required");
  const seen = run.isFullRefresh ? {} : (cursor.safeParse(run.cursors[stream]).data?.feeds ?? {});
  const versions: Record<string, FeedVersion> = {};
  const failures: string[] = [];
  for (const [index, address] of addresses.entries()) {
    const last = seen[address] ?? {};
    versions[address] = last;
    await run.showProgress("Reading feeds", index, addresses.length);
    try {
      const fetched = await fetchFeed(address, last);
      if (fetched === undefined) continue;
      for (const data of await readEntries(fetched.text, address))
        if (!(await run.putRecord(stream, entry.parse(data).id, data)))
          await run.skip(stream, "too_long", `${hideQuery(address)}: an entry is longer than 16 MiB`);
      versions[address] = fetched.version;
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      failures.push(`${hideQuery(address)}: ${error.message}`);
      await run.skip(stream, "feed_unreadable", failures.at(-1) ?? "");
    }
  }
  if (failures.length === addresses.length)
    throw new ConnectorFailure("no_feed_readable", failures.slice(0, 5).join("; "), "retry_by_runtime");
  await run.saveCursor(stream, z.json().parse({ feeds: versions }));
}

/** The query of a private feed may be its password. */
const hideQuery = (address: string): string => address.replace(/[?#].*$/s, "").slice(0, 200);
