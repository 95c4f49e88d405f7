import type { JsonObject } from "@pdpp/contract/declaration";
import type { Catalog, CatalogStream } from "#server/store/catalog/catalog";
import { encodeColumnValues, tableName } from "#server/store/catalog/layout";
import type { ReadTransaction } from "#server/store/engine/engine";
import { toIndexText } from "#server/store/engine/index-text";
import { raw, sql } from "#server/store/engine/sql";
import { createOutline, maxWholeRecordUnits } from "#server/store/records/long-text";
import type { Store } from "#server/store/store";
import { findWordFaults } from "./word-index-faults.ts";

interface RecordRow {
  owner_no: number;
  connection_no: number;
  key: string;
  long_key: string | null;
  version: number;
  revision: number;
  data: string;
  [column: string]: string | number | null;
}
interface HistoryRow {
  connection_no: number;
  key: string;
  version: number;
  revision: number;
  until_version: number | null;
  ended_at: number | null;
  deleted_at: number | null;
  data: string | null;
}
interface StatsRow {
  connection_no: number;
  record_count: number;
  tombstones: number;
}

/** Checks the invariants of a vault. Returns the violations. */
export async function findIntegrityFaults(store: Store): Promise<string[]> {
  return store.engine.read(async (on) => {
    const catalog: Catalog = await store.catalog(on);
    const owner = await on.one<{ next_version: number; pruned_version: number }>(
      sql`SELECT * FROM owner WHERE owner_no = 1`,
    );
    const faults: string[] = [];
    for (const { streams } of catalog.connectors.values()) {
      for (const stream of streams.values()) faults.push(...(await findStreamFaults(on, stream, owner!)));
    }
    return faults;
  });
}

async function findStreamFaults(
  on: ReadTransaction,
  stream: CatalogStream,
  owner: { next_version: number; pruned_version: number },
) {
  const rows = await on.all<RecordRow>(raw(`SELECT * FROM ${tableName(stream.streamNo)}`));
  const history = await on.all<HistoryRow>(
    sql`SELECT * FROM record_history WHERE stream_no = ${stream.streamNo} ORDER BY version`,
  );
  const stats = await on.all<StatsRow>(sql`SELECT * FROM stream_stats WHERE stream_no = ${stream.streamNo}`);
  const formatFault = (fault: string) => `${stream.declaration.name}: ${fault}`;
  return [
    ...rows.flatMap((row) => findRecordFaults(stream, row)),
    ...findCountFaults(rows, history, stats),
    ...findHistoryFaults(rows, history, owner),
    ...(await findLongTextFaults(on, stream, rows, history)),
    ...(await findWordFaults(on, stream)),
  ].map(formatFault);
}

function findRecordFaults(stream: CatalogStream, row: RecordRow): string[] {
  const data = JSON.parse(row.data) as JsonObject;
  const faults: string[] = [];
  if (row.long_key !== null && toIndexText(row.long_key) !== row.key)
    faults.push(`${row.key} is not the form of its long key`);
  encodeColumnValues(stream.writtenColumns, data).forEach((value, i) => {
    const { column, field } = stream.writtenColumns[i]!;
    if (row[column] !== value) faults.push(`${row.key}: ${column} holds ${row[column]}, but ${field} is ${value}`);
  });
  return faults;
}

/** Every version with long texts must have chunks, and no other may. */
async function findLongTextFaults(
  on: ReadTransaction,
  stream: CatalogStream,
  rows: readonly RecordRow[],
  history: readonly HistoryRow[],
): Promise<string[]> {
  const held = await on.all<{ version: number; outline: string }>(
    sql`SELECT version, outline FROM long_record WHERE stream_no = ${stream.streamNo}`,
  );
  const outlines = new Map(held.map(({ version, outline }) => [version, outline]));
  const faults: string[] = [];
  for (const { key, version, data } of [...rows, ...history]) {
    if (data === null || data.length <= maxWholeRecordUnits) continue;
    const { outline, texts } = createOutline(JSON.parse(data) as JsonObject);
    if (texts.length === 0) continue;
    if (outlines.get(version) !== JSON.stringify(outline)) faults.push(`${key}: version ${version} lacks its outline`);
    outlines.delete(version);
    const chunks = await on.all<{ text_no: number; chars: string }>(
      sql`SELECT text_no, chars FROM long_text WHERE version = ${version} ORDER BY text_no, n`,
    );
    const joined = texts.map((_, n) => chunks.filter(({ text_no }) => text_no === n).map(({ chars }) => chars));
    if (joined.some((parts, n) => parts.join("") !== texts[n]))
      faults.push(`${key}: version ${version} has other chunks`);
  }
  for (const version of outlines.keys()) faults.push(`version ${version} has an outline and no record`);
  return faults;
}

function findCountFaults(
  rows: readonly RecordRow[],
  history: readonly HistoryRow[],
  stats: readonly StatsRow[],
): string[] {
  const connections = new Set([...rows, ...history, ...stats].map((row) => row.connection_no));
  return [...connections].flatMap((no) => {
    const filterConnection = <T extends { connection_no: number }>(all: readonly T[]) =>
      all.filter((row) => row.connection_no === no);
    const said = filterConnection(stats)[0];
    const tombstones = filterConnection(history).filter((row) => row.until_version === null).length;
    return said?.record_count === filterConnection(rows).length && said.tombstones === tombstones
      ? []
      : [
          `connection ${no} says ${said?.record_count}/${said?.tombstones}, has ${filterConnection(rows).length}/${tombstones}`,
        ];
  });
}

interface State {
  version: number;
  revision: number;
  until: number | null;
  deleted: boolean;
}

/** The states of a record must follow each other without gaps or overlaps, and end in the current record or a tombstone. */
function findHistoryFaults(
  rows: readonly RecordRow[],
  history: readonly HistoryRow[],
  owner: { next_version: number; pruned_version: number },
): string[] {
  const states = new Map<string, State[]>();
  const note = (row: { connection_no: number; key: string }, state: State) => {
    const place = `${row.connection_no} ${row.key}`;
    states.set(place, [...(states.get(place) ?? []), state]);
  };
  for (const row of history) note(row, { ...row, until: row.until_version, deleted: row.deleted_at !== null });
  for (const row of rows) note(row, { version: row.version, revision: row.revision, until: null, deleted: false });
  const faults: string[] = [];
  for (const row of history) {
    if ((row.data === null) !== (row.deleted_at !== null))
      faults.push(`${row.key}: a state is neither data nor tombstone`);
    if ((row.until_version === null) !== (row.ended_at === null))
      faults.push(`${row.key}: a state ended at no version`);
    if (row.data !== null) JSON.parse(row.data);
  }
  for (const [place, list] of states) {
    list.sort((a, b) => a.version - b.version);
    list.forEach((state, i) => {
      const next = list[i + 1];
      if (state.until !== (next?.version ?? null))
        faults.push(`${place}: ${state.version} lasts until ${state.until}, then ${next?.version}`);
      if (next && next.revision !== state.revision + 1)
        faults.push(`${place}: revision ${next.revision} after ${state.revision}`);
      if (state.version >= owner.next_version) faults.push(`${place}: version ${state.version} was never given out`);
    });
    if (list[0]!.revision !== 1 && owner.pruned_version === 0)
      faults.push(`${place}: begins with revision ${list[0]!.revision}`);
  }
  const versions = [...states.values()].flat().map(({ version }) => version);
  if (new Set(versions).size !== versions.length) faults.push("two states have one version");
  return faults;
}
