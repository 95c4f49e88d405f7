import type { OwnerApi } from "@pdpp/contract/owner";
import { ownerScope } from "../auth/authenticate.ts";
import { createReader } from "../read/reader.ts";
import { raw } from "../store/engine/sql.ts";
import type { Store } from "../store/store.ts";
import { connectionsOf } from "./connections.ts";
import { connectorsOf } from "./connectors.ts";
import { grantsOf, tokensOf } from "./grants.ts";
import { logOf } from "./log.ts";
import { blobsOf, recordsOf } from "./records.ts";

export interface OwnerParts {
  readonly store: Store;
  /** Whose vault it is: from the session's token, or from the vault that was opened. */
  readonly ownerNo: number;
  readonly now: () => number;
}

/** Everything one owner can do, bound to that owner. */
export function createOwner(parts: OwnerParts): OwnerApi {
  const { store, ownerNo } = parts;
  const grants = grantsOf(parts);
  return {
    connectors: connectorsOf(parts),
    connections: connectionsOf(parts),
    records: recordsOf(parts),
    blobs: blobsOf(parts),
    grants,
    tokens: tokensOf(parts),
    log: logOf(parts, grants),
    reader: async () => createReader({ store, scope: await ownerScope(store, ownerNo) }),
  };
}

/** The owner of a vault that was opened by its place. Whoever can open its files is its owner; there is one so far. */
export async function vaultOwner(store: Store): Promise<number> {
  const owners = await store.engine.read((on) => on.all<{ owner_no: number }>(raw("SELECT owner_no FROM owner")));
  const [only, ...others] = owners;
  if (only === undefined || others.length > 0) throw new Error(`the vault has ${owners.length} owners, not one`);
  return only.owner_no;
}
