import type { OwnerApi } from "@pdpp/contract/owner";
import { revoke } from "../store/access/grants.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { deleteAllRequests } from "../store/access/log/log-requests.ts";
import { listActiveAccess } from "../store/access/owners.ts";
import { deleteUnusedBlobs } from "../store/blobs/blobs.ts";
import { hideConnection, listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import { deleteAllSearches } from "../store/catalog/saved-searches.ts";
import { deleteKey } from "../store/sources/secrets.ts";
import { deleteSources } from "../store/sources/sources.ts";
import { clearRemovedConnections } from "./connections.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Hides all data of an owner at once, then deletes it. The owner and the log stay, without what was asked. */
export const createErase =
  ({ store, ownerNo, now }: OwnerContext): OwnerApi["erase"] =>
  async (onHidden = () => undefined) => {
    const at = now();
    await store.log.flush();
    const { sources, records } = await store.engine.write(async (on) => {
      await lockOwner(on, ownerNo);
      const held = await listConnections(on, ownerNo);
      let count = 0;
      for (const connection of held) count += await hideConnection(on, ownerNo, connection, at);
      for (const id of await listActiveAccess(on, ownerNo)) {
        await store.noteRevoked(ownerNo, id, at);
        await revoke(on, ownerNo, id, at);
      }
      await deleteAllSearches(on, ownerNo);
      await deleteSources(on, ownerNo);
      await deleteKey(on, ownerNo);
      await deleteAllRequests(on, ownerNo);
      await logOwnerAction(on, { ownerNo, at, operation: "owner.erase", records: count });
      return { sources: held.length, records: count };
    });
    onHidden();
    await clearRemovedConnections(store);
    // Includes blobs that were stored for a record that never arrived.
    await deleteUnusedBlobs(store.engine, store.blobs, ownerNo, Number.MAX_SAFE_INTEGER);
    await store.sweep();
    return { object: "erasure", sources_deleted: sources, records_deleted: records };
  };
