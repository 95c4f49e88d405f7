import { buildUrl } from "@pdpp/contract/address";
import {
  type FieldAggregation,
  type FieldDeclaration,
  fieldAggregations,
  type JsonObject,
  type Relationship,
  type StreamDeclaration,
} from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import { countGrades, type Input, type Output } from "@pdpp/contract/operations";
import type {
  ConnectorList,
  ExpandCapability,
  FieldCapability,
  FullSchema,
  SchemaDocument,
  StreamList,
  StreamMetadata,
} from "@pdpp/contract/wire";
import { createCompactSchema } from "@pdpp/evidence/schema/schema-index";
import { getVisibleDeclaration, type Scope, type StreamScope } from "../../store/access/scope.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import { countRecords, loadStatistics } from "../../store/records/records.ts";
import { defaultLimit, maxLimit, type ReadContext } from "../context.ts";
import { withEnvelope } from "../envelope.ts";
import {
  describeFreshness,
  describeStreamFreshness,
  type FreshnessByConnection,
  loadScopeFreshness,
} from "../freshness.ts";
import { listVisibleRelationships } from "../records/expand.ts";
import { listSortableFields } from "../records/sort-order.ts";
import { describeCandidates, findOneStream, findStreams, getStreams, listCandidates } from "../scope.ts";

export async function readSchema(context: ReadContext, input: Input<"schema">): Promise<SchemaDocument> {
  if (input.detail === "full" && input.stream === undefined) {
    throw new PdppError(
      "invalid_request",
      "detail=full needs a stream, and connection_id when several connections have it; or leave detail out",
      {
        param: "detail",
      },
    );
  }
  const streams =
    input.stream === undefined
      ? getStreams(context.scope, input.connection_id)
      : findStreams(context.scope, input.stream, input.connection_id);
  if (input.detail === "full") refuseSeveralSources(input.stream!, streams);
  const catalog = await context.store.catalog();
  const freshness = await context.store.engine.read((on) => loadScopeFreshness(on, context, streams));
  const document = buildFullSchema(context.scope, streams, catalog, freshness);
  context.disclose({ connectionIds: [], stream: input.stream ?? null, records: 0, versions: [] });
  const compact = input.detail === "compact" || (input.view === "compact" && input.detail !== "full");
  return compact ? createCompactSchema(document) : document;
}

function refuseSeveralSources(name: string, streams: readonly StreamScope[]): void {
  const candidates = listCandidates(streams);
  if (candidates.length < 2) return;
  throw new PdppError(
    "ambiguous_schema_detail",
    `stream ${name} is in several connections; say which with connection_id`,
    {
      param: "connection_id",
      retry_with: "connection_id",
      ...describeCandidates(candidates.map((candidate) => ({ ...candidate, stream: name }))),
    },
  );
}

function buildFullSchema(
  scope: Scope,
  streams: readonly StreamScope[],
  catalog: Catalog,
  freshness: FreshnessByConnection,
): FullSchema {
  return {
    object: "schema",
    bearer: {
      token_kind: scope.tokenKind,
      scope: scope.tokenKind === "owner" ? "owner" : scope.tokenKind === "client" ? "grant" : "package",
      ...(scope.tokenKind === "client" ? { grant_id: scope.grantIds[0] } : {}),
      ...(scope.packageId === undefined ? {} : { grant_package_id: scope.packageId }),
      client_name: scope.client,
    },
    connectors: groupByConnector(streams, catalog).map(({ head, mine }) => ({
      ...head,
      streams: mine.map((stream) => describeStream(scope, stream, freshness)),
    })),
  };
}

function groupByConnector(streams: readonly StreamScope[], catalog: Catalog) {
  const groups = [...Map.groupBy(streams, ({ connectorKey }) => connectorKey)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.flatMap(([key, mine]) => {
    const declaration = catalog.connectors.get(key)?.declaration;
    if (declaration === undefined) return [];
    const head = {
      object: "connector" as const,
      connector_key: key,
      connector_id: declaration.connectorId,
      source: { kind: declaration.sourceKind, id: declaration.connectorId },
      display_name: declaration.displayName,
      version: declaration.version,
      stream_count: mine.length,
    };
    return [{ head, mine }];
  });
}

function describeStream(scope: Scope, stream: StreamScope, freshness: FreshnessByConnection): StreamMetadata {
  const declaration = getVisibleDeclaration(stream);
  const relationships = listVisibleRelationships(scope, stream);
  return {
    object: "stream_metadata",
    name: declaration.name,
    ...(stream.grantId === undefined ? {} : { grant_id: stream.grantId }),
    primary_key: [...declaration.primaryKey],
    cursor_field: declaration.cursorField ?? null,
    sortable_fields: listSortableFields(stream),
    default_order: { field: declaration.cursorField ?? null, direction: "desc" },
    pagination: { cursor: true, default_limit: defaultLimit, max_limit: maxLimit },
    count: [...countGrades],
    consent_time_field: declaration.consentTimeField ?? null,
    semantics: declaration.semantics,
    selection: declaration.selection,
    ...(declaration.description === undefined ? {} : { description: declaration.description }),
    ...(declaration.display === undefined ? {} : { display: declaration.display }),
    schema: declaration.schema,
    query: withExpansions(declaration.query, relationships),
    aggregations: listAggregations(declaration),
    views: declaration.views.map((view) => ({ ...view, fields: [...view.fields] })),
    relationships: relationships.map(({ name, stream: target, foreignKey, cardinality }) => ({
      name,
      stream: target,
      foreign_key: foreignKey,
      cardinality,
    })),
    freshness: describeStreamFreshness(freshness, stream),
    granted_connections: stream.connections.map(({ no, id, label }) => ({
      connection_id: id,
      ...(label === undefined ? {} : { display_name: label }),
      ...(freshness.has(no) ? { freshness: describeFreshness(freshness.get(no)) } : {}),
    })),
    field_capabilities: Object.fromEntries(
      declaration.fields.map((field) => [field.name, describeField(stream, declaration, field)]),
    ),
    expand_capabilities: relationships.flatMap(expandCapability),
  };
}

/** The declared `query`, with the expansions that the scope can follow. */
function withExpansions({ expand, ...query }: JsonObject, relationships: readonly Relationship[]): JsonObject {
  if (!Array.isArray(expand)) return query;
  const names = relationships.map(({ name }) => name);
  const shown = expand.filter((entry) => names.includes(String((entry as JsonObject | null)?.name)));
  return shown.length === 0 ? query : { ...query, expand: shown };
}

/** Groups are counted, so a stream without `count` has none. */
function listAggregations({ countable, fields }: StreamDeclaration): NonNullable<StreamMetadata["aggregations"]> {
  const kinds = fieldAggregations.filter((kind) => fields.some((field) => field.aggregations.includes(kind)));
  return [...(countable ? ["count" as const] : []), ...kinds.filter((kind) => countable || !grouping.includes(kind))];
}

const grouping: readonly FieldAggregation[] = ["group_by", "group_by_time"];

/** Only granted fields are listed, so everything declared of them can be used. */
function describeField(
  { stream: { columns } }: StreamScope,
  { countable }: StreamDeclaration,
  field: FieldDeclaration,
): FieldCapability {
  const flag = (declared: boolean) => ({ declared, usable: declared });
  return {
    type: field.type ?? field.kind,
    ...(field.role === undefined ? {} : { role: field.role }),
    ...(field.unitField === undefined ? {} : { unit_field: field.unitField }),
    granted: true,
    schema: field.schema,
    exact_filter: flag(columns.has(field.name)),
    range_filter: { ...flag(field.rangeOperators.length > 0), operators: [...field.rangeOperators] },
    lexical_search: flag(field.lexical || field.blobText === true),
    semantic_search: flag(false),
    aggregation: Object.fromEntries(
      fieldAggregations.map((kind) => {
        const declared = flag(field.aggregations.includes(kind));
        const uncounted = declared.usable && grouping.includes(kind) && !countable;
        return [kind, uncounted ? { ...declared, usable: false, reason: "count_not_declared" } : declared];
      }),
    ),
  };
}

function expandCapability(relationship: Relationship): ExpandCapability[] {
  if (relationship.expand === undefined) return [];
  return [
    {
      name: relationship.name,
      stream: relationship.stream,
      target_stream: relationship.stream,
      cardinality: relationship.cardinality,
      foreign_key: relationship.foreignKey,
      child_parent_key_field: relationship.foreignKey,
      granted: true,
      usable: true,
      ...(relationship.cardinality === "has_one"
        ? {}
        : { default_limit: relationship.expand.defaultLimit, max_limit: relationship.expand.maxLimit }),
    },
  ];
}

export async function readStream(context: ReadContext, input: Input<"stream">): Promise<Output<"stream">> {
  const found = findOneStream(context.scope, input.stream, input.connection_id);
  context.disclose({ connectionIds: [], stream: input.stream, records: 0, versions: [] });
  const links = { self: buildUrl("stream", input) };
  const freshness = await context.store.engine.read((on) => loadScopeFreshness(on, context, [found]));
  const metadata = { ...describeStream(context.scope, found, freshness), connector_key: found.connectorKey };
  return withEnvelope({ ...metadata, links, meta: { warnings: [] } });
}

export async function listConnectors(context: ReadContext): Promise<ConnectorList> {
  const catalog = await context.store.catalog();
  context.disclose({ connectionIds: [], stream: null, records: 0, versions: [] });
  return {
    object: "list",
    data: groupByConnector(context.scope.streams, catalog).map(({ head, mine }) => ({
      ...head,
      streams: mine.map(({ stream: { declaration } }) => ({
        name: declaration.name,
        records_url: buildUrl("queryRecords", { stream: declaration.name }),
        aggregate_url: buildUrl("aggregate", { stream: declaration.name }),
      })),
    })),
    has_more: false,
    links: { self: buildUrl("connectors", {}), next: null },
    meta: { warnings: [] },
  };
}

export async function listStreams(context: ReadContext, input: Input<"streams">): Promise<StreamList> {
  const { engine } = context.store;
  const rows = await engine.read(async (on) => {
    const found: StreamList["data"] = [];
    const streams = getStreams(context.scope, input.connection_id);
    const freshness = await loadScopeFreshness(on, context, streams);
    for (const scope of streams) {
      const limited = scope.time !== undefined || scope.resources !== undefined;
      for (const { connection, count, updatedAt } of await loadStatistics(on, scope)) {
        const visible = limited ? await countRecords(on, { ...scope, connections: [connection] }, []) : count;
        found.push({
          object: "stream",
          name: scope.stream.declaration.name,
          connector_key: scope.connectorKey,
          connection_id: connection.id,
          connector_instance_id: connection.id,
          ...(connection.label === undefined ? {} : { display_name: connection.label }),
          record_count: visible,
          // Changes outside the grant's bounds must not be revealed.
          last_updated: limited || updatedAt === null ? null : formatInstant(updatedAt),
          freshness: describeFreshness(freshness.get(connection.no)),
        });
      }
    }
    return found;
  });
  context.disclose({
    connectionIds: [...new Set(rows.map(({ connection_id }) => connection_id))],
    stream: null,
    records: 0,
    versions: [],
  });
  return {
    object: "list",
    data: rows,
    has_more: false,
    links: { self: buildUrl("streams", input), next: null },
    meta: { warnings: [] },
  };
}
