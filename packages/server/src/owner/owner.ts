import type { OwnerApi } from "@pdpp/contract/owner";
import { loadOwnerScope } from "../auth/authenticate.ts";
import { createSignInCode } from "../auth/sessions.ts";
import { createReader } from "../read/reader.ts";
import { listConnections } from "../store/catalog/connections.ts";
import { createConnectionsApi } from "./connections.ts";
import { createConnectorsApi } from "./connectors.ts";
import { createErase } from "./erase.ts";
import { createGrantsApi, createTokensApi } from "./grants.ts";
import { createImportsApi } from "./imports.ts";
import { createLogApi } from "./log.ts";
import type { OwnerContext } from "./owner-context.ts";
import { describeOwner, setTimeZone } from "./owners.ts";
import { createPeopleApi } from "./people.ts";
import { createBlobsApi, createRecordsApi } from "./records.ts";
import { createSearchesApi } from "./searches.ts";
import { createSecretsApi } from "./secrets.ts";
import { createSourcesApi } from "./sources.ts";
import { describeStorage } from "./storage.ts";

export function createOwner(parts: OwnerContext): OwnerApi {
  const { store, ownerNo } = parts;
  const grants = createGrantsApi(parts);
  const tokens = createTokensApi(parts);
  return {
    connectors: createConnectorsApi(parts),
    connections: createConnectionsApi(parts),
    records: createRecordsApi(parts),
    blobs: createBlobsApi(parts),
    imports: createImportsApi(parts),
    grants,
    tokens,
    signIn: { newCode: () => createSignInCode(store, ownerNo, parts.now()) },
    log: createLogApi(parts, grants),
    people: createPeopleApi(parts),
    searches: createSearchesApi(parts),
    sources: createSourcesApi(parts, tokens),
    secrets: createSecretsApi(parts),
    storage: () => describeStorage(parts),
    erase: createErase(parts),
    self: () => describeOwner(store, ownerNo),
    setTimeZone: (zone) => setTimeZone(store, ownerNo, zone, parts.now()),
    catalog: async () => ({
      connectors: new Map([...(await store.catalog()).connectors].map(([key, { declaration }]) => [key, declaration])),
      connections: await store.engine.read((on) => listConnections(on, ownerNo)),
    }),
    reader: async () => createReader({ store, scope: await loadOwnerScope(store, ownerNo) }),
  };
}
