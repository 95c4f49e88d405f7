import { listConnections } from "../../store/catalog/connections.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { resolveSchedule } from "../../store/sources/schedule.ts";
import type { StoredSource } from "../../store/sources/sources.ts";
import type { OwnerContext } from "../owner-context.ts";

/** The connection of a source and the manifest that its schedule follows. */
export async function findManifest({ store, ownerNo }: OwnerContext, on: ReadTransaction, connectionNo: number | null) {
  const connection = (await listConnections(on, ownerNo)).find(({ no }) => no === connectionNo);
  const { connectors } = await store.catalog();
  return { connection, manifest: connectors.get(connection?.connectorKey ?? "")?.declaration.manifest };
}

/** Due at once, unless it is manual or paused. */
export async function chooseFirstRun(
  context: OwnerContext,
  on: ReadTransaction,
  source: Pick<StoredSource, "connectionNo" | "settings" | "pausedAt">,
): Promise<number | null> {
  const { manifest } = await findManifest(context, on, source.connectionNo);
  const { mode } = resolveSchedule(source.settings, manifest);
  return mode === "manual" || source.pausedAt !== null ? null : context.now();
}
