import type { ConnectorDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { parseManifest } from "@pdpp/contract/manifest";
import type { Dialect, Engine, Writing } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { type SearchPlan, searchableFields } from "../search/search-index.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import {
  blobFieldsIn,
  bumpRevision,
  type ConnectorRow,
  readPlan,
  readSearch,
  type StreamRow,
  searchPlans,
  writePlan,
} from "./catalog-rows.ts";
import { holdOwners } from "./hold-owner.ts";
import { asColumns, createTable, planColumns, planIndexes, tableName, writtenColumns } from "./layout.ts";

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
    await noteWordsRemoved(on, row.stream_no);
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
export async function activate(on: Writing, dialect: Dialect, connectorKey: string): Promise<void> {
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
      await noteWordsRemoved(on, row.stream_no);
    }
    await on.run(sql`UPDATE stream SET columns = ${writePlan(plan)}, pending_columns = NULL, reindex_after = NULL,
      search = pending_search, pending_search = NULL, indexes = ${JSON.stringify(names)} WHERE stream_no = ${row.stream_no}`);
  }
}
