import type { StorageDocument } from "@pdpp/contract/owner";
import { ownerRows } from "../store/access/owners.ts";
import { filesOfOwner } from "../store/blobs/blob-sizes.ts";
import { unclearedConnections } from "../store/catalog/clear-connection.ts";
import type { OwnerParts } from "./owner.ts";

/** How much room an owner's vault takes. How large it is with the data of others is none of the owner's business. */
export async function storageOf({ store, ownerNo }: OwnerParts): Promise<StorageDocument> {
  const { owners, files, uncleared } = await store.engine.read(async (on) => ({
    owners: await ownerRows(on),
    files: await filesOfOwner(on, ownerNo),
    uncleared: await unclearedConnections(on),
  }));
  return {
    object: "storage",
    database_bytes: owners.every(({ no }) => no === ownerNo) ? await store.engine.size() : null,
    files,
    is_clearing: uncleared.some(({ owner_no }) => owner_no === ownerNo),
  };
}
