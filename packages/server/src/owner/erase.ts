import type { OwnerApi } from "@pdpp/contract/owner";
import { revoke } from "../store/access/grants.ts";
import { noteAct } from "../store/access/log-chain.ts";
import { accessOf } from "../store/access/owners.ts";
import { dropUnusedBlobs } from "../store/blobs/blobs.ts";
import { connections, hideConnection } from "../store/catalog/connections.ts";
import { holdOwner } from "../store/catalog/hold-owner.ts";
import { clearRemoved } from "./connections.ts";
import type { OwnerParts } from "./owner.ts";

/** Everything of an owner goes at once for whoever reads; the owner stays, with the log of what was done. */
export const eraseOf =
  ({ store, ownerNo, now }: OwnerParts): OwnerApi["erase"] =>
  async (onHidden = () => undefined) => {
    const at = now();
    const { sources, records } = await store.engine.write(async (on) => {
      await holdOwner(on, ownerNo);
      const held = await connections(on, ownerNo);
      let count = 0;
      for (const connection of held) count += await hideConnection(on, ownerNo, connection, at);
      for (const id of await accessOf(on, ownerNo)) {
        await store.noteRevoked(ownerNo, id, at);
        await revoke(on, ownerNo, id, at);
      }
      await noteAct(on, { ownerNo, at, operation: "owner.erase", records: count });
      return { sources: held.length, records: count };
    });
    onHidden();
    await clearRemoved(store);
    // Bytes that were stored for a record that never came, too.
    await dropUnusedBlobs(store.engine, store.blobs, ownerNo, Number.MAX_SAFE_INTEGER);
    await store.sweep();
    return { object: "erasure", sources_deleted: sources, records_deleted: records };
  };
