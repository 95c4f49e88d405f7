import type { OwnerApi } from "@pdpp/contract/owner";
import { ownerScope } from "../auth/authenticate.ts";
import { newSignInCode } from "../auth/sessions.ts";
import { createReader } from "../read/reader.ts";
import { connections } from "../store/catalog/connections.ts";
import type { Store } from "../store/store.ts";
import { connectionsOf } from "./connections.ts";
import { connectorsOf } from "./connectors.ts";
import { eraseOf } from "./erase.ts";
import { grantsOf, tokensOf } from "./grants.ts";
import { importsOf } from "./imports.ts";
import { logOf } from "./log.ts";
import { selfOf, setTimeZone } from "./owners.ts";
import { blobsOf, recordsOf } from "./records.ts";
import { storageOf } from "./storage.ts";

export interface OwnerParts {
  readonly store: Store;
  /** Whose vault it is: from the session's token, or from the vault that was opened. */
  readonly ownerNo: number;
  readonly now: () => number;
  /** Only these connections, as far as records and files go; all of them when left out. */
  readonly connectionIds?: readonly string[] | undefined;
  /** Whoever calls notes what is done to records: over HTTP a request is one entry already. */
  readonly isNoted?: boolean;
  /** The origin of the owner's pages, where there are any. */
  readonly pagesUrl?: string;
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
    imports: importsOf(parts),
    grants,
    tokens: tokensOf(parts),
    signIn: { newCode: () => newSignInCode(store, ownerNo, parts.now()) },
    log: logOf(parts, grants),
    storage: () => storageOf(parts),
    erase: eraseOf(parts),
    self: () => selfOf(store, ownerNo),
    setTimeZone: (zone) => setTimeZone(store, ownerNo, zone, parts.now()),
    catalog: async () => ({
      connectors: new Map([...(await store.catalog()).connectors].map(([key, { declaration }]) => [key, declaration])),
      connections: await store.engine.read((on) => connections(on, ownerNo)),
    }),
    reader: async () => createReader({ store, scope: await ownerScope(store, ownerNo) }),
  };
}
