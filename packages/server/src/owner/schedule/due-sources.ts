import type { JsonObject } from "@pdpp/contract/declaration";
import type { SourceKind } from "@pdpp/contract/sources";
import { getMachineTimeZone, loadOwnerTimeZone } from "../../store/access/owners.ts";
import { listConnections } from "../../store/catalog/connections.ts";
import { leaveQuietHours, resolveSchedule } from "../../store/sources/schedule.ts";
import {
  claimDueSource,
  type DueSource,
  listActiveSources,
  listDueSources,
  loadSource,
} from "../../store/sources/sources.ts";
import type { Store } from "../../store/store.ts";
import { scaleTimeLimit } from "../../time-limits.ts";

/** If the server that claimed a source dies before the run starts, another one tries after this time. */
const claimMs = 5 * 60_000;

export interface ClaimedSource {
  readonly ownerNo: number;
  readonly sourceId: string;
}

/** Sources of all owners that this server should run now. No other server gets the same ones. */
export async function claimDueSources(store: Store, now: number, limit: number): Promise<ClaimedSource[]> {
  const claimed: ClaimedSource[] = [];
  while (claimed.length < limit) {
    const due = await store.engine.read((on) => listDueSources(on, now, limit));
    if (due.length === 0) break;
    for (const source of due) {
      if (claimed.length === limit) break;
      const quietUntil = await findQuietEnd(store, source, now);
      const until = quietUntil ?? now + scaleTimeLimit(claimMs);
      const isOurs = await store.engine.write((on) => claimDueSource(on, source, until));
      if (isOurs && quietUntil === undefined) claimed.push({ ownerNo: source.ownerNo, sourceId: source.sourceId });
    }
  }
  return claimed;
}

async function findQuietEnd(store: Store, { ownerNo, sourceId }: DueSource, now: number): Promise<number | undefined> {
  const { connectors } = await store.catalog();
  return store.engine.read(async (on) => {
    const source = await loadSource(on, ownerNo, sourceId);
    if (source === undefined) return undefined;
    const connection = (await listConnections(on, ownerNo)).find(({ no }) => no === source.connectionNo);
    const manifest = connectors.get(connection?.connectorKey ?? "")?.declaration.manifest;
    const { quiet_hours } = resolveSchedule(source.settings, manifest);
    if (quiet_hours === undefined) return undefined;
    const end = leaveQuietHours(quiet_hours, (await loadOwnerTimeZone(on, ownerNo)) ?? getMachineTimeZone(), now);
    return end > now ? end : undefined;
  });
}

export interface ActiveSource extends ClaimedSource {
  readonly kind: SourceKind;
  readonly settings: JsonObject;
}

/** The folders of all owners that are not paused, and the connectors that run by themselves. */
export const listWatchableSources = (store: Store): Promise<ActiveSource[]> =>
  store.engine.read((on) => listActiveSources(on));
