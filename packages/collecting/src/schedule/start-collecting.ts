import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { claimDueSources, listWatchableSources } from "@pdpp/server/owner/schedule/due-sources";
import type { Store } from "@pdpp/server/store/store";
import type { Credentials } from "../credentials/credentials.ts";
import { syncSource } from "../sync-source.ts";
import { type Clock, systemClock } from "./clock.ts";
import { SourceRunner, type Sync } from "./runner.ts";
import { startScheduler } from "./scheduler.ts";
import { canBeWatched, createWatch } from "./watch-source.ts";
import { SourceWatchers, type WatchSource } from "./watchers.ts";

export interface CollectingOptions {
  readonly store: Store;
  readonly dataDir: string;
  /** The vault, if it is not in that folder. */
  readonly databaseUrl?: string | undefined;
  /** Opens the saved credentials of an owner's sources. */
  readonly openCredentials?: ((owner: OwnerApi) => Credentials) | undefined;
  /** Where connectors' credentials are looked up first. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onBug: (error: unknown) => void;
  readonly clock?: Clock;
  readonly sync?: Sync;
  /** Watches folders and accounts. */
  readonly watch?: WatchSource;
  /** False: sources are collected only when their owner starts them. */
  readonly isScheduled?: boolean;
}

export interface Collecting {
  readonly runner: SourceRunner;
  close(): Promise<void>;
}

/** Collects the sources of all owners of a vault until it is closed. */
export function startCollecting(options: CollectingOptions): Collecting {
  const { store, dataDir, databaseUrl, env, openCredentials, onBug } = options;
  const { clock = systemClock } = options;
  const syncWithCredentials: Sync = (owner, source, handlers) =>
    syncSource(owner, source, { dataDir, databaseUrl, env, credentials: openCredentials?.(owner), ...handlers });
  const { sync = syncWithCredentials } = options;
  const getOwner = (ownerNo: number): OwnerApi => createOwner({ store, ownerNo, now: clock.now });
  const runner = new SourceRunner({ getOwner, sync, onBug });
  if (options.isScheduled === false) return { runner, close: () => runner.close() };
  const watchers = new SourceWatchers({
    watch: options.watch ?? createWatch({ getOwner, openCredentials, onBug }),
    list: async () => (await listWatchableSources(store)).filter(canBeWatched),
    onChange: ({ ownerNo, sourceId }) => {
      getOwner(ownerNo)
        .sources.requestRun(sourceId)
        .then(() => scheduler.check(), onBug);
    },
  });
  const claim = (now: number, limit: number) => claimDueSources(store, now, limit);
  const scheduler = startScheduler({ runner, clock, claim, watchers, onBug });
  return { runner, close: () => scheduler.close() };
}
