import { PdppError } from "@pdpp/contract/errors";
import type { MergeRules } from "@pdpp/contract/imports";
import { formatInstant } from "@pdpp/contract/instant";
import {
  credentialsRecovery,
  type RunDocument,
  type SourceDocument,
  type SourceRequest,
  type SourcesApi,
} from "@pdpp/contract/sources";
import { createId } from "../auth/tokens.ts";
import { storeImportBatch } from "../ingest/import-batch.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { ReadTransaction, WriteTransaction } from "../store/engine/engine.ts";
import { emptyTally, finishPart, insertPart, runFormat } from "../store/imports/imports.ts";
import {
  deleteOldRuns,
  endRun,
  insertRun,
  interruptRuns,
  listLatestRuns,
  type StoredRun,
  setRunPart,
} from "../store/sources/runs.ts";
import {
  deleteSource,
  insertSource,
  listSources,
  loadCursors,
  loadSource,
  releaseLease,
  type StoredSource,
  saveCursors,
  takeLease,
  updatePaused,
} from "../store/sources/sources.ts";
import { findConnection } from "./connections.ts";
import type { OwnerContext } from "./owner-context.ts";
import { getLeaseEnd, keepLease, requireRun, requireSource } from "./source-lease.ts";

export function createSourcesApi({ store, ownerNo, now }: OwnerContext): SourcesApi {
  const { engine } = store;
  const describe = async (on: ReadTransaction, source: StoredSource): Promise<SourceDocument> => {
    const [lastRun] = await listLatestRuns(on, ownerNo, source.sourceId, 1);
    return describeSource(source, await listConnections(on, ownerNo), lastRun, now());
  };
  const get = (sourceId: string): Promise<SourceDocument> =>
    engine.read(async (on) => describe(on, await requireSource(on, ownerNo, sourceId)));
  return {
    list: () =>
      engine.read(async (on) => {
        const documents: SourceDocument[] = [];
        for (const source of await listSources(on, ownerNo)) documents.push(await describe(on, source));
        return documents;
      }),
    get,
    async add(request) {
      const connection =
        request.connection_id === undefined ? null : await findConnection(store, ownerNo, request.connection_id);
      await engine.write((on) => addSource(on, ownerNo, request, connection, now()));
      return get(request.source_id);
    },
    async setPaused(sourceId, isPaused) {
      const operation = isPaused ? "source.pause" : "source.resume";
      await engine.write(async (on) => {
        await requireSource(on, ownerNo, sourceId);
        await updatePaused(on, ownerNo, sourceId, isPaused ? now() : null);
        await logOwnerAction(on, { ownerNo, at: now(), operation, subject: sourceId });
      });
      return get(sourceId);
    },
    remove: (sourceId) =>
      engine.write(async (on) => {
        await requireSource(on, ownerNo, sourceId);
        await deleteSource(on, ownerNo, sourceId);
        await logOwnerAction(on, { ownerNo, at: now(), operation: "source.remove", subject: sourceId });
      }),
    listRuns: (sourceId, limit, before) =>
      engine.read(async (on) => {
        await requireSource(on, ownerNo, sourceId);
        return (await listLatestRuns(on, ownerNo, sourceId, limit, before)).map(describeRun);
      }),
    beginRun: (sourceId, { mode, version }) =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        const source = await requireSource(on, ownerNo, sourceId);
        if (source.pausedAt !== null)
          throw new PdppError("invalid_request", `source ${sourceId} is paused`, {
            next_step: `resume it with pdpp source resume ${sourceId}`,
          });
        const runId = createId("run");
        const lease = { now: now(), until: getLeaseEnd(now()) };
        if (!(await takeLease(on, ownerNo, sourceId, runId, lease)))
          throw new PdppError("invalid_request", `source ${sourceId} is being collected already`, {
            next_step: `follow it with pdpp source runs ${sourceId}`,
          });
        await interruptRuns(on, ownerNo, sourceId, now());
        await insertRun(on, ownerNo, { sourceId, runId, mode, version, startedAt: now() });
        await deleteOldRuns(on, ownerNo, sourceId);
        const state = mode === "full_refresh" ? null : await loadCursors(on, ownerNo, sourceId);
        return { run_id: runId, state };
      }),
    renewLease: (runId) => engine.write(async (on) => void (await keepLease(on, ownerNo, runId, now()))),
    async storeRecords(runId, records) {
      const { partNo, startedAt } = await engine.write(async (on) => {
        const run = await keepLease(on, ownerNo, runId, now());
        return { startedAt: run.startedAt, partNo: run.partNo ?? (await beginPart(on, ownerNo, run)) };
      });
      // The source had them then, so that an export from before, imported later, does not replace them.
      const collected = records.map((record) => ({ ...record, changed_at: startedAt }));
      const streams = new Set(records.map(({ stream }) => stream));
      const merge = Object.fromEntries([...streams].map((stream) => [stream, collectedRules]));
      const batch = {
        part_id: String(partNo),
        records: collected,
        merge,
        aside: [],
        skipped: {},
        blobs: 0,
        mark: null,
      };
      return storeImportBatch(store, ownerNo, partNo, batch, now());
    },
    finishRun: (runId, { status, cursors, report }) =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        const run = await keepLease(on, ownerNo, runId, now());
        await saveCursors(on, ownerNo, run.sourceId, cursors);
        await endRun(on, ownerNo, runId, { status, report, now: now() });
        if (run.partNo !== null) await finishPart(on, ownerNo, run.partNo, now());
        await releaseLease(on, ownerNo, run.sourceId, { succeededAt: status === "succeeded" ? now() : null });
        return describeRun(await requireRun(on, ownerNo, runId));
      }),
  };
}

/** A source sends each record in its latest state, and repeats a key only for the same record. */
const collectedRules: MergeRules = { replaces: true, is_shared: true };

async function addSource(
  on: WriteTransaction,
  ownerNo: number,
  { source_id: sourceId, kind, settings }: SourceRequest,
  connection: Connection | null,
  now: number,
): Promise<void> {
  if ((await loadSource(on, ownerNo, sourceId)) !== undefined)
    throw new PdppError("connection_exists", `there is a source ${sourceId} already; choose another --id`, {
      param: "id",
    });
  await insertSource(on, ownerNo, {
    sourceId,
    kind,
    connectionNo: connection?.no ?? null,
    settings,
    createdAt: now,
    pausedAt: null,
    lastSuccessAt: null,
    failures: 0,
  });
  const connectionIds = connection === null ? [] : [connection.id];
  await logOwnerAction(on, { ownerNo, at: now, operation: "source.add", subject: sourceId, connectionIds });
}

/** A run that brings nothing has no part, so that frequent runs do not fill the table. */
async function beginPart(on: WriteTransaction, ownerNo: number, run: StoredRun): Promise<number> {
  const { connectionNo } = await requireSource(on, ownerNo, run.sourceId);
  if (connectionNo === null) throw new Error(`source ${run.sourceId} has no connection for its records`);
  const partNo = await insertPart(on, ownerNo, {
    importId: run.runId,
    connectionNo,
    format: runFormat,
    importerVersion: run.version,
    label: run.sourceId,
    fingerprint: run.runId,
    sources: [],
    answers: {},
    exportedAt: run.startedAt,
    startedAt: run.startedAt,
    finishedAt: null,
    mark: null,
    tally: emptyTally,
  });
  await setRunPart(on, ownerNo, run.runId, partNo);
  return partNo;
}

function describeSource(
  source: StoredSource,
  held: readonly Connection[],
  lastRun: StoredRun | undefined,
  now: number,
): SourceDocument {
  const connection = held.find(({ no }) => no === source.connectionNo);
  const isRunning = source.leaseUntil !== null && source.leaseUntil >= now;
  return {
    object: "source",
    source_id: source.sourceId,
    kind: source.kind,
    ...(connection === undefined ? {} : { connection_id: connection.id }),
    settings: source.settings,
    status: isRunning ? "running" : source.pausedAt === null ? "active" : "paused",
    created_at: formatInstant(source.createdAt),
    ...(lastRun === undefined ? {} : { last_run: describeRun(lastRun) }),
    ...(source.lastSuccessAt === null ? {} : { last_success_at: formatInstant(source.lastSuccessAt) }),
    ...(source.signIn === null ? {} : { sign_in: source.signIn }),
    ...(needsCredentials(source, lastRun) ? { needs: "credentials" as const } : {}),
  };
}

/** Its last run found them wrong and they were not replaced since, or a restore did not bring them back. */
function needsCredentials({ signIn, signedInAt }: StoredSource, lastRun: StoredRun | undefined): boolean {
  if (signIn !== null && signedInAt === null) return true;
  return lastRun?.report.error?.recovery === credentialsRecovery && (signedInAt ?? 0) <= lastRun.startedAt;
}

const describeRun = (run: StoredRun): RunDocument => ({
  object: "run",
  run_id: run.runId,
  run_number: run.runNo,
  source_id: run.sourceId,
  mode: run.mode,
  status: run.status,
  started_at: formatInstant(run.startedAt),
  finished_at: run.finishedAt === null ? null : formatInstant(run.finishedAt),
  tally: run.tally,
  ...run.report,
});
