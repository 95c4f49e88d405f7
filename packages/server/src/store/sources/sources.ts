import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { SignInMethod } from "@pdpp/contract/secrets";
import type { SourceKind } from "@pdpp/contract/sources";
import { defineColumns, type ReadTransaction, type WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { aliasColumns, limitRows, type Sql, sql } from "../engine/sql.ts";

export interface StoredSource {
  readonly sourceId: string;
  readonly kind: SourceKind;
  readonly connectionNo: number | null;
  readonly settings: JsonObject;
  readonly createdAt: number;
  readonly pausedAt: number | null;
  readonly lastSuccessAt: number | null;
  /** Null for a source that is manual, paused or waits for its owner. */
  readonly nextRunAt: number | null;
  readonly failures: number;
  readonly leaseId: string | null;
  readonly leaseUntil: number | null;
  /** How it signs in; null if no credentials were ever saved. */
  readonly signIn: SignInMethod | null;
  /** When credentials were saved; null without credentials. */
  readonly signedInAt: number | null;
}

const columns = aliasColumns(
  "source_id, kind, connection_no, settings, created_at, paused_at, last_success_at, next_run_at, failures, lease_id, lease_until, sign_in",
);

export const matchSource = (ownerNo: number, sourceId: string): Sql =>
  sql`owner_no = ${ownerNo} AND source_id = ${sourceId}`;

async function selectSources(on: ReadTransaction, condition: Sql): Promise<StoredSource[]> {
  const rows = await on.all<Omit<StoredSource, "settings"> & { readonly settings: string }>(
    sql`SELECT ${columns}, (SELECT saved_at FROM source_secret AS s WHERE s.owner_no = source.owner_no
      AND s.source_id = source.source_id) AS "signedInAt" FROM source WHERE ${condition} ORDER BY source_id`,
  );
  return rows.map((row) => ({ ...row, settings: parseStoredJson<JsonObject>(row.settings) }));
}

export const listSources = (on: ReadTransaction, ownerNo: number): Promise<StoredSource[]> =>
  selectSources(on, sql`owner_no = ${ownerNo}`);

export async function loadSource(
  on: ReadTransaction,
  ownerNo: number,
  sourceId: string,
): Promise<StoredSource | undefined> {
  return (await selectSources(on, matchSource(ownerNo, sourceId)))[0];
}

type NewSource = Pick<StoredSource, "sourceId" | "kind" | "connectionNo" | "settings" | "createdAt" | "nextRunAt">;

export async function insertSource(
  on: WriteTransaction,
  ownerNo: number,
  { sourceId, kind, connectionNo, settings, createdAt, nextRunAt }: NewSource,
): Promise<void> {
  await on.run(sql`INSERT INTO source (owner_no, source_id, kind, connection_no, settings, created_at, next_run_at, failures)
    VALUES (${ownerNo}, ${sourceId}, ${kind}, ${connectionNo}, ${JSON.stringify(settings)}, ${createdAt}, ${nextRunAt}, 0)`);
}

export const updatePaused = (on: WriteTransaction, ownerNo: number, sourceId: string, at: number | null) =>
  on.run(sql`UPDATE source SET paused_at = ${at} WHERE ${matchSource(ownerNo, sourceId)}`);

export const updateSettings = (on: WriteTransaction, ownerNo: number, sourceId: string, settings: JsonObject) =>
  on.run(sql`UPDATE source SET settings = ${JSON.stringify(settings)} WHERE ${matchSource(ownerNo, sourceId)}`);

export const updateNextRun = (on: WriteTransaction, ownerNo: number, sourceId: string, at: number | null) =>
  on.run(sql`UPDATE source SET next_run_at = ${at} WHERE ${matchSource(ownerNo, sourceId)}`);

const dueColumns = aliasColumns("owner_no, source_id, next_run_at");

const activeColumns = aliasColumns("owner_no, source_id, kind, settings");

export interface DueSource {
  readonly ownerNo: number;
  readonly sourceId: string;
  readonly nextRunAt: number;
}

/** There is nothing to collect from it. */
const pushKind: SourceKind = "push";

/** The sources of all owners that should run and do not, the longest due first. */
export const listDueSources = (on: ReadTransaction, now: number, limit: number): Promise<DueSource[]> =>
  on.all<DueSource>(
    sql`SELECT ${dueColumns} FROM source
      WHERE next_run_at <= ${now} AND paused_at IS NULL AND (lease_until IS NULL OR lease_until < ${now}) AND kind <> ${pushKind}
      ORDER BY next_run_at ${limitRows(limit)}`,
  );

/** The sources of all owners whose changes may start a run: folders, and connectors that run by themselves and do not wait for their owner. */
export async function listActiveSources(on: ReadTransaction) {
  const rows = await on.all<{ ownerNo: number; sourceId: string; kind: SourceKind; settings: string }>(
    sql`SELECT ${activeColumns} FROM source
      WHERE paused_at IS NULL AND (kind = 'folder' OR (kind = 'connector' AND next_run_at IS NOT NULL))
      ORDER BY owner_no, source_id`,
  );
  return rows.map(({ settings, ...row }) => ({ ...row, settings: parseStoredJson<JsonObject>(settings) }));
}

/** Moves the next run of a due source. Returns false if another server has done so since it was listed. */
export async function claimDueSource(on: WriteTransaction, { ownerNo, sourceId, nextRunAt }: DueSource, until: number) {
  const claimed = await on.run(sql`UPDATE source SET next_run_at = ${until}
    WHERE ${matchSource(ownerNo, sourceId)} AND next_run_at = ${nextRunAt} AND paused_at IS NULL`);
  return claimed > 0;
}
export const updateLastSuccess = (
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  at: number,
): Promise<number> => on.run(sql`UPDATE source SET last_success_at = ${at} WHERE ${matchSource(ownerNo, sourceId)}`);

export async function deleteSource(on: WriteTransaction, ownerNo: number, sourceId: string): Promise<void> {
  const here = matchSource(ownerNo, sourceId);
  await on.run(sql`DELETE FROM source_cursor WHERE ${here}`);
  await on.run(sql`DELETE FROM source_run WHERE ${here}`);
  await on.run(sql`DELETE FROM source_secret WHERE ${here}`);
  await on.run(sql`DELETE FROM source WHERE ${here}`);
}

/** The sources of one connection, or of all. */
export async function deleteSources(on: WriteTransaction, ownerNo: number, connectionNo?: number): Promise<void> {
  for (const source of await listSources(on, ownerNo))
    if (connectionNo === undefined || source.connectionNo === connectionNo)
      await deleteSource(on, ownerNo, source.sourceId);
}

/** Takes the lease if it is free or has expired. Returns whether it did. */
export async function takeLease(
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  runId: string,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<boolean> {
  const taken = await on.run(sql`UPDATE source SET lease_id = ${runId}, lease_until = ${until}
    WHERE ${matchSource(ownerNo, sourceId)} AND (lease_id IS NULL OR lease_until < ${now})`);
  return taken > 0;
}

/** Returns false if another run has taken the lease since. */
export async function extendLease(
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  runId: string,
  until: number,
): Promise<boolean> {
  const extended = await on.run(
    sql`UPDATE source SET lease_until = ${until} WHERE ${matchSource(ownerNo, sourceId)} AND lease_id = ${runId}`,
  );
  return extended > 0;
}

export async function releaseLease(
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  { lastSuccessAt, failures, nextRunAt }: Pick<StoredSource, "lastSuccessAt" | "failures" | "nextRunAt">,
): Promise<void> {
  await on.run(sql`UPDATE source SET lease_id = NULL, lease_until = NULL,
    failures = ${failures}, last_success_at = ${lastSuccessAt}, next_run_at = ${nextRunAt} WHERE ${matchSource(ownerNo, sourceId)}`);
}

export async function loadCursors(
  on: ReadTransaction,
  ownerNo: number,
  sourceId: string,
): Promise<Record<string, Json> | null> {
  const rows = await on.all<{ stream: string; value: string }>(
    sql`SELECT stream, value FROM source_cursor WHERE ${matchSource(ownerNo, sourceId)} ORDER BY stream`,
  );
  return rows.length === 0
    ? null
    : Object.fromEntries(rows.map(({ stream, value }) => [stream, parseStoredJson<Json>(value)]));
}

const cursorColumns = defineColumns("owner_no integer, source_id text, stream text, value text");

/** Cursors of other streams stay. */
export async function saveCursors(
  on: WriteTransaction,
  ownerNo: number,
  sourceId: string,
  cursors: Readonly<Record<string, Json>>,
): Promise<void> {
  const rows = Object.entries(cursors).map(([stream, value]) => [ownerNo, sourceId, stream, JSON.stringify(value)]);
  for (const stream of Object.keys(cursors))
    await on.run(sql`DELETE FROM source_cursor WHERE ${matchSource(ownerNo, sourceId)} AND stream = ${stream}`);
  if (rows.length > 0) await on.insert("source_cursor", cursorColumns, rows);
}
