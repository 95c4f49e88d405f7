import type { ConnectorDeclaration, JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { compileRecordCheck, parseStoredManifest, type RecordFault } from "@pdpp/contract/manifest";
import { type ReadTransaction, requireRow } from "../engine/engine.ts";
import { checkSchema } from "../engine/migrate.ts";
import { raw, sql } from "../engine/sql.ts";
import type { SearchPlan } from "../search/indexing.ts";
import {
  type ConnectorRow,
  collectBlobFields,
  decodeColumnPlan,
  decodeSearchPlan,
  getReindexProgress,
  listSearchPlans,
  type StreamRow,
} from "./catalog-rows.ts";
import { type FieldColumns, listWrittenColumns, type WrittenColumn } from "./layout.ts";

export interface CatalogStream {
  readonly streamNo: number;
  readonly connectorKey: string;
  readonly declaration: StreamDeclaration;
  readonly columns: FieldColumns;
  /** The columns written with each record: the active ones, and those of a pending manifest. */
  readonly writtenColumns: readonly WrittenColumn[];
  /** The fields that hold blob references, including those of a pending manifest. */
  readonly blobFields: readonly string[];
  readonly isBuilt: boolean;
  /** The word index that searches use, if any field is searchable and the stream has had a record. */
  readonly activeSearchPlan: SearchPlan | null;
  /** The word indexes that writes update: the active one, and that of a pending manifest. */
  readonly searchPlans: readonly SearchPlan[];
  /** Returns why a record does not match the declared schema, or null. */
  check(data: JsonObject): RecordFault | null;
}

export interface CatalogConnector {
  readonly declaration: ConnectorDeclaration;
  readonly streams: ReadonlyMap<string, CatalogStream>;
  readonly registeredAt: number;
  /** A new manifest is pending until its columns are filled. */
  readonly reindexing?: { readonly done: number; readonly total: number };
}

export interface Catalog {
  readonly revision: number;
  readonly connectors: ReadonlyMap<string, CatalogConnector>;
}

export async function loadCatalogRevision(on: ReadTransaction): Promise<number> {
  const row = await requireRow<{ value: string }>(on, sql`SELECT value FROM meta WHERE name = 'catalog_revision'`);
  return Number(row.value);
}

export async function loadCatalog(on: ReadTransaction): Promise<Catalog> {
  await checkSchema(on);
  const revision = await loadCatalogRevision(on);
  const streamRows = await on.all<StreamRow>(raw("SELECT * FROM stream ORDER BY stream_no"));
  const connectorRows = await on.all<ConnectorRow>(raw("SELECT * FROM connector ORDER BY connector_key"));
  const rowsOf = Map.groupBy(streamRows, (row) => row.connector_key);
  return {
    revision,
    connectors: new Map(
      connectorRows.map((row) => [row.connector_key, decodeConnector(row, rowsOf.get(row.connector_key) ?? [])]),
    ),
  };
}

function decodeConnector(row: ConnectorRow, streamRows: readonly StreamRow[]): CatalogConnector {
  const declaration = parseStoredManifest(row.manifest);
  const blobFields = collectBlobFields(row);
  const streams = new Map<string, CatalogStream>();
  const rows = new Map(streamRows.map((stored) => [stored.name, stored]));
  for (const stream of declaration.streams) {
    const stored = rows.get(stream.name);
    if (stored) streams.set(stream.name, decodeStream(stored, row.connector_key, stream, blobFields(stream.name)));
  }
  return {
    declaration,
    streams,
    registeredAt: row.registered_at,
    ...(row.pending_manifest === null ? {} : { reindexing: getReindexProgress(row) }),
  };
}

function decodeStream(
  row: StreamRow,
  connectorKey: string,
  declaration: StreamDeclaration,
  blobFields: string[],
): CatalogStream {
  const columns = decodeColumnPlan(row.columns).fields;
  const pending = row.pending_columns === null ? new Map() : decodeColumnPlan(row.pending_columns).fields;
  let check: ((data: JsonObject) => RecordFault | null) | undefined;
  return {
    streamNo: row.stream_no,
    connectorKey,
    declaration,
    columns,
    writtenColumns: listWrittenColumns(columns, pending),
    isBuilt: row.is_built === 1,
    activeSearchPlan: decodeSearchPlan(row.search),
    searchPlans: listSearchPlans(row),
    blobFields,
    check: (data) => {
      check ??= compileRecordCheck(declaration);
      return check(data);
    },
  };
}
