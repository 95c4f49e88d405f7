import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { CollectionMode, RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { loadInstalled } from "./install/connector-package.ts";
import { readRequest } from "./install/requirements.ts";
import { type CollectRequest, collect } from "./run/collect.ts";
import { readConnectorSettings } from "./source-settings.ts";

export interface SyncOptions extends Pick<CollectRequest, "interact" | "onProgress" | "signal"> {
  readonly dataDir: string;
  readonly mode: CollectionMode;
  /** Where the connector's credentials are looked up, by the names in its manifest. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs the connector of a source once. */
export async function syncSource(owner: OwnerApi, source: SourceDocument, options: SyncOptions): Promise<RunDocument> {
  const { dataDir, mode, env, ...handlers } = options;
  const { digest, paths, ...names } = readConnectorSettings(source);
  if (source.connection_id === undefined)
    throw new PdppError("invalid_request", `source ${source.source_id} has no connection`);
  const connector = await loadInstalled(dataDir, digest, names);
  const secrets: Record<string, string> = {};
  for (const name of readRequest(connector.declaration.manifest).variables) {
    const value = env[name];
    if (value !== undefined && value !== "" && !(name in paths)) secrets[name] = value;
  }
  const { source_id: sourceId, connection_id: connectionId } = source;
  return collect(owner, { sourceId, connectionId, connector, mode, secrets, paths, ...handlers });
}
