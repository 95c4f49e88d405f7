import { fileURLToPath } from "node:url";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { CollectionMode, RunDocument, RunError, RunResult, SourceDocument } from "@pdpp/contract/sources";
import { describeExit, forkImport } from "@pdpp/importing/service/fork-import";
import type { StoreLocation } from "@pdpp/server/store/store";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import { keepLease } from "../run/keep-lease.ts";
import { readFolderSettings } from "../source-settings.ts";
import type { FolderProgress, FromFolderProcess, ToFolderProcess } from "./folder-messages.ts";

export interface FolderRunOptions {
  readonly location: StoreLocation;
  readonly mode: CollectionMode;
  readonly onProgress?: (progress: FolderProgress) => void;
  readonly signal?: AbortSignal;
}

/** Of the way how folders are imported, for the records' origin. */
const version = "1";
const file = fileURLToPath(new URL("./folder-process.ts", import.meta.url));
/** Kill the process after this long without a message. */
const silentMs = scaleTimeLimit(2 * 60_000);

/** Imports what is new in a folder, in a separate process. Throws only if the run could not be recorded. */
export async function collectFolder(
  owner: OwnerApi,
  source: SourceDocument,
  { location, mode, onProgress, signal }: FolderRunOptions,
): Promise<RunDocument> {
  const settings = readFolderSettings(source);
  const filled = await findFilledConnections(owner, source.source_id);
  const { name: ownerName } = await owner.self();
  const { run_id: runId } = await owner.sources.beginRun(source.source_id, { mode, version });
  const request = { settings, again: mode === "full_refresh", filled };
  const begin: ToFolderProcess = { location, ownerName, runId, request };
  const lost = new AbortController();
  const lease = keepLease(owner, runId, (error) => lost.abort(error));
  try {
    const result = await runProcess(begin, {
      onProgress: onProgress ?? (() => undefined),
      signals: signal === undefined ? [lost.signal] : [lost.signal, signal],
    });
    return await owner.sources.finishRun(runId, result);
  } finally {
    lease.stop();
  }
}

const maxLookedAt = 50;

/** The connection that each format went into last. */
async function findFilledConnections(owner: OwnerApi, sourceId: string): Promise<Record<string, string>> {
  const runs = await owner.sources.listRuns(sourceId, maxLookedAt);
  const imported = runs.toReversed().flatMap((run) => run.imported ?? []);
  return Object.fromEntries(imported.map(({ connector_key, connection_id }) => [connector_key, connection_id]));
}

interface ProcessHandlers {
  readonly onProgress: (progress: FolderProgress) => void;
  /** Each of them ends the process. */
  readonly signals: readonly AbortSignal[];
}

function runProcess(begin: ToFolderProcess, { onProgress, signals }: ProcessHandlers): Promise<RunResult> {
  const child = forkImport(file);
  const cancel = AbortSignal.any([...signals]);
  const stop = (): void => void child.kill("SIGKILL");
  return new Promise<RunResult>((resolve) => {
    let result: RunResult | undefined;
    let said = "";
    const fail = (error: RunError): void => {
      result ??= { status: "failed", cursors: {}, report: { error } };
    };
    const createTimer = (): NodeJS.Timeout =>
      setTimeout(() => {
        fail({ code: "import_crashed", message: "The import process stopped responding.", is_retryable: true });
        stop();
      }, silentMs);
    let timer = createTimer();
    child.on("message", (message: FromFolderProcess) => {
      clearTimeout(timer);
      timer = createTimer();
      if (message.kind === "failed") fail(message.error);
      else if (message.kind === "done") result ??= { status: "succeeded", cursors: {}, report: message.report };
      else if (message.progress.message !== said) {
        said = message.progress.message;
        onProgress(message.progress);
      }
    });
    child.once("error", () => {
      fail({ code: "import_crashed", message: "The import process could not be started.", is_retryable: true });
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      cancel.removeEventListener("abort", stop);
      if (cancel.aborted) result ??= { status: "cancelled", cursors: {}, report: {} };
      fail({ code: "import_crashed", message: describeExit(code, signal), is_retryable: true });
      if (result !== undefined) resolve(result);
    });
    cancel.addEventListener("abort", stop);
    if (cancel.aborted) stop();
    else child.send(begin, () => undefined);
  });
}
