import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { CollectionMode, RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { findBuiltin, loadBuiltin } from "./builtin/builtin.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { RunCredentials } from "./credentials/run-credentials.ts";
import { collectFolder } from "./folder/collect-folder.ts";
import { loadInstalled } from "./install/connector-package.ts";
import { readRequest } from "./install/requirements.ts";
import { type CollectRequest, collect } from "./run/collect.ts";
import { type BuiltinSettings, type InstalledSettings, readConnectorSettings } from "./source-settings.ts";

export interface SyncOptions extends Pick<CollectRequest, "interact" | "onProgress" | "signal"> {
  readonly dataDir: string;
  /** The vault, if it is not in that folder. Imports open it in a separate process. */
  readonly databaseUrl: string | undefined;
  readonly mode: CollectionMode;
  /** Where the connector's credentials are looked up first, by the names in its manifest. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where they were saved. */
  readonly credentials?: Credentials | undefined;
}

/** Runs a source until it has collected everything. Returns the last run. */
export async function syncSource(owner: OwnerApi, source: SourceDocument, options: SyncOptions): Promise<RunDocument> {
  if (source.kind === "push")
    throw new PdppError(
      "invalid_request",
      `source ${source.source_id} stores what is sent to it; there is nothing to collect`,
    );
  if (source.kind === "folder") {
    const { dataDir, databaseUrl, credentials: _, ...rest } = options;
    const location = { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) };
    return collectFolder(owner, source, { location, ...rest });
  }
  return runConnector(owner, source, options);
}

async function runConnector(owner: OwnerApi, source: SourceDocument, options: SyncOptions): Promise<RunDocument> {
  const { dataDir, databaseUrl: _, mode, env, credentials, interact, ...handlers } = options;
  const settings = readConnectorSettings(source);
  const { source_id: sourceId, connection_id: connectionId } = source;
  if (connectionId === undefined) throw new PdppError("invalid_request", `source ${sourceId} has no connection`);
  const prepared = await ("builtin" in settings
    ? prepareBuiltin(owner, settings, join(dataDir, "sources", sourceId))
    : prepareInstalled(settings, dataDir));
  const { variables } = readRequest(prepared.connector.declaration.manifest);
  const signIn = new RunCredentials({
    source,
    credentials,
    variables: variables.filter((name) => !(name in (prepared.paths ?? {}))),
    env,
    interact,
  });
  const ask = signIn.interact;
  const request = { ...prepared, ...handlers, loadSecrets: signIn.load, ...(ask && { interact: ask }) };
  for (let next = mode; ; ) {
    const run = await collect(owner, { sourceId, connectionId, mode: next, ...request });
    if (options.signal?.aborted) return run;
    if (signIn.renewAfter(run)) continue;
    const isStuck = run.tally.read === 0;
    if (run.status !== "succeeded" || !run.has_more || isStuck) {
      await signIn.saveAnswers(run);
      return run;
    }
    next = "incremental";
  }
}

type Prepared = Pick<CollectRequest, "connector" | "settings" | "paths" | "stateFolder" | "isUnchanged">;

async function prepareInstalled({ digest, paths, ...names }: InstalledSettings, dataDir: string): Promise<Prepared> {
  return { connector: await loadInstalled(dataDir, digest, names), paths };
}

/** A newer pdpp may declare more about the same records. */
async function prepareBuiltin(owner: OwnerApi, settings: BuiltinSettings, stateFolder: string): Promise<Prepared> {
  const builtin = findBuiltin(settings.builtin);
  await owner.connectors.register(parseManifest(builtin.records));
  await owner.connectors.reindex();
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const { isUnchanged } = builtin;
  const prepared = { connector: loadBuiltin(builtin), settings: settings.values, stateFolder };
  return { ...prepared, ...(isUnchanged && { isUnchanged }) };
}
