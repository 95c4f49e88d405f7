import type { JsonObject } from "@pdpp/contract/declaration";
import type { SchemaRequest } from "../requests.ts";
import type { FieldSpec } from "../spec.ts";
import type { Source } from "./grant.ts";
import type { Prediction, World } from "./world.ts";

/** The schema a token sees: exactly the streams of the grant, with the capabilities of each field. */

export function predictSchema(world: World, request: SchemaRequest): Prediction {
  const sources = narrowed(world, request);
  const plain =
    request.op !== "stream" &&
    [request.stream, request.connection_id, request.detail].every((value) => value === undefined);
  const compact =
    request.op === "schema" &&
    (request.view === "compact" || request.detail === "compact") &&
    request.detail !== "full";
  return {
    described: sources.map((source) => rowOf(world, source, compact ? "compact" : request.op)),
    as: compact ? "compact" : request.op,
    mustAnswer: plain,
  };
}

function narrowed(world: World, { op, stream, connection_id: id }: SchemaRequest): Source[] {
  if (op === "connectors") return [...world.sources];
  return world.sources
    .filter((source) => stream === undefined || source.stream.name === stream)
    .map((source) => ({
      ...source,
      connectionIds: source.connectionIds.filter((held) => id === undefined || held === id),
    }))
    .filter(({ connectionIds }) => connectionIds.length > 0);
}

function rowOf(world: World, source: Source, as: string): JsonObject {
  const head = { connector_key: source.connectorKey, name: source.stream.name };
  if (as === "connectors") return head;
  const connections = source.connectionIds.map((id) => {
    const label = world.vault.connections.find((connection) => connection.id === id)?.label;
    return { connection_id: id, ...(label === undefined ? {} : { display_name: label }) };
  });
  const fields = source.stream.fields
    .filter(({ name }) => source.fields.has(name))
    .map((field) => [field.name, as === "compact" ? true : mayDo(source, field)]);
  return { ...head, connections, fields: Object.fromEntries(fields) as JsonObject };
}

const mayDo = (source: Source, field: FieldSpec): JsonObject => ({
  granted: true,
  exact: field.kind !== "json",
  range: [...field.range],
  aggregations: field.aggregations.filter((kind) => mayUse(source, kind)).sort(),
});

/** Groups need a declared count. */
const mayUse = ({ stream }: Source, kind: string): boolean =>
  stream.countable || (kind !== "group_by" && kind !== "group_by_time");

type Flag = { usable: boolean };
interface DescribedStream {
  name: string;
  connector_key?: string;
  granted_connections?: JsonObject[];
  field_capabilities: Record<
    string,
    | string
    | {
        granted: boolean;
        exact_filter: Flag;
        range_filter: Flag & { operators: string[] };
        aggregation: Record<string, Flag>;
      }
  >;
}

/** The same rows, from a response. */
export function listReturnedRows(body: JsonObject, as: string): JsonObject[] {
  if (as === "stream") return [toReturnedRow(body as unknown as DescribedStream, String(body.connector_key), [])];
  const connectors = (as === "connectors" ? body.data : body.connectors) as unknown as {
    connector_key: string;
    granted_connections?: JsonObject[];
    streams: DescribedStream[];
  }[];
  return connectors.flatMap(({ connector_key, granted_connections = [], streams }) =>
    streams.map((stream) =>
      as === "connectors"
        ? { connector_key, name: stream.name }
        : toReturnedRow(stream, connector_key, granted_connections),
    ),
  );
}

function toReturnedRow(stream: DescribedStream, connectorKey: string, shared: JsonObject[]): JsonObject {
  const fields = Object.entries(stream.field_capabilities).map(([name, told]) => {
    if (typeof told === "string") return [name, !told.split(",").includes("g=false")];
    const usable = Object.entries(told.aggregation)
      .filter(([, flag]) => flag.usable)
      .map(([kind]) => kind);
    return [
      name,
      {
        granted: told.granted,
        exact: told.exact_filter.usable,
        range: told.range_filter.usable ? told.range_filter.operators : [],
        aggregations: usable.sort(),
      },
    ];
  });
  return {
    connector_key: connectorKey,
    name: stream.name,
    connections: stream.granted_connections ?? shared,
    fields: Object.fromEntries(fields),
  };
}
