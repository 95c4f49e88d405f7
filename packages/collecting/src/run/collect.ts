import type { ConnectorDeclaration, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import {
  type CollectedRecord,
  type CollectionMode,
  credentialsRecovery,
  type RunDocument,
  type RunError,
  type RunResult,
  type StartedRun,
} from "@pdpp/contract/sources";
import { createTemporaryFolder } from "@pdpp/importers/tree";
import { CredentialsRejected, rejectedCode } from "../credentials/rejected.ts";
import { type Checkpoints, readCheckpoints } from "../protocol/checkpoints.ts";
import { type ConnectorMessage, type ProgressMessage, parseMessage } from "../protocol/messages.ts";
import { Scope, type ScopeStream } from "../protocol/scope.ts";
import { ProtocolViolation } from "../protocol/violation.ts";
import { chooseBindings } from "./bindings.ts";
import { type BlobEndpoint, openBlobEndpoint } from "./blob-endpoint.ts";
import { type AskUnchanged, isUnchanged } from "./check-unchanged.ts";
import { type ConnectorChild, startChild } from "./child.ts";
import { type Interact, Interactions } from "./interaction.ts";
import { keepLease } from "./keep-lease.ts";
import { defaultLimits, LimitExceeded, type RunLimits } from "./limits.ts";
import { SecretMask } from "./masking.ts";
import { readOutput } from "./output.ts";
import { RunSession } from "./session.ts";
import { type Watch, watchRun } from "./watch.ts";

export interface RunnableConnector {
  readonly declaration: ConnectorDeclaration;
  readonly folder: string;
  readonly entry: string;
  /** Folders with code that it imports, besides its own. */
  readonly codeFolders?: readonly string[];
  readonly canStartProcesses?: boolean;
}

export interface CollectRequest {
  readonly sourceId: string;
  readonly connectionId: string;
  readonly connector: RunnableConnector;
  readonly mode: CollectionMode;
  readonly scope?: readonly ScopeStream[];
  /** Environment variables that are not secret. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A folder that it may write and finds again in the next run. */
  readonly stateFolder?: string;
  /** Gets environment variables with credentials once the run has its lease. Their values are never stored or shown. */
  readonly loadSecrets?: (runId: string) => Promise<Readonly<Record<string, string>>>;
  /** Environment variables that name files or folders for the connector to read. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Whether nothing changed since the last run, as far as can be told without starting the connector. Takes its variables. */
  readonly isUnchanged?: AskUnchanged;
  readonly interact?: Interact;
  readonly onProgress?: (progress: Omit<ProgressMessage, "type">) => void;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
}

/** Larger batches hold more in memory, smaller ones write each index page more often. */
const maxBatchRecords = 500;
const maxBatchChars = 1024 * 1024;

/** Runs a connector once. The result is in the returned document; it throws only if the run could not be recorded. */
export async function collect(owner: OwnerApi, request: CollectRequest): Promise<RunDocument> {
  const { declaration } = request.connector;
  const run = await owner.sources.beginRun(request.sourceId, { mode: request.mode, version: declaration.version });
  let blobs: BlobEndpoint | undefined;
  try {
    const secrets = (await request.loadSecrets?.(run.run_id)) ?? {};
    if (await isUnchanged(request, run.state, secrets))
      return await owner.sources.finishRun(run.run_id, { status: "succeeded", cursors: {}, report: {} });
    const checkpoints = readCheckpoints(declaration.manifest.streams);
    const bindings = chooseBindings(declaration.manifest, request.interact !== undefined);
    const limits = { ...defaultLimits, ...request.limits };
    // Without the network a connector could not reach it.
    if ("network" in bindings) blobs = await openBlobEndpoint(owner, request.connectionId, limits.blobBytes);
    const temporaryFolder = await createTemporaryFolder();
    return await new Run(owner, request, {
      run,
      secrets,
      checkpoints,
      bindings,
      limits,
      blobs,
      temporaryFolder,
    }).execute();
  } catch (error) {
    // Credentials that cannot be used, a manifest that cannot be run, or a vault that cannot be written.
    return owner.sources
      .finishRun(run.run_id, { status: "failed", cursors: {}, report: { error: describeFailure(error) } })
      .catch(() => Promise.reject(error));
  } finally {
    await blobs?.close();
  }
}

interface Prepared {
  readonly run: StartedRun;
  readonly secrets: Readonly<Record<string, string>>;
  readonly checkpoints: Checkpoints;
  readonly bindings: JsonObject;
  readonly limits: RunLimits;
  readonly blobs: BlobEndpoint | undefined;
  readonly temporaryFolder: string;
}

function describeFailure(error: unknown): RunError {
  if (error instanceof CredentialsRejected)
    return {
      code: rejectedCode,
      message: error.message,
      is_retryable: false,
      recovery: credentialsRecovery,
    };
  if (!(error instanceof PdppError))
    return { code: "run_failed", message: error instanceof Error ? error.message : String(error), is_retryable: true };
  const { code, message, details } = error;
  const advice = details.next_step === undefined ? "" : `; ${details.next_step}`;
  return { code: "run_failed", message: `${message}${advice}`, is_retryable: code === "unavailable" };
}

class Run {
  readonly #owner: OwnerApi;
  readonly #request: CollectRequest;
  readonly #run: StartedRun;
  readonly #limits: RunLimits;
  readonly #mask = new SecretMask();
  readonly #scope: Scope;
  readonly #session: RunSession;
  readonly #bindings: JsonObject;
  readonly #child: ConnectorChild;
  readonly #interactions: Interactions;
  readonly #watch: Watch;
  #batch: CollectedRecord[] = [];
  #batchChars = 0;
  #isEndedByUs = false;
  /** Why we ended the run. */
  #stopReason: unknown;

  constructor(owner: OwnerApi, request: CollectRequest, prepared: Prepared) {
    const { run, secrets, bindings, limits, blobs } = prepared;
    const { declaration, folder, entry, codeFolders = [], canStartProcesses = false } = request.connector;
    const { settings = {}, paths = {}, stateFolder } = request;
    this.#owner = owner;
    this.#request = request;
    this.#run = run;
    this.#limits = limits;
    this.#bindings = bindings;
    for (const secret of Object.values(secrets)) this.#mask.add(secret);
    if (blobs !== undefined) this.#mask.add(blobs.token);
    this.#scope = new Scope(declaration, request.scope);
    this.#session = new RunSession(this.#scope, prepared.checkpoints, this.#mask);
    this.#child = startChild({
      folder,
      entry,
      temporaryFolder: prepared.temporaryFolder,
      readable: [...codeFolders, ...Object.values(paths)],
      writable: stateFolder === undefined ? [] : [stateFolder],
      canStartProcesses,
      hasNetwork: "network" in this.#bindings,
      env: {
        ...settings,
        ...secrets,
        ...paths,
        ...(stateFolder !== undefined && { PDPP_STATE_DIR: stateFolder }),
        PDPP_CONNECTOR_ID: declaration.connectorId,
        PDPP_CONNECTOR_INSTANCE_ID: request.connectionId,
        PDPP_RUN_ID: run.run_id,
        // The names that public connectors expect. The token is the run's, not the owner's.
        ...(blobs !== undefined && { PDPP_RS_URL: blobs.url, PDPP_OWNER_TOKEN: blobs.token }),
      },
      limits,
    });
    this.#interactions = new Interactions(request.interact, {
      send: (message) => this.#send(message),
      onAnswer: (data) => {
        for (const value of Object.values(data)) if (typeof value === "string") this.#mask.add(value);
      },
    });
    this.#watch = watchRun(this.#child, this.#limits, (error) => this.#stop(error));
  }

  async execute(): Promise<RunDocument> {
    const cancel = (): void => this.#stop(new Cancelled());
    this.#request.signal?.addEventListener("abort", cancel);
    if (this.#request.signal?.aborted) cancel();
    const lease = keepLease(this.#owner, this.#run.run_id, (error) => this.#stop(error));
    try {
      const result = await this.#talk();
      return await this.#owner.sources.finishRun(this.#run.run_id, result);
    } finally {
      this.#request.signal?.removeEventListener("abort", cancel);
      lease.stop();
      this.#watch.stop();
      this.#interactions.stop();
      this.#child.kill();
      await this.#child.exited;
      this.#child.removeFolder();
    }
  }

  async #talk(): Promise<RunResult> {
    this.#send({
      type: "START",
      run_id: this.#run.run_id,
      collection_mode: this.#request.mode,
      scope: { streams: this.#scope.streams.map((stream) => JSON.parse(JSON.stringify(stream)) as JsonObject) },
      state: this.#run.state,
      bindings: this.#bindings,
    });
    try {
      for await (const line of readOutput(this.#child.process.stdout, this.#limits, () => this.#watch.noteActivity())) {
        await this.#accept(parseMessage(line), line);
      }
      if (this.#stopReason !== undefined) throw this.#stopReason;
      const exitCode = await this.#child.exited;
      if (this.#stopReason !== undefined) throw this.#stopReason;
      return this.#session.conclude(this.#isEndedByUs ? null : exitCode, this.#child.getStderr());
    } catch (error) {
      this.#child.kill();
      return this.#explain(this.#stopReason ?? error);
    }
  }

  async #accept(message: ConnectorMessage, line: string): Promise<void> {
    const record = this.#session.accept(message, line);
    if (record !== undefined) {
      this.#batch.push(record);
      this.#batchChars += line.length;
      if (this.#batch.length >= maxBatchRecords || this.#batchChars >= maxBatchChars) await this.#storeBatch();
    } else if (message.type === "PROGRESS") {
      const { type: _, ...progress } = message;
      this.#request.onProgress?.({ ...progress, message: this.#mask.clean(message.message) });
    } else if (message.type === "INTERACTION") {
      this.#interactions.ask(message);
    } else if (message.type === "DETAIL_GAPS_PAGE_REQUEST") {
      // Gaps are not kept between runs.
      const request_id = message.request_id ?? "";
      this.#send({ type: "DETAIL_GAPS_PAGE_RESPONSE", reference_only: true, request_id, detail_gaps: [] });
    } else if (message.type === "DONE") {
      await this.#storeBatch();
      this.#awaitExit();
    }
    this.#watch.setPaused(this.#interactions.isWaiting);
  }

  /** Public connectors end only when their standard input does. */
  #awaitExit(): void {
    this.#child.process.stdin.end();
    const timer = setTimeout(() => {
      this.#isEndedByUs = true;
      this.#child.kill();
    }, this.#limits.exitMs);
    void this.#child.exited.then(() => clearTimeout(timer));
  }

  async #storeBatch(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchChars = 0;
    this.#watch.setPaused(true);
    await this.#owner.sources.storeRecords(this.#run.run_id, batch);
  }

  #send(message: JsonObject): void {
    this.#child.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #stop(reason: unknown): void {
    this.#stopReason ??= reason;
    this.#child.kill();
  }

  #explain(error: unknown): RunResult {
    if (error instanceof Cancelled) return this.#session.cancel();
    if (error instanceof ProtocolViolation) return this.#session.breakOff(error);
    if (error instanceof LimitExceeded)
      return this.#session.fail({ code: "limit_exceeded", message: error.message, is_retryable: true });
    throw error;
  }
}

class Cancelled extends Error {}
