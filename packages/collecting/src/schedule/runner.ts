import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunDocument, RunError, SourceDocument } from "@pdpp/contract/sources";
import type { SyncOptions } from "../sync-source.ts";

export type RunHandlers = Pick<SyncOptions, "mode" | "interact">;
export type RunProgress = Parameters<NonNullable<SyncOptions["onProgress"]>>[0];

/** Runs a source once, as `syncSource` does. */
export type Sync = (
  owner: OwnerApi,
  source: SourceDocument,
  options: Pick<SyncOptions, "mode" | "interact" | "onProgress"> & { readonly signal: AbortSignal },
) => Promise<RunDocument>;

export interface RunnerOptions {
  readonly getOwner: (ownerNo: number) => OwnerApi;
  readonly sync: Sync;
  readonly onBug: (error: unknown) => void;
}

interface CurrentRun {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  progress?: RunProgress;
}

/** The runs of this process. */
export class SourceRunner {
  readonly #options: RunnerOptions;
  readonly #runs = new Map<string, CurrentRun>();
  #isClosing = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#runs.size;
  }

  /** The run of a source in this process, with the last progress it reported. */
  find(ownerNo: number, sourceId: string): { readonly progress?: RunProgress } | undefined {
    return this.#runs.get(createSourceKey(ownerNo, sourceId));
  }

  /** Starts a run, unless this process runs the source already. Resolves when it has ended; its result is in the vault. */
  run(ownerNo: number, sourceId: string, handlers: RunHandlers): Promise<void> {
    const key = createSourceKey(ownerNo, sourceId);
    const current = this.#runs.get(key);
    if (current !== undefined) return current.ended;
    if (this.#isClosing) return Promise.resolve();
    const stop = new AbortController();
    const ended = this.#execute(ownerNo, sourceId, handlers, stop.signal)
      .catch(this.#options.onBug)
      .finally(() => this.#runs.delete(key));
    this.#runs.set(key, { stop, ended });
    return ended;
  }

  async cancel(ownerNo: number, sourceId: string): Promise<void> {
    const current = this.#runs.get(createSourceKey(ownerNo, sourceId));
    current?.stop.abort();
    await current?.ended;
  }

  /** Ends all runs and waits for them. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const all = [...this.#runs.values()];
    for (const { stop } of all) stop.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #execute(ownerNo: number, sourceId: string, handlers: RunHandlers, signal: AbortSignal): Promise<void> {
    const { getOwner, sync } = this.#options;
    const owner = getOwner(ownerNo);
    const source = await owner.sources.get(sourceId);
    const onProgress = (progress: RunProgress): void => {
      const current = this.#runs.get(createSourceKey(ownerNo, sourceId));
      if (current !== undefined) current.progress = progress;
    };
    try {
      await sync(owner, source, { ...handlers, onProgress, signal });
    } catch (error) {
      await recordFailure(owner, sourceId, handlers, error);
    }
    // The server stopped it, not its owner, so it continues when a server starts.
    if (this.#isClosing) await owner.sources.requestRun(sourceId).catch(() => undefined);
  }
}

export const createSourceKey = (ownerNo: number, sourceId: string): string => `${ownerNo} ${sourceId}`;

/** A run that could not start has no result yet. Its reason belongs in the source's history. */
async function recordFailure(owner: OwnerApi, sourceId: string, { mode }: RunHandlers, cause: unknown): Promise<void> {
  const begun = await owner.sources.beginRun(sourceId, { mode, version: "" }).catch(() => undefined);
  // Another process runs it, or it was paused or removed: nothing failed.
  if (begun === undefined) return;
  const message = cause instanceof Error ? cause.message : String(cause);
  const error: RunError = { code: "not_started", message, is_retryable: false, recovery: "manual_action_required" };
  await owner.sources.finishRun(begun.run_id, { status: "failed", cursors: {}, report: { error } });
}
