import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { CollectionMode, RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { findBuiltin, loadBuiltin } from "./builtin/builtin.ts";
import { loadInstalled } from "./install/connector-package.ts";
import { readRequest } from "./install/requirements.ts";
import { type CollectRequest, collect } from "./run/collect.ts";
import { type BuiltinSettings, type InstalledSettings, readConnectorSettings } from "./source-settings.ts";

export interface SyncOptions extends Pick<CollectRequest, "interact" | "onProgress" | "signal"> {
  readonly dataDir: string;
  readonly mode: CollectionMode;
  /** Where the connector's credentials are looked up, by the names in its manifest. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs the connector of a source until it has collected everything. Returns the last run. */
export async function syncSource(owner: OwnerApi, source: SourceDocument, options: SyncOptions): Promise<RunDocument> {
  const { dataDir, mode, env, ...handlers } = options;
  const settings = readConnectorSettings(source);
  const { source_id: sourceId, connection_id: connectionId } = source;
  if (connectionId === undefined) throw new PdppError("invalid_request", `source ${sourceId} has no connection`);
  const prepared = await ("builtin" in settings
    ? prepareBuiltin(owner, settings, join(dataDir, "sources", sourceId))
    : prepareInstalled(settings, dataDir));
  const secrets: Record<string, string> = {};
  for (const name of readRequest(prepared.connector.declaration.manifest).variables) {
    const value = env[name];
    if (value !== undefined && value !== "" && !(name in (prepared.paths ?? {}))) secrets[name] = value;
  }
  for (let next = mode; ; next = "incremental") {
    const run = await collect(owner, { sourceId, connectionId, mode: next, secrets, ...prepared, ...handlers });
    const isStuck = run.tally.read === 0;
    if (run.status !== "succeeded" || !run.has_more || isStuck || options.signal?.aborted) return run;
  }
}

type Prepared = Pick<CollectRequest, "connector" | "settings" | "paths" | "stateFolder">;

async function prepareInstalled({ digest, paths, ...names }: InstalledSettings, dataDir: string): Promise<Prepared> {
  return { connector: await loadInstalled(dataDir, digest, names), paths };
}

/** A newer pdpp may declare more about the same records. */
async function prepareBuiltin(owner: OwnerApi, settings: BuiltinSettings, stateFolder: string): Promise<Prepared> {
  const builtin = findBuiltin(settings.builtin);
  await owner.connectors.register(parseManifest(builtin.records));
  await owner.connectors.reindex();
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  return { connector: loadBuiltin(builtin), settings: settings.values, stateFolder };
}
