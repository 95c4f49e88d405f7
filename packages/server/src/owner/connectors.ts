import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { ConnectorSummary, OwnerApi } from "@pdpp/contract/owner";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import type { Catalog, CatalogConnector } from "../store/catalog/catalog.ts";
import type { OwnerContext } from "./owner-context.ts";

export const createConnectorsApi = ({ store, ownerNo, now }: OwnerContext): OwnerApi["connectors"] => ({
  list: async () => [...(await store.catalog()).connectors.values()].map(summarizeConnector),
  async get(key) {
    const catalog = await store.catalog();
    const connector = catalog.connectors.get(key);
    if (connector === undefined) throw unknownConnectorError(catalog, key);
    return { ...summarizeConnector(connector), manifest: connector.declaration.manifest };
  },
  async register(declaration) {
    const { connectorKey: key, connectorId, version, streams, manifest } = declaration;
    const before = (await store.catalog()).connectors.get(key)?.declaration.manifest;
    await store.register(declaration, now());
    const same = JSON.stringify(before) === JSON.stringify(manifest);
    if (!same) {
      const act = { ownerNo, at: now(), operation: "connector.add", subject: `${key} ${version}` };
      await store.engine.write((on) => logOwnerAction(on, act));
    }
    return {
      object: "connector",
      connector_key: key,
      connector_id: connectorId,
      version,
      streams: streams.map(({ name }) => name),
      status: before === undefined ? "registered" : same ? "unchanged" : "updated",
    };
  },
  reindex: (onProgress) => store.reindex(onProgress),
});

export function unknownConnectorError({ connectors }: Catalog, key: string): PdppError {
  const known = [...connectors.keys()].join(", ") || "none yet; add one with pdpp connector add";
  return new PdppError("not_found", `there is no connector ${JSON.stringify(key)}; registered: ${known}`, {
    param: "connector_key",
  });
}

const summarizeConnector = ({ declaration, registeredAt, reindexing }: CatalogConnector): ConnectorSummary => ({
  object: "connector",
  connector_key: declaration.connectorKey,
  connector_id: declaration.connectorId,
  display_name: declaration.displayName,
  version: declaration.version,
  streams: declaration.streams.map(({ name }) => name),
  registered_at: formatInstant(registeredAt),
  ...(reindexing === undefined ? {} : { reindexing }),
});
