import { defineColumns, type ReadTransaction, selectNumber, type WriteTransaction } from "../engine/engine.ts";
import { joinAnd, limitRows, raw, type Sql, sql } from "../engine/sql.ts";

/** Traces of people in streams, and how far each stream was read. Derived: it can be dropped and read again. */

export interface TracePlace {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly streamNo: number;
}

export interface Progress {
  /** How records are read; a different plan starts over. */
  readonly plan: string;
  /** Changes up to this version are counted; 0 during the first walk. */
  readonly version: number;
  /** The state that the first walk reads. */
  readonly upTo: number;
  /** The key after which the first walk continues. */
  readonly afterKey: string | null;
}

export interface TraceRow {
  readonly connectionNo: number;
  readonly streamNo: number;
  readonly identity: string;
  readonly trace: string;
}

const matchPlace = ({ ownerNo, connectionNo, streamNo }: TracePlace): Sql =>
  sql`owner_no = ${ownerNo} AND connection_no = ${connectionNo} AND stream_no = ${streamNo}`;

export const loadProgress = (on: ReadTransaction, place: TracePlace): Promise<Progress | undefined> =>
  on.one<Progress>(sql`SELECT plan, version, up_to AS "upTo", after_key AS "afterKey" FROM person_progress
    WHERE ${matchPlace(place)}`);

export async function saveProgress(on: WriteTransaction, place: TracePlace, progress: Progress): Promise<void> {
  const { plan, version, upTo, afterKey } = progress;
  const { ownerNo, connectionNo, streamNo } = place;
  await on.run(sql`DELETE FROM person_progress WHERE ${matchPlace(place)}`);
  await on.run(sql`INSERT INTO person_progress (owner_no, connection_no, stream_no, plan, version, up_to, after_key)
    VALUES (${ownerNo}, ${connectionNo}, ${streamNo}, ${plan}, ${version}, ${upTo}, ${afterKey})`);
}

export async function deleteTraces(on: WriteTransaction, place: TracePlace): Promise<void> {
  await on.run(sql`DELETE FROM person_trace WHERE ${matchPlace(place)}`);
  await on.run(sql`DELETE FROM person_progress WHERE ${matchPlace(place)}`);
}

/** The places that have traces, apart from these: streams of removed connections. */
export async function listTracesExcept(
  on: ReadTransaction,
  ownerNo: number,
  places: readonly TracePlace[],
): Promise<TracePlace[]> {
  const rows = await on.all<TracePlace>(sql`SELECT owner_no AS "ownerNo", connection_no AS "connectionNo",
    stream_no AS "streamNo" FROM person_progress WHERE owner_no = ${ownerNo}`);
  const known = new Set(places.map(({ connectionNo, streamNo }) => `${connectionNo}/${streamNo}`));
  return rows.filter(({ connectionNo, streamNo }) => !known.has(`${connectionNo}/${streamNo}`));
}

export const countTraces = (on: ReadTransaction, ownerNo: number): Promise<number> =>
  selectNumber(on, sql`SELECT count(*) AS n FROM person_trace WHERE owner_no = ${ownerNo}`);

export interface HeldTrace {
  readonly identity: string;
  readonly trace: string;
  readonly records: string;
}

export const loadTraces = (
  on: ReadTransaction,
  place: TracePlace,
  identities: readonly string[],
): Promise<HeldTrace[]> =>
  on.all<HeldTrace>(sql`SELECT identity, trace, records FROM person_trace
    WHERE ${joinAnd([matchPlace(place), on.dialect.among(raw("identity"), identities)])}`);

const columns = defineColumns(
  "owner_no integer, connection_no integer, stream_no integer, identity text, trace text, records text",
);

/** Replaces the traces of these identities. One without text is deleted. */
export async function replaceTraces(
  on: WriteTransaction,
  place: TracePlace,
  traces: readonly { readonly identity: string; readonly held: Omit<HeldTrace, "identity"> | undefined }[],
): Promise<void> {
  const names = on.dialect.among(
    raw("identity"),
    traces.map(({ identity }) => identity),
  );
  await on.run(sql`DELETE FROM person_trace WHERE ${joinAnd([matchPlace(place), names])}`);
  const { ownerNo, connectionNo, streamNo } = place;
  const rows = traces.flatMap(({ identity, held }) =>
    held === undefined ? [] : [[ownerNo, connectionNo, streamNo, identity, held.trace, held.records]],
  );
  if (rows.length > 0) await on.insert("person_trace", columns, rows);
}

/** A page of an owner's traces, by identity. An identity is never split between two pages. */
export async function listTraces(
  on: ReadTransaction,
  ownerNo: number,
  after: string,
  limit: number,
): Promise<TraceRow[]> {
  const identities = sql`SELECT DISTINCT identity FROM person_trace WHERE owner_no = ${ownerNo} AND identity > ${after}
    ORDER BY identity ${limitRows(limit)}`;
  return on.all<TraceRow>(sql`SELECT connection_no AS "connectionNo", stream_no AS "streamNo", identity, trace
    FROM person_trace WHERE owner_no = ${ownerNo} AND identity IN (${identities}) ORDER BY identity, connection_no, stream_no`);
}

export const listTraceRecords = (
  on: ReadTransaction,
  ownerNo: number,
  identities: readonly string[],
): Promise<{ readonly connectionNo: number; readonly streamNo: number; readonly records: string }[]> =>
  on.all(sql`SELECT connection_no AS "connectionNo", stream_no AS "streamNo", records FROM person_trace
    WHERE ${joinAnd([sql`owner_no = ${ownerNo}`, on.dialect.among(raw("identity"), identities)])}`);
