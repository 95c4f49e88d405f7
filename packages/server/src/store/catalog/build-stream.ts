import type { StreamDeclaration } from "@pdpp/contract/declaration";
import { parseStoredManifest } from "@pdpp/contract/manifest";
import type { WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { raw, sql } from "../engine/sql.ts";
import { dropIndex, listBlobTextFields, listSearchableFields, type SearchPlan } from "../search/indexing.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import type { CatalogStream } from "./catalog.ts";
import {
  type ConnectorRow,
  decodeColumnPlan,
  decodeSearchPlan,
  incrementCatalogRevision,
  listSearchPlans,
  type StreamRow,
} from "./catalog-rows.ts";
import { type FieldColumns, planIndexes, tableName } from "./layout.ts";

/**
 * The indexes of a stream are created with its first record: creating them for a manifest with hundreds of streams would take
 * minutes, and most streams never get a record.
 */

export async function buildStream(on: WriteTransaction, stream: CatalogStream): Promise<CatalogStream> {
  const { streamNo, connectorKey, declaration } = stream;
  // A concurrent writer waits here, and then finds the indexes built.
  const isFirst =
    (await on.run(sql`UPDATE stream SET is_built = 1 WHERE stream_no = ${streamNo} AND is_built = 0`)) > 0;
  const row = await loadStreamRow(on, streamNo);
  if (!isFirst)
    return {
      ...stream,
      isBuilt: true,
      activeSearchPlan: decodeSearchPlan(row.search),
      searchPlans: listSearchPlans(row),
    };
  const plan = await planSearchIndex(on, row, declaration);
  const indexes = await createIndexes(on, row, declaration, decodeColumnPlan(row.columns).fields);
  const search = plan === null ? null : JSON.stringify(plan);
  await on.run(sql`UPDATE stream SET indexes = ${JSON.stringify(indexes)}, search = ${search}
    WHERE stream_no = ${streamNo}`);
  const connector = await on.one<ConnectorRow>(sql`SELECT * FROM connector WHERE connector_key = ${connectorKey}`);
  const pending = connector?.pending_manifest ?? null;
  const later =
    pending === null ? undefined : parseStoredManifest(pending).streams.find((s) => s.name === declaration.name);
  if (later !== undefined) await planSearch(on, { ...row, search }, later);
  await incrementCatalogRevision(on);
  return {
    ...stream,
    isBuilt: true,
    activeSearchPlan: plan,
    searchPlans: listSearchPlans(await loadStreamRow(on, streamNo)),
  };
}

async function loadStreamRow(on: WriteTransaction, streamNo: number): Promise<StreamRow> {
  const row = await on.one<StreamRow>(sql`SELECT * FROM stream WHERE stream_no = ${streamNo}`);
  if (row === undefined) throw new Error(`stream ${streamNo} is not in the catalog`);
  return row;
}

export async function createIndexes(
  on: WriteTransaction,
  row: StreamRow,
  stream: StreamDeclaration,
  columns: FieldColumns,
): Promise<string[]> {
  const wanted = planIndexes(row.stream_no, stream, columns);
  const names = wanted.map(({ name }) => name);
  const held = parseStoredJson<string[]>(row.indexes);
  const missing = wanted.filter(({ name }) => !held.includes(name));
  const unneeded = held.filter((name) => !names.includes(name));
  for (const name of unneeded) await on.run(raw(`DROP INDEX IF EXISTS ${name}`));
  for (const { create } of missing) await on.run(raw(create));
  if (missing.length + unneeded.length > 0) {
    for (const statement of on.dialect.plannerStatistics(tableName(row.stream_no), wanted)) await on.run(statement);
  }
  return names;
}

/** Plans the word index that a stream needs. Returns whether it must be filled. */
export async function planSearch(on: WriteTransaction, row: StreamRow, stream: StreamDeclaration): Promise<boolean> {
  const plan = await planSearchIndex(on, row, stream);
  await on.run(
    sql`UPDATE stream SET pending_search = ${plan === null ? null : JSON.stringify(plan)} WHERE stream_no = ${row.stream_no}`,
  );
  const abandoned = decodeSearchPlan(row.pending_search);
  if (abandoned !== null && abandoned.name !== plan?.name && abandoned.name !== decodeSearchPlan(row.search)?.name) {
    await dropSearch(on, row, abandoned);
  }
  return plan !== null && !listSearchPlans(row).some(({ name }) => name === plan.name);
}

async function planSearchIndex(
  on: WriteTransaction,
  row: StreamRow,
  stream: StreamDeclaration,
): Promise<SearchPlan | null> {
  const fields = listSearchableFields(stream);
  const blobFields = listBlobTextFields(stream);
  if (fields.length + blobFields.length === 0) return null;
  const inUse = decodeSearchPlan(row.search);
  const isSame = (a: readonly string[], b: readonly string[] = []) => JSON.stringify(a) === JSON.stringify(b);
  if (inUse !== null && isSame(fields, inUse.fields) && isSame(blobFields, inUse.blobFields)) return inUse;
  // Each manifest starts a new index. A partially filled one cannot be continued: it would contain records twice.
  const ofBlobs = blobFields.length === 0 ? {} : { blobFields };
  const since = await loadNextVersions(on, row.stream_no);
  return { name: chooseIndexName(row.stream_no, listSearchPlans(row)), fields, ...ofBlobs, since };
}

async function loadNextVersions(on: WriteTransaction, streamNo: number): Promise<Record<number, number>> {
  const rows = await on.all<{ owner_no: number; next_version: number }>(sql`SELECT owner_no, next_version FROM owner
    WHERE owner_no IN (SELECT owner_no FROM stream_stats WHERE stream_no = ${streamNo})`);
  return Object.fromEntries(rows.map(({ owner_no, next_version }) => [owner_no, next_version]));
}

export async function dropSearch(on: WriteTransaction, row: StreamRow, plan: SearchPlan): Promise<void> {
  await dropIndex(on, plan);
  await noteWordsRemoved(on, row.stream_no);
}

function chooseIndexName(streamNo: number, held: readonly SearchPlan[]): string {
  const last = Math.max(0, ...held.map(({ name }) => Number(name.split("_").at(-1))));
  return `s_${streamNo}_${last + 1}`;
}
