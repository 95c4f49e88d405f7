import type { ConnectorDeclaration, JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { compileRecordCheck, parseManifest } from "@pdpp/contract/manifest";
import { forgetBlobUses, noteBlobUses } from "./blob-uses.ts";
import type { Dialect, Engine, Reading, Writing } from "./engine.ts";
import { holdOwners } from "./hold-owner.ts";
import {
  asColumns,
  type ColumnPlan,
  columnValues,
  createTable,
  type FieldColumn,
  type FieldColumns,
  fixedColumns,
  planColumns,
  planIndexes,
  tableName,
  type WrittenColumn,
  writtenColumns,
} from "./layout.ts";
import { type SearchPlan, searchableFields } from "./search-index.ts";
import { addDocuments } from "./search-words.ts";
import { raw, type SqlValue, sql } from "./sql.ts";

/** The registered connectors, and where their streams are stored. */

export interface CatalogStream {
  readonly streamNo: number;
  readonly connectorKey: string;
  readonly declaration: StreamDeclaration;
  readonly columns: FieldColumns;
  /** What is written with each record: the columns in use, and those that a newer manifest is waiting for. */
  readonly written: readonly WrittenColumn[];
  /** The fields that hold blob references, those included that a newer manifest waits for. */
  readonly blobFields: readonly string[];
  /** The word index in use, if any field is searchable. */
  readonly search: SearchPlan | null;
  /** The word indexes that are written with each record: the one in use, and one that a newer manifest waits for. */
  readonly indexed: readonly SearchPlan[];
  /** Why a record's data breaks the declared schema, or null. */
  check(data: JsonObject): string | null;
}

export interface CatalogConnector {
  readonly declaration: ConnectorDeclaration;
  readonly streams: ReadonlyMap<string, CatalogStream>;
  readonly registeredAt: number;
  /** A newer manifest waits for its columns to be filled. */
  readonly reindexing?: { readonly done: number; readonly total: number };
}

export interface Catalog {
  readonly revision: number;
  readonly connectors: ReadonlyMap<string, CatalogConnector>;
}

interface ConnectorRow {
  connector_key: string;
  manifest: string;
  registered_at: number;
  pending_manifest: string | null;
  reindex_total: number | null;
  reindex_done: number | null;
}
interface StreamRow {
  stream_no: number;
  connector_key: string;
  name: string;
  columns: string;
  pending_columns: string | null;
  indexes: string;
  search: string | null;
  pending_search: string | null;
  reindex_after: string | null;
}

const reindexBatch = 500;

export async function catalogRevision(on: Reading): Promise<number> {
  const row = await on.one<{ value: string }>(sql`SELECT value FROM meta WHERE name = 'catalog_revision'`);
  return Number(row?.value ?? 0);
}

const bumpRevision = (on: Writing) =>
  on.run(raw("UPDATE meta SET value = CAST(CAST(value AS integer) + 1 AS text) WHERE name = 'catalog_revision'"));

export async function loadCatalog(on: Reading): Promise<Catalog> {
  const revision = await catalogRevision(on);
  const streamRows = await on.all<StreamRow>(raw("SELECT * FROM stream ORDER BY stream_no"));
  const connectorRows = await on.all<ConnectorRow>(raw("SELECT * FROM connector ORDER BY connector_key"));
  return {
    revision,
    connectors: new Map(connectorRows.map((row) => [row.connector_key, connectorFrom(row, streamRows)])),
  };
}

function connectorFrom(row: ConnectorRow, streamRows: readonly StreamRow[]): CatalogConnector {
  const declaration = parseManifest(JSON.parse(row.manifest));
  const blobFields = blobFieldsIn(row);
  const streams = new Map<string, CatalogStream>();
  for (const stream of declaration.streams) {
    const stored = streamRows.find((s) => s.connector_key === row.connector_key && s.name === stream.name);
    if (stored) streams.set(stream.name, catalogStream(stored, row.connector_key, stream, blobFields(stream.name)));
  }
  return {
    declaration,
    streams,
    registeredAt: row.registered_at,
    ...(row.pending_manifest === null
      ? {}
      : { reindexing: { done: row.reindex_done ?? 0, total: row.reindex_total ?? 0 } }),
  };
}

/** By stream: the fields that the manifest in use, or the one that waits, declares to hold blob references. */
function blobFieldsIn({ manifest, pending_manifest }: ConnectorRow): (stream: string) => string[] {
  const said = [manifest, ...(pending_manifest === null ? [] : [pending_manifest])];
  const streams = said.flatMap((text) => parseManifest(JSON.parse(text)).streams);
  return (stream) => [
    ...new Set(
      streams
        .filter(({ name }) => name === stream)
        .flatMap((s) => s.fields.filter(({ blob }) => blob).map(({ name }) => name)),
    ),
  ];
}

function catalogStream(
  row: StreamRow,
  connectorKey: string,
  declaration: StreamDeclaration,
  blobFields: string[],
): CatalogStream {
  const columns = readPlan(row.columns).fields;
  const pending = row.pending_columns === null ? new Map() : readPlan(row.pending_columns).fields;
  let check: ((data: JsonObject) => string | null) | undefined;
  return {
    streamNo: row.stream_no,
    connectorKey,
    declaration,
    columns,
    written: writtenColumns(columns, pending),
    search: readSearch(row.search),
    indexed: searchPlans(row),
    blobFields,
    check: (data) => {
      check ??= compileRecordCheck(declaration);
      return check(data);
    },
  };
}

function readPlan(text: string): ColumnPlan {
  const { fields, next } = JSON.parse(text) as { fields: [string, FieldColumn][]; next: number };
  return { fields: new Map(fields), next };
}
const readSearch = (text: string | null): SearchPlan | null =>
  text === null ? null : (JSON.parse(text) as SearchPlan);

/** Distinct plans: the pending one may be the one in use. */
function searchPlans({ search, pending_search }: StreamRow): SearchPlan[] {
  const plans = [readSearch(search), readSearch(pending_search)].filter((plan) => plan !== null);
  return [...new Map(plans.map((plan) => [plan.name, plan])).values()];
}

const writePlan = (plan: ColumnPlan): string => JSON.stringify({ fields: [...plan.fields], next: plan.next });

/**
 * Registers a connector, or a new manifest of one. A new manifest that needs columns filled is kept aside until `reindex` has
 * filled them; until then the old one answers, so no read ever sees a half-built index.
 */
export async function registerConnector(engine: Engine, declaration: ConnectorDeclaration, now: number): Promise<void> {
  const key = declaration.connectorKey;
  const manifest = JSON.stringify(declaration.manifest);
  await engine.write(async (on) => {
    await holdOwners(on);
    const held = await on.one<ConnectorRow>(sql`SELECT * FROM connector WHERE connector_key = ${key}`);
    if (held?.manifest === manifest && held.pending_manifest === null) return;
    let backlog = 0;
    for (const stream of declaration.streams) backlog += await layOut(on, engine, key, stream, held);
    if (held === undefined) {
      await on.run(
        sql`INSERT INTO connector (connector_key, manifest, registered_at) VALUES (${key}, ${manifest}, ${now})`,
      );
    } else {
      await on.run(sql`UPDATE connector SET pending_manifest = ${manifest}, reindex_total = ${backlog}, reindex_done = 0
        WHERE connector_key = ${key}`);
    }
    if (backlog === 0) await activate(on, engine.dialect, key);
    await bumpRevision(on);
  });
}

/** Makes the table and columns a stream needs; answers how many stored records have columns to be filled. */
async function layOut(
  on: Writing,
  engine: Engine,
  connectorKey: string,
  stream: StreamDeclaration,
  connector: ConnectorRow | undefined,
): Promise<number> {
  const row = await on.one<StreamRow>(
    sql`SELECT * FROM stream WHERE connector_key = ${connectorKey} AND name = ${stream.name}`,
  );
  if (row === undefined) {
    const plan = planColumns(stream, { fields: new Map(), next: 1 });
    await on.run(sql`INSERT INTO stream (connector_key, name, columns, indexes)
      VALUES (${connectorKey}, ${stream.name}, ${writePlan(plan)}, '[]')`);
    const made = await on.one<StreamRow>(
      sql`SELECT * FROM stream WHERE connector_key = ${connectorKey} AND name = ${stream.name}`,
    );
    await on.run(raw(createTable(engine.dialect, made!.stream_no, plan.fields)));
    await planSearch(on, engine.dialect, made!, stream);
    return 0;
  }
  const count = await on.one<{ n: number | null }>(
    sql`SELECT CAST(SUM(record_count) AS ${raw(engine.dialect.types.integer)}) AS n FROM stream_stats WHERE stream_no = ${row.stream_no}`,
  );
  const records = count?.n ?? 0;
  refuseNewIdentity(connector, stream, records);
  const before = readPlan(row.pending_columns ?? row.columns);
  const plan = planColumns(stream, before);
  const held = writtenColumns(readPlan(row.columns).fields, before.fields).map(({ column }) => column);
  const added = asColumns(writtenColumns(plan.fields)).filter(({ name }) => !held.includes(name));
  for (const { name, type } of added) {
    await on.run(raw(`ALTER TABLE ${tableName(row.stream_no)} ADD COLUMN ${name} ${engine.dialect.types[type]}`));
  }
  const followed = connector === undefined ? [] : blobFieldsIn(connector)(stream.name);
  const unfollowed = stream.fields.some(({ blob, name }) => blob && !followed.includes(name));
  const unsearched = await planSearch(on, engine.dialect, row, stream);
  const backlog = added.length > 0 || unfollowed || unsearched || row.pending_columns !== null ? records : 0;
  await on.run(sql`UPDATE stream SET pending_columns = ${writePlan(plan)}, reindex_after = ${backlog > 0 ? "" : null}
    WHERE stream_no = ${row.stream_no}`);
  return backlog;
}

/** Makes the word index a stream needs, if it has none of these fields yet; answers whether there is one to be filled. */
async function planSearch(on: Writing, dialect: Dialect, row: StreamRow, stream: StreamDeclaration): Promise<boolean> {
  const fields = searchableFields(stream);
  const held = searchPlans(row);
  const same = held.find((plan) => JSON.stringify(plan.fields) === JSON.stringify(fields));
  const plan = fields.length === 0 ? null : (same ?? { name: nextName(row.stream_no, held), fields });
  if (plan !== null && same === undefined) for (const statement of dialect.search.create(plan)) await on.run(statement);
  await on.run(
    sql`UPDATE stream SET pending_search = ${plan === null ? null : JSON.stringify(plan)} WHERE stream_no = ${row.stream_no}`,
  );
  const abandoned = readSearch(row.pending_search);
  if (abandoned !== null && abandoned.name !== plan?.name && abandoned.name !== readSearch(row.search)?.name) {
    for (const statement of dialect.search.drop(abandoned)) await on.run(statement);
  }
  return plan !== null && same === undefined;
}

function nextName(streamNo: number, held: readonly SearchPlan[]): string {
  const last = Math.max(0, ...held.map(({ name }) => Number(name.split("_").at(-1))));
  return `s_${streamNo}_${last + 1}`;
}

function refuseNewIdentity(connector: ConnectorRow | undefined, stream: StreamDeclaration, records: number): void {
  if (connector === undefined || records === 0) return;
  const before = parseManifest(JSON.parse(connector.manifest)).streams.find((s) => s.name === stream.name);
  if (before && before.primaryKey.join("\n") !== stream.primaryKey.join("\n")) {
    throw new PdppError(
      "connector_conflict",
      `stream ${stream.name} holds ${records} records under primary key ${before.primaryKey.join(", ")}, so the key cannot ` +
        `change to ${stream.primaryKey.join(", ")}; give the stream a new name, or delete its records first`,
    );
  }
}

/** The pending manifest takes over: its indexes are made, indexes nobody needs are dropped. */
async function activate(on: Writing, dialect: Dialect, connectorKey: string): Promise<void> {
  await on.run(sql`UPDATE connector SET manifest = COALESCE(pending_manifest, manifest), pending_manifest = NULL,
    reindex_total = NULL, reindex_done = NULL WHERE connector_key = ${connectorKey}`);
  const held = await on.one<ConnectorRow>(sql`SELECT * FROM connector WHERE connector_key = ${connectorKey}`);
  const rows = await on.all<StreamRow>(sql`SELECT * FROM stream WHERE connector_key = ${connectorKey}`);
  for (const stream of parseManifest(JSON.parse(held!.manifest)).streams) {
    const row = rows.find((r) => r.name === stream.name)!;
    const plan = readPlan(row.pending_columns ?? row.columns);
    const wanted = planIndexes(row.stream_no, stream, plan.fields);
    const names = wanted.map(({ name }) => name);
    for (const name of JSON.parse(row.indexes) as string[]) {
      if (!names.includes(name)) await on.run(raw(`DROP INDEX IF EXISTS ${name}`));
    }
    for (const { create } of wanted) await on.run(raw(create));
    for (const statement of dialect.expectations(tableName(row.stream_no), wanted)) await on.run(statement);
    const old = readSearch(row.search);
    if (old !== null && old.name !== readSearch(row.pending_search)?.name) {
      for (const statement of dialect.search.drop(old)) await on.run(statement);
    }
    await on.run(sql`UPDATE stream SET columns = ${writePlan(plan)}, pending_columns = NULL, reindex_after = NULL,
      search = pending_search, pending_search = NULL, indexes = ${JSON.stringify(names)} WHERE stream_no = ${row.stream_no}`);
  }
}

/** Fills the columns of one batch of records; answers null when nothing is left to fill. Any number of processes may call it. */
export async function reindexStep(
  engine: Engine,
  connectorKey: string,
): Promise<{ done: number; total: number } | null> {
  return engine.write(async (on) => {
    await holdOwners(on);
    const connector = await on.one<ConnectorRow>(
      sql`SELECT * FROM connector WHERE connector_key = ${connectorKey} AND pending_manifest IS NOT NULL`,
    );
    if (connector === undefined) return null;
    const row = await on.one<StreamRow>(sql`SELECT * FROM stream WHERE connector_key = ${connectorKey}
      AND reindex_after IS NOT NULL ORDER BY stream_no LIMIT 1`);
    if (row === undefined) {
      await activate(on, engine.dialect, connectorKey);
      await bumpRevision(on);
      return null;
    }
    const { filled, after } = await fillColumns(on, engine.dialect, row, blobFieldsIn(connector)(row.name));
    await on.run(sql`UPDATE stream SET reindex_after = ${after} WHERE stream_no = ${row.stream_no}`);
    await on.run(
      sql`UPDATE connector SET reindex_done = reindex_done + ${filled} WHERE connector_key = ${connectorKey}`,
    );
    return { done: (connector.reindex_done ?? 0) + filled, total: connector.reindex_total ?? 0 };
  });
}

async function fillColumns(
  on: Writing,
  dialect: Dialect,
  row: StreamRow,
  blobFields: readonly string[],
): Promise<{ filled: number; after: string | null }> {
  const table = tableName(row.stream_no);
  const written = writtenColumns(readPlan(row.columns).fields, readPlan(row.pending_columns ?? row.columns).fields);
  const [owner, connection, key] = row.reindex_after
    ? (JSON.parse(row.reindex_after) as [number, number, string])
    : [0, 0, ""];
  const records = await on.all<Record<string, SqlValue>>(
    sql`SELECT ${raw(fixedColumns.map(({ name }) => name).join(", "))} FROM ${raw(table)}
      WHERE (owner_no, connection_no, key) > (${owner}, ${connection}, ${key})
      ORDER BY owner_no, connection_no, key LIMIT ${reindexBatch}`,
  );
  const last = records.at(-1);
  if (last === undefined) return { filled: 0, after: null };
  await on.run(sql`DELETE FROM ${raw(table)} WHERE (owner_no, connection_no, key) > (${owner}, ${connection}, ${key})
    AND (owner_no, connection_no, key) <= (${last.owner_no!}, ${last.connection_no!}, ${last.key!})`);
  await on.insert(
    table,
    [...fixedColumns, ...asColumns(written)],
    records.map((record) => [
      ...fixedColumns.map(({ name }) => record[name]!),
      ...columnValues(written, JSON.parse(record.data as string) as JsonObject),
    ]),
  );
  if (blobFields.length > 0) await followBlobs(on, dialect, row.stream_no, blobFields, records);
  await indexWords(on, dialect, row, records);
  return { filled: records.length, after: JSON.stringify([last.owner_no, last.connection_no, last.key]) };
}

/** Words of old records go into an index that a newer manifest waits for; those written meanwhile may be there already. */
async function indexWords(
  on: Writing,
  dialect: Dialect,
  row: StreamRow,
  records: readonly Record<string, SqlValue>[],
): Promise<void> {
  const plan = readSearch(row.pending_search);
  if (plan === null || plan.name === readSearch(row.search)?.name) return;
  const documents = records.map((record) => ({
    ownerNo: record.owner_no as number,
    connectionNo: record.connection_no as number,
    doc: record.version as number,
    data: JSON.parse(record.data as string) as JsonObject,
  }));
  for (const group of Map.groupBy(documents, ({ ownerNo }) => ownerNo).values()) {
    await dialect.search.remove(on, plan, group[0]!.ownerNo, group.map(({ doc }) => doc)); // biome-ignore format: one call
  }
  await addDocuments(on, dialect, plan, documents);
}

async function followBlobs(
  on: Writing,
  dialect: Dialect,
  streamNo: number,
  fields: readonly string[],
  records: readonly Record<string, SqlValue>[],
): Promise<void> {
  const users = records.map((record) => ({
    ownerNo: record.owner_no as number,
    connectionNo: record.connection_no as number,
    key: record.key as string,
    data: JSON.parse(record.data as string) as JsonObject,
  }));
  for (const group of Map.groupBy(users, ({ ownerNo, connectionNo }) => `${ownerNo} ${connectionNo}`).values()) {
    await forgetBlobUses(
      on,
      dialect,
      streamNo,
      group[0]!,
      group.map(({ key }) => key),
    );
  }
  await noteBlobUses(on, streamNo, fields, users);
}
