import type { JsonObject } from "@pdpp/contract/declaration";
import type { CompactSchema } from "@pdpp/contract/wire";
import { callLine, definedOnly, literal, oneLine, type ToolCall } from "@pdpp/evidence/forms/call";
import { sizes } from "@pdpp/evidence/forms/size";
import { fitsEachForm, mostFitting, rawChars } from "../size.ts";
import type { Answer } from "../tool.ts";

/**
 * The index of a grant: every stream under its connector. A small one has the call that tells more of each stream. A large one has
 * the names alone, all of them, and one call that goes through the streams in pages with their calls.
 */

type Connector = CompactSchema["connectors"][number];
type Connections = NonNullable<Connector["granted_connections"]>;

/** A host shows the names of a large grant whole; the connections beside them give way first. */
const mostNames = 16_000;
const mostLine = 12_000;
const listedConnections = 8;

/** A connector's streams over the same connections. */
interface Group {
  readonly connector: Connector;
  readonly connections: Connections;
  readonly streams: readonly string[];
}

/** Where a page begins; one of names alone has a cursor that says so. */
export const indexCursor = /^(?:names:)?\d+$/;

export function schemaIndex(schema: CompactSchema, connectionId: string | undefined, cursor?: string): Answer {
  const index: Index = { schema, groups: schema.connectors.flatMap(groupsOf), connectionId };
  if (cursor === undefined) {
    for (const listed of [Number.POSITIVE_INFINITY, listedConnections]) {
      const whole = callsPage(index, 0, total(index), listed);
      if (rawChars(whole) <= sizes.raw) return whole;
    }
    return namesFrom(index, 0);
  }
  const from = Number(cursor.replace("names:", ""));
  if (cursor.startsWith("names:")) return namesFrom(index, from);
  const left = Math.max(0, total(index) - from);
  const page = (count: number) => callsPage(index, from, count, listedConnections);
  return page(mostFitting(left, (count) => rawChars(page(count)) <= sizes.raw));
}

interface Index {
  readonly schema: CompactSchema;
  readonly groups: readonly Group[];
  readonly connectionId: string | undefined;
}

const total = ({ groups }: Index): number => groups.reduce((sum, { streams }) => sum + streams.length, 0);

const pageCall = ({ connectionId }: Index, cursor: string): ToolCall => ({
  tool: "schema",
  arguments: definedOnly({ connection_id: connectionId, cursor }),
});

export const connectionsOf = (connector: Connector, stream: Connector["streams"][number]): Connections =>
  stream.granted_connections ?? connector.granted_connections ?? [];

function groupsOf(connector: Connector): Group[] {
  const lists = Map.groupBy(connector.streams, (stream) => JSON.stringify(connectionsOf(connector, stream)));
  return [...lists.values()].flatMap((streams) => {
    const [first] = streams;
    if (first === undefined) return [];
    return [{ connector, connections: connectionsOf(connector, first), streams: streams.map(({ name }) => name) }];
  });
}

function sliced(groups: readonly Group[], from: number, end: number): Group[] {
  let before = 0;
  return groups.flatMap((group) => {
    const [first, last] = [Math.max(0, from - before), Math.min(group.streams.length, end - before)];
    before += group.streams.length;
    return first < last ? [{ ...group, streams: group.streams.slice(first, last) }] : [];
  });
}

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const headline = ({ schema }: Index): string =>
  `Readable: ${counted(schema.stream_count, "stream")} of ${counted(schema.connector_count, "connector")}`;

function document(index: Index, connectors: JsonObject[], complete: boolean, more: JsonObject = {}): JsonObject {
  const { connector_count, stream_count } = index.schema;
  return { object: "schema", detail: "index", connector_count, stream_count, complete, ...more, connectors };
}

const named = ({ connector_key, display_name }: Connector): string =>
  typeof display_name === "string" ? `${connector_key} ${literal(display_name)}` : connector_key;

const titleObject = ({ connector_key, display_name, stream_count }: Connector): JsonObject => ({
  connector_key,
  ...(typeof display_name === "string" ? { display_name } : {}),
  stream_count,
});

/** So many connections with their labels, and how many there are besides. */
function connectionWords(connections: Connections, listed: number): string {
  if (listed === 0) return counted(connections.length, "connection");
  const shown = connections
    .slice(0, listed)
    .map(({ connection_id: id, display_name: label }) => (label === undefined ? id : `${id} ${literal(label)}`));
  const more = connections.length - shown.length;
  return `connections: ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

const connectionObjects = (connections: Connections, listed: number): JsonObject => ({
  connections: connections.slice(0, listed).map(({ connection_id, display_name }) => ({
    connection_id,
    ...(display_name === undefined ? {} : { display_name }),
  })),
  ...(connections.length > listed ? { connection_count: connections.length } : {}),
});

/** A page on which each stream has its call. */
function callsPage(index: Index, from: number, count: number, listed: number): Answer {
  const end = from + count;
  const next = end >= total(index) ? undefined : pageCall(index, String(end));
  const groups = sliced(index.groups, from, end);
  const streamCall = (stream: string): ToolCall => ({
    tool: "schema",
    arguments: definedOnly({ stream, connection_id: index.connectionId }),
  });
  const connectors = [...Map.groupBy(groups, ({ connector }) => connector)].map(([connector, mine]) => ({
    ...titleObject(connector),
    sources: mine.map(({ connections, streams }) => ({
      ...connectionObjects(connections, listed),
      streams: streams.map((name) => ({ name, read: streamCall(name) })),
    })),
  }));
  const part = from === 0 && next === undefined ? "" : `; ${from + 1} to ${Math.min(end, total(index))} on this page`;
  const lines = [
    `${headline(index)}${part}${next === undefined ? "" : ", more:"}`,
    ...(next === undefined ? [] : [callLine(next)]),
    'search {"query": ...} looks through all of them. Below, the fields of a stream and how to read it:',
    ...groups.flatMap(({ connector, connections, streams }) => [
      `${named(connector)}, ${counted(connector.stream_count, "stream")}, ${connectionWords(connections, listed)}`,
      ...streams.map((name) => callLine(streamCall(name))),
    ]),
  ];
  return {
    structured: {
      data: document(index, connectors, next === undefined),
      ...(next === undefined ? {} : { next: next }),
    },
    text: lines.join("\n"),
  };
}

/** How much stands beside the names: connections of each connector, and its label. Less, the more names there are. */
interface Beside {
  readonly listed: number;
  readonly labels: boolean;
}
const bare: Beside = { listed: 0, labels: false };

function namesFrom(index: Index, from: number): Answer {
  const left = Math.max(0, total(index) - from);
  for (const listed of [listedConnections, 2, 0]) {
    const page = namesPage(index, from, left, { listed, labels: true });
    const short = page.text.length <= mostNames && JSON.stringify(page.structured).length <= mostNames;
    if (short && fitsEachForm(page)) return page;
  }
  const page = (count: number) => namesPage(index, from, count, bare);
  return page(mostFitting(left, (count) => fitsEachForm(page(count))));
}

/** A page of names alone, a line for each connector. */
function namesPage(index: Index, from: number, count: number, { listed, labels }: Beside): Answer {
  const end = from + count;
  const next = end >= total(index) ? undefined : pageCall(index, `names:${end}`);
  const calls = pageCall(index, "0");
  const byConnector = [...Map.groupBy(sliced(index.groups, from, end), ({ connector }) => connector)];
  const rows = byConnector.map(([connector, mine]) => {
    const connections = distinct(mine.flatMap((group) => group.connections));
    const streams = mine.flatMap((group) => group.streams);
    const { connector_key: key, stream_count } = connector;
    const among = `${counted(stream_count, "stream")}, ${connectionWords(connections, listed)}`;
    return {
      object: {
        ...(labels ? titleObject(connector) : { connector_key: key, stream_count }),
        ...connectionObjects(connections, listed),
        streams,
      },
      lines: nameLines(streams, `${labels ? `${named(connector)}, ${among}` : key}: `, `${key}, more: `),
    };
  });
  const all = next === undefined && from === 0;
  const lines = [
    `${headline(index)}; ${all ? "all names are below" : next === undefined ? "the last names are below" : "more names:"}`,
    ...(next === undefined ? [] : [callLine(next)]),
    'schema {"stream": NAME} shows the fields of a stream and how to read it, search {"query": ...} looks through all of them. ' +
      "The streams in pages, each with its call:",
    callLine(calls),
    ...rows.flatMap((row) => row.lines),
  ];
  const connectors = rows.map(({ object }) => object);
  return {
    structured: {
      data: document(index, connectors, next === undefined, { calls }),
      ...(next === undefined ? {} : { next }),
    },
    text: lines.join("\n"),
  };
}

const distinct = (connections: Connections): Connections => [
  ...new Map(connections.map((connection) => [connection.connection_id, connection])).values(),
];

const listedName = (name: string): string => (name.includes(",") ? literal(name) : oneLine(name));

function nameLines(names: readonly string[], head: string, further: string): string[] {
  const lines: string[] = [];
  let line = head;
  for (const [i, name] of names.entries()) {
    const word = `${listedName(name)}${i === names.length - 1 ? "" : ", "}`;
    if (line.length + word.length > mostLine) {
      lines.push(line);
      line = further;
    }
    line += word;
  }
  return [...lines, line];
}
