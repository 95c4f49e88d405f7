import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { MergeRules } from "@pdpp/contract/imports";
import type { OwnerApi } from "@pdpp/contract/owner";
import { readScheduleChoice } from "@pdpp/contract/schedule";
import type { SourceDocument, SourceRequest, SourcesApi } from "@pdpp/contract/sources";
import { createId } from "../auth/tokens.ts";
import { storeImportBatch } from "../ingest/import-batch.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { getMachineTimeZone, loadOwnerTimeZone } from "../store/access/owners.ts";
import type { Connection } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { ReadTransaction, WriteTransaction } from "../store/engine/engine.ts";
import { emptyTally, finishPart, insertPart, runFormat } from "../store/imports/imports.ts";
import {
  deleteOldRuns,
  endRun,
  findFailingSince,
  insertRun,
  interruptRuns,
  listLatestRuns,
  type StoredRun,
  setRunPart,
} from "../store/sources/runs.ts";
import { planNextRun, requested, resolveSchedule } from "../store/sources/schedule.ts";
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
  updateNextRun,
  updatePaused,
  updateSettings,
} from "../store/sources/sources.ts";
import { findConnection } from "./connections.ts";
import { describeRun, describeSource } from "./describe-source.ts";
import type { OwnerContext } from "./owner-context.ts";
import { receivePush } from "./push/receive-push.ts";
import { chooseFirstRun, findManifest } from "./schedule/first-run.ts";
import { getLeaseEnd, keepLease, requireRun, requireSource } from "./source-lease.ts";

export function createSourcesApi(context: OwnerContext, tokens: Pick<OwnerApi["tokens"], "revoke">): SourcesApi {
  const { store, ownerNo, now } = context;
  const { engine } = store;
  const describe = async (on: ReadTransaction, source: StoredSource): Promise<SourceDocument> => {
    const [lastRun] = await listLatestRuns(on, ownerNo, source.sourceId, 1);
    const failingSince = source.failures === 0 ? null : await findFailingSince(on, ownerNo, source);
    return describeSource(source, {
      ...(await findManifest(context, on, source.connectionNo)),
      lastRun,
      failingSince,
      now: now(),
    });
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
      await engine.write(async (on) => {
        const { settings, is_held: isHeld = false } = request;
        const connectionNo = connection?.no ?? null;
        const nextRunAt = isHeld ? null : await chooseFirstRun(context, on, { connectionNo, settings, pausedAt: null });
        await addSource(on, ownerNo, request, connection, { now: now(), nextRunAt });
      });
      return get(request.source_id);
    },
    async setPaused(sourceId, isPaused) {
      const operation = isPaused ? "source.pause" : "source.resume";
      await engine.write(async (on) => {
        const source = await requireSource(on, ownerNo, sourceId);
        const pausedAt = isPaused ? now() : null;
        await updatePaused(on, ownerNo, sourceId, pausedAt);
        await updateNextRun(on, ownerNo, sourceId, await chooseFirstRun(context, on, { ...source, pausedAt }));
        await logOwnerAction(on, { ownerNo, at: now(), operation, subject: sourceId });
      });
      return get(sourceId);
    },
    async setSchedule(sourceId, choice) {
      await engine.write(async (on) => {
        const source = await requireSource(on, ownerNo, sourceId);
        const { schedule: _, ...others } = source.settings;
        const { mode, interval_seconds, quiet_hours } = readScheduleChoice({ schedule: choice });
        const settings: JsonObject = {
          ...others,
          schedule: {
            ...(mode && { mode }),
            ...(interval_seconds && { interval_seconds }),
            ...(quiet_hours && { quiet_hours }),
          },
        };
        const { manifest } = await findManifest(context, on, source.connectionNo);
        checkInterval(choice.interval_seconds, resolveSchedule(settings, manifest).minimum_interval_seconds);
        await updateSettings(on, ownerNo, sourceId, settings);
        await updateNextRun(on, ownerNo, sourceId, await chooseFirstRun(context, on, { ...source, settings }));
        await logOwnerAction(on, { ownerNo, at: now(), operation: "source.schedule", subject: sourceId });
      });
      return get(sourceId);
    },
    requestRun: (sourceId) =>
      engine.write(async (on) => {
        const { pausedAt } = await requireSource(on, ownerNo, sourceId);
        if (pausedAt === null) await updateNextRun(on, ownerNo, sourceId, requested);
      }),
    async remove(sourceId) {
      const { settings } = await engine.read((on) => requireSource(on, ownerNo, sourceId));
      // Revoked before the source is deleted, so that a crash in between leaves no usable token.
      if (typeof settings.token_id === "string") await tokens.revoke(settings.token_id).catch(ignoreNotFound);
      await engine.write(async (on) => {
        await requireSource(on, ownerNo, sourceId);
        await deleteSource(on, ownerNo, sourceId);
        await logOwnerAction(on, { ownerNo, at: now(), operation: "source.remove", subject: sourceId });
      });
    },
    receive: (connectionId, push) => receivePush(context, connectionId, push),
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
        // This run answers the request; one that comes later is kept.
        if (source.nextRunAt === requested) await updateNextRun(on, ownerNo, sourceId, now());
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
        const source = await requireSource(on, ownerNo, run.sourceId);
        const { manifest } = await findManifest(context, on, source.connectionNo);
        const failures = status === "succeeded" ? 0 : source.failures + (status === "failed" ? 1 : 0);
        const ended = { runId, status, error: report.error, failures };
        const zone = (await loadOwnerTimeZone(on, ownerNo)) ?? getMachineTimeZone();
        const planned = planNextRun(resolveSchedule(source.settings, manifest), ended, zone, now());
        // Something changed during the run, which may have missed it.
        const nextRunAt = source.nextRunAt === requested ? requested : planned;
        await releaseLease(on, ownerNo, run.sourceId, {
          failures,
          lastSuccessAt: status === "succeeded" ? now() : source.lastSuccessAt,
          nextRunAt: source.pausedAt === null ? nextRunAt : null,
        });
        return describeRun(await requireRun(on, ownerNo, runId));
      }),
  };
}

const ignoreNotFound = (error: unknown): void => {
  if (!(error instanceof PdppError) || error.code !== "not_found") throw error;
};

/** A source sends each record in its latest state, and repeats a key only for the same record. */
const collectedRules: MergeRules = { replaces: true, is_shared: true };

async function addSource(
  on: WriteTransaction,
  ownerNo: number,
  { source_id: sourceId, kind, settings }: SourceRequest,
  connection: Connection | null,
  { now, nextRunAt }: { readonly now: number; readonly nextRunAt: number | null },
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
    nextRunAt,
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

function checkInterval(seconds: number | undefined, minimum: number): void {
  if (seconds === undefined || seconds >= minimum) return;
  throw new PdppError(
    "invalid_argument",
    `this source may run at most every ${minimum} seconds; choose a longer interval`,
    { param: "interval_seconds" },
  );
}
