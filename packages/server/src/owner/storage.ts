import type { StorageDocument } from "@pdpp/contract/owner";
import { listOwnerRows } from "../store/access/owners.ts";
import { countOwnerFiles } from "../store/blobs/blob-sizes.ts";
import { listUnclearedConnections } from "../store/catalog/clear-connection.ts";
import type { OwnerContext } from "./owner-context.ts";

/** The size of an owner's data. The size of the database is hidden if it holds data of other owners. */
export async function describeStorage({ store, ownerNo }: OwnerContext): Promise<StorageDocument> {
  const { owners, files, uncleared } = await store.engine.read(async (on) => ({
    owners: await listOwnerRows(on),
    files: await countOwnerFiles(on, ownerNo),
    uncleared: await listUnclearedConnections(on),
  }));
  return {
    object: "storage",
    database_bytes: owners.every(({ no }) => no === ownerNo) ? await store.engine.size() : null,
    files,
    is_clearing: uncleared.some(({ owner_no }) => owner_no === ownerNo),
  };
}
