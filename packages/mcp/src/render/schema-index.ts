import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { CompactSchema } from "@pdpp/contract/wire";
import { callLine, literal, oneLine, type ToolCall } from "../continuation.ts";
import { mostFitting, rawChars, sizes } from "../size.ts";
import type { Answer } from "../tool.ts";

/** The index of a grant: every stream by name, under its connector, and the calls that tell more. */

type Connector = CompactSchema["connectors"][number];
type Connections = Connector["granted_connections"];

const mostIndex = { text: 16_000, structured: 24_000 } as const;
const listedConnections = 8;

/** A connector's streams over the same connections. */
interface Group {
  readonly connector: Connector;
  readonly connections: Connections;
  readonly streams: readonly string[];
}

export function schemaIndex(schema: CompactSchema, connectionId: string | undefined, from: number): Answer {
  const groups = schema.connectors.flatMap(groupsOf);
  const total = groups.reduce((sum, { streams }) => sum + streams.length, 0);
  const page = (count: number, calls: boolean, listed = listedConnections): Answer => {
    const end = from + count;
    const next: ToolCall | undefined =
      end >= total
        ? undefined
        : {
            tool: "schema",
            arguments: { ...(connectionId === undefined ? {} : { connection_id: connectionId }), cursor: String(end) },
          };
    const narrowed = connectionId !== undefined;
    return indexAnswer(schema, sliced(groups, from, end), { calls, listed, total, next, narrowed });
  };
  const left = Math.max(0, total - from);
  for (const listed of [Number.POSITIVE_INFINITY, listedConnections]) {
    const guided = page(left, true, listed);
    if (rawChars(guided) <= sizes.raw) return guided;
  }
  // With names alone all streams can be seen; what tells more of one is then asked for by connection.
  const narrow =
    connectionId !== undefined || schema.connectors.every(({ granted_connections: all }) => all.length === 0);
  const bounded = ({ text, structured }: Answer): boolean =>
    text.length <= mostIndex.text && JSON.stringify(structured).length <= mostIndex.structured;
  if (narrow)
    return page(
      mostFitting(left, (count) => rawChars(page(count, true)) <= sizes.raw),
      true,
    );
  const named = page(left, false, Number.POSITIVE_INFINITY);
  if (bounded(named)) return named;
  return page(
    mostFitting(left, (count) => bounded(page(count, false))),
    false,
  );
}

function groupsOf(connector: Connector): Group[] {
  const lists = Map.groupBy(connector.streams, (stream) =>
    JSON.stringify(stream.granted_connections ?? connector.granted_connections),
  );
  return [...lists].map(([connections, streams]) => ({
    connector,
    connections: JSON.parse(connections) as Connections,
    streams: streams.map(({ name }) => name),
  }));
}

function sliced(groups: readonly Group[], from: number, end: number): Group[] {
  let before = 0;
  return groups.flatMap((group) => {
    const [first, last] = [Math.max(0, from - before), Math.min(group.streams.length, end - before)];
    before += group.streams.length;
    return first < last ? [{ ...group, streams: group.streams.slice(first, last) }] : [];
  });
}

interface Shape {
  /** Whether each stream has its own call; else it is reached by its connections, if they can all be listed. */
  readonly calls: boolean;
  /** So many connections are named. */
  readonly listed: number;
  readonly total: number;
  readonly next: ToolCall | undefined;
  readonly narrowed: boolean;
}

const streamCall = (stream: string, { connections }: Group, { narrowed }: Shape): ToolCall => ({
  tool: "schema",
  arguments: { stream, ...(narrowed ? { connection_id: connections[0]!.connection_id } : {}) },
});

const callsByStream = ({ connections }: Group, { calls }: Shape): boolean =>
  calls || connections.length > listedConnections;

const connectionCall = (id: string): ToolCall => ({ tool: "schema", arguments: { connection_id: id } });

function indexAnswer(schema: CompactSchema, groups: readonly Group[], shape: Shape): Answer {
  const connectors = [...Map.groupBy(groups, ({ connector }) => connector)].map(([connector, mine]) => ({
    connector_key: connector.connector_key,
    ...(typeof connector.display_name === "string" ? { display_name: connector.display_name } : {}),
    sources: mine.map((group) => groupObject(group, shape)),
  }));
  const structured: JsonObject = {
    data: {
      object: "schema",
      detail: "index",
      connector_count: schema.connector_count,
      stream_count: schema.stream_count,
      complete: shape.next === undefined,
      connectors: connectors as unknown as Json,
    },
    ...(shape.next === undefined ? {} : { next: shape.next as unknown as Json }),
  };
  const shown = groups.reduce((sum, { streams }) => sum + streams.length, 0);
  const first = [
    `Readable: ${schema.stream_count} streams of ${schema.connector_count} connectors` +
      `${shape.next === undefined ? "" : `; ${shown} shown, more:`}`,
    ...(shape.next === undefined ? [] : [callLine(shape.next)]),
  ];
  const calls = groups.flatMap((group) => groupLines(group, shape));
  const length = [...first, ...calls].join("\n").length;
  const names = !shape.calls || length > sizes.headChars ? overview(groups) : [];
  const how = shape.calls
    ? "the fields of a stream and how to read it:"
    : "one connection's streams, with their calls:";
  const guide =
    names.length === 0
      ? `search {"query": ...} looks through all of them. Below, ${how}`
      : `search {"query": ...} looks through all of them; schema {"stream": ...} shows one's fields. Below, all names, then ${how}`;
  return { structured, text: [...first, guide, ...names, ...calls].join("\n") };
}

/** The names alone, a line for each connector: a host that cuts the rest away still shows what there is. */
const overview = (groups: readonly Group[]): string[] =>
  [...Map.groupBy(groups, ({ connector }) => connector)].map(
    ([connector, mine]) =>
      `${connector.connector_key}: ${mine.flatMap(({ streams }) => streams.map(oneLine)).join(", ")}`,
  );

function groupObject(group: Group, shape: Shape): JsonObject {
  const { connections, streams } = group;
  return {
    connections: connections.slice(0, shape.listed).map(({ connection_id, display_name }) => ({
      connection_id,
      ...(display_name === undefined ? {} : { display_name }),
      ...(callsByStream(group, shape) ? {} : { read: connectionCall(connection_id) as unknown as Json }),
    })),
    ...(connections.length > shape.listed ? { connection_count: connections.length } : {}),
    streams: callsByStream(group, shape)
      ? streams.map((name) => ({ name, read: streamCall(name, group, shape) as unknown as Json }))
      : [...streams],
  };
}

function groupLines(group: Group, shape: Shape): string[] {
  const { connector, connections, streams } = group;
  const named = connections
    .slice(0, shape.listed)
    .map(({ connection_id: id, display_name: label }) => (label === undefined ? id : `${id} ${literal(label)}`));
  const more = connections.length - named.length;
  const title = typeof connector.display_name === "string" ? ` ${literal(connector.display_name)}` : "";
  const head = `${connector.connector_key}${title}, connections: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
  if (callsByStream(group, shape)) return [head, ...streams.map((name) => callLine(streamCall(name, group, shape)))];
  return [
    head,
    ...connections.slice(0, listedConnections).map(({ connection_id: id }) => callLine(connectionCall(id))),
  ];
}
