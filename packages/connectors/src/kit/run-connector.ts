import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { type BlobReference, canPutBlobs, putBlob } from "./blobs.ts";
import { ConnectorFailure, type StartMessage, startMessage } from "./protocol.ts";

/** One run of a connector: what it starts from, and what it tells the host. Each method waits while the host is slow. */
export interface ConnectorRun {
  readonly isFullRefresh: boolean;
  /** The cursor of each stream that the last successful run saved. */
  readonly cursors: Readonly<Record<string, Json>>;
  /** A folder that outlives the run. Hosts other than pdpp do not provide one. */
  readonly stateFolder: string | undefined;
  wants(stream: string): boolean;
  /** False if the record is too long for a message of the protocol; then it was not sent. */
  putRecord(stream: string, key: string, data: JsonObject): Promise<boolean>;
  deleteRecord(stream: string, key: string, data: JsonObject): Promise<void>;
  /** Saved by the host if the run succeeds. */
  saveCursor(stream: string, cursor: Json): Promise<void>;
  showProgress(message: string, count?: number, total?: number): Promise<void>;
  skip(stream: string, reason: string, message: string): Promise<void>;
  /** Asks the host to start another run at once, because this one ends before everything was collected. */
  requestNextRun(stream: string, covered: number, total: number): Promise<void>;
  /** Whether the host takes files. */
  readonly canPutBlobs: boolean;
  /** Stores a file; undefined if the host takes none. */
  putBlob(stream: string, key: string, mimeType: string, bytes: Uint8Array): Promise<BlobReference | undefined>;
}

/** Reads START, runs `collect`, and reports how it ended. Exits when the host closes standard input. */
export async function runConnector(collect: (run: ConnectorRun) => Promise<void>): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) return;
  const run = new Run(startMessage.parse(JSON.parse(first.value)));
  try {
    await collect(run);
    await run.finish({ status: "succeeded" });
  } catch (error) {
    process.exitCode = 1;
    await run.finish({ status: "failed", error: describeFailure(error) });
  }
  while (!(await lines.next()).done);
  process.exit();
}

function describeFailure(error: unknown): JsonObject {
  if (error instanceof ConnectorFailure) {
    const { code, message, recovery } = error;
    return { code, message, recovery_hint: recovery, retryable: recovery === "retry_by_runtime" };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "unexpected", message: message.slice(0, 1000), retryable: true };
}

class Run implements ConnectorRun {
  readonly isFullRefresh: boolean;
  readonly cursors: Readonly<Record<string, Json>>;
  readonly stateFolder = process.env.PDPP_STATE_DIR;
  readonly canPutBlobs = canPutBlobs();
  readonly #streams: ReadonlySet<string>;
  #records = 0;

  constructor({ collection_mode, scope, state }: StartMessage) {
    this.isFullRefresh = collection_mode === "full_refresh";
    this.cursors = state ?? {};
    this.#streams = new Set(scope.streams.map(({ name }) => name));
  }

  wants(stream: string): boolean {
    return this.#streams.has(stream);
  }

  putRecord(stream: string, key: string, data: JsonObject): Promise<boolean> {
    return this.#sendRecord({ stream, key, data });
  }

  async deleteRecord(stream: string, key: string, data: JsonObject): Promise<void> {
    await this.#sendRecord({ stream, key, data, op: "delete" });
  }

  async #sendRecord(record: JsonObject): Promise<boolean> {
    const line = formatLine({ type: "RECORD", ...record, emitted_at: new Date().toISOString() });
    // No character takes more than three bytes per unit of its length.
    if (line.length > maxLineBytes / 3 && Buffer.byteLength(line) > maxLineBytes) return false;
    this.#records += 1;
    await write(line);
    return true;
  }

  saveCursor(stream: string, cursor: Json): Promise<void> {
    return send({ type: "STATE", stream, cursor });
  }

  showProgress(message: string, count?: number, total?: number): Promise<void> {
    const counts = { ...(count !== undefined && { count }), ...(total !== undefined && { total }) };
    return send({ type: "PROGRESS", message, ...counts });
  }

  skip(stream: string, reason: string, message: string): Promise<void> {
    return send({ type: "SKIP_RESULT", stream, reason, message });
  }

  requestNextRun(stream: string, covered: number, total: number): Promise<void> {
    const bounds = { boundary: null, slice_start: null, slice_end: null };
    const continuation = { ...bounds, considered: total, covered, remaining: true, owner: "runtime" };
    return send({ type: "SKIP_RESULT", stream, reason: "run_limit", message: "More in the next run", continuation });
  }

  putBlob(stream: string, key: string, mimeType: string, bytes: Uint8Array): Promise<BlobReference | undefined> {
    return putBlob({ stream, key, mimeType }, bytes);
  }

  finish(outcome: JsonObject): Promise<void> {
    return send({ type: "DONE", records_emitted: this.#records, ...outcome });
  }
}

/** Hosts end a connector whose line is longer than 16 MiB. */
const maxLineBytes = 16 * 1024 * 1024 - 1024;

const formatLine = (message: JsonObject): string => `${JSON.stringify(message)}\n`;

const send = (message: JsonObject): Promise<void> => write(formatLine(message));

async function write(line: string): Promise<void> {
  if (!process.stdout.write(line)) await once(process.stdout, "drain");
}
