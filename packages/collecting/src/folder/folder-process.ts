import { PdppError } from "@pdpp/contract/errors";
import type { RunError } from "@pdpp/contract/sources";
import { TreeError } from "@pdpp/importers/tree";
import { ImportOptionsError } from "@pdpp/importing/import-options-error";
import { limitImport } from "@pdpp/importing/limit-import";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore } from "@pdpp/server/store/store";
import { describeSystemError, getErrorMessage } from "@pdpp/server/system-error";
import type { FolderProgress, FromFolderProcess, ToFolderProcess } from "./folder-messages.ts";
import { type FolderReport, importFolder } from "./import-folder.ts";
import { FolderMissing } from "./settled-files.ts";

/** The process of one run of a folder: its files are parsed here, with a separate heap, and never in the server process. */

const reportIntervalMs = 400;

/** Sent periodically, so it also serves as a heartbeat. */
let current: FolderProgress = { message: "" };

limitImport();
/** Exit with the starter, and after the result has been sent. */
process.on("disconnect", () => process.exit());
process.on("message", (message: ToFolderProcess) => void run(message));

const send = (message: FromFolderProcess, onSent: () => void = () => undefined): void =>
  void process.send?.(message, onSent);

async function run(request: ToFolderProcess): Promise<void> {
  const telling = setInterval(() => send({ kind: "progress", progress: current }), reportIntervalMs);
  const end = await work(request).then(
    (report): FromFolderProcess => ({ kind: "done", report }),
    (error: unknown): FromFolderProcess => ({ kind: "failed", error: describeError(error) }),
  );
  clearInterval(telling);
  send(end, () => process.disconnect?.());
}

async function work({ location, ownerName, runId, request }: ToFolderProcess): Promise<FolderReport> {
  const store = await openStore(location);
  try {
    const owner = createOwner({ store, ownerNo: await findOwner(store, ownerName), now: Date.now });
    await owner.sources.renewLease(runId);
    return await importFolder(owner, request, (message, count, total) => {
      const isNew = message !== current.message;
      current = { message, ...(count !== undefined && { count }), ...(total !== undefined && { total }) };
      if (isNew) send({ kind: "progress", progress: current });
    });
  } finally {
    await store.close();
  }
}

function describeError(error: unknown): RunError {
  if (error instanceof FolderMissing) return { code: "folder_missing", message: error.message, is_retryable: true };
  if (error instanceof PdppError || error instanceof ImportOptionsError || error instanceof TreeError)
    return { code: "import_failed", message: error.message, is_retryable: true };
  const problem = describeSystemError(error);
  if (problem !== undefined) return { code: "import_failed", message: problem.message, is_retryable: true };
  console.error("pdpp: a folder could not be imported:", error);
  return { code: "import_failed", message: `internal error (${getErrorMessage(error)})`, is_retryable: true };
}
