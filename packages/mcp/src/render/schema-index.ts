import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { CompactSchema } from "@pdpp/contract/wire";
import { findMostFitting } from "@pdpp/evidence/sizes/size";
import { toLabel, toLiteral, toOneLine } from "@pdpp/evidence/text/literal";
import { formatCall, omitUndefined, type ToolCall } from "../layout/call.ts";
import { sizes } from "../layout/part.ts";
import { countChars, fitsTextAndObject } from "../size.ts";
import type { Answer } from "../tool.ts";
import { buildConnection, formatConnection } from "./connections.ts";
import { groupByPrefix, type NameGroup, splitGroups } from "./name-groups.ts";

/**
 * The index of a grant: every stream under its connector. A small index has a call per stream. A large one lists only
 * names, all of them, and one call that pages through the streams with their calls.
 */

type Connector = CompactSchema["connectors"][number];
type Connections = NonNullable<Connector["granted_connections"]>;

/** Hosts show this much in full. Connections are dropped before names are. */
const maxNameChars = 16_000;
const mostLine = 12_000;
const listedConnections = 8;

/** A connector's streams that share the same connections. */
interface Group {
  readonly connector: Connector;
  readonly connections: Connections;
  readonly streams: readonly string[];
}

/** Parses a cursor: the first item, and whether the page lists only names. */
export function parseCursor(cursor: string): { from: number; isNames: boolean } {
  const [, names, from] = /^(names:)?(\d{1,9})$/.exec(cursor) ?? [];
  if (from === undefined) throw makeInvalidCursor("this is not a cursor of schema");
  return { from: Number(from), isNames: names !== undefined };
}

/** Throws if the page would start after the last item. */
export function checkInRange(from: number, count: number, what: string): void {
  if (from > 0 && from >= count)
    throw makeInvalidCursor(`this cursor is past the end: there are ${formatCount(count, what)}`);
}

const makeInvalidCursor = (reason: string): PdppError =>
  new PdppError("invalid_cursor", `${reason}; copy the cursor from a -> line, or call schema without one`, {
    param: "cursor",
  });

export function formatSchemaIndex(schema: CompactSchema, connectionId: string | undefined, cursor?: string): Answer {
  const index: Index = { schema, groups: schema.connectors.flatMap(groupStreams), connectionId };
  if (cursor === undefined) {
    for (const listed of [Number.POSITIVE_INFINITY, listedConnections]) {
      const whole = formatCallsPage(index, 0, countStreams(index), listed);
      if (countChars(whole) <= sizes.raw) return whole;
    }
    return formatNames(index, 0);
  }
  const { from, isNames } = parseCursor(cursor);
  checkInRange(from, countStreams(index), "stream");
  if (isNames) return formatNames(index, from);
  const left = countStreams(index) - from;
  const page = (count: number) => formatCallsPage(index, from, count, listedConnections);
  return page(findMostFitting(left, (count) => countChars(page(count)) <= sizes.raw));
}

interface Index {
  readonly schema: CompactSchema;
  readonly groups: readonly Group[];
  readonly connectionId: string | undefined;
}

const countStreams = ({ groups }: Index): number => groups.reduce((sum, { streams }) => sum + streams.length, 0);

const callPage = ({ connectionId }: Index, cursor: string): ToolCall => ({
  tool: "schema",
  arguments: omitUndefined({ connection_id: connectionId, cursor }),
});

export const listConnections = (connector: Connector, stream: Connector["streams"][number]): Connections =>
  stream.granted_connections ?? connector.granted_connections ?? [];

function groupStreams(connector: Connector): Group[] {
  const lists = Map.groupBy(connector.streams, (stream) => JSON.stringify(listConnections(connector, stream)));
  return [...lists.values()].flatMap((streams) => {
    const [first] = streams;
    if (first === undefined) return [];
    return [{ connector, connections: listConnections(connector, first), streams: streams.map(({ name }) => name) }];
  });
}

function sliceGroups(groups: readonly Group[], from: number, end: number): Group[] {
  let before = 0;
  return groups.flatMap((group) => {
    const [first, last] = [Math.max(0, from - before), Math.min(group.streams.length, end - before)];
    before += group.streams.length;
    return first < last ? [{ ...group, streams: group.streams.slice(first, last) }] : [];
  });
}

export const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const formatHeadline = ({ schema }: Index): string =>
  `Readable: ${formatCount(schema.stream_count, "stream")} of ${formatCount(schema.connector_count, "connector")}`;

function buildDocument(index: Index, connectors: JsonObject[], complete: boolean, more: JsonObject = {}): JsonObject {
  const { connector_count, stream_count } = index.schema;
  return { object: "schema", detail: "index", connector_count, stream_count, complete, ...more, connectors };
}

const nameConnector = ({ connector_key, display_name }: Connector): string =>
  typeof display_name === "string" ? `${connector_key} ${toLabel(display_name)}` : connector_key;

const buildTitle = ({ connector_key, display_name, stream_count }: Connector): JsonObject => ({
  connector_key,
  ...(typeof display_name === "string" ? { display_name } : {}),
  stream_count,
});

/** The first connections with their labels, and the number of others. */
function formatConnections(connections: Connections, listed: number): string {
  if (listed === 0 || connections.length === 0) return formatCount(connections.length, "connection");
  const shown = connections.slice(0, listed).map(formatConnection);
  const more = connections.length - shown.length;
  const noun = connections.length === 1 ? "connection" : "connections";
  return `${noun} ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

const formatHead = (connector: Connector, connections: Connections, listed: number): string =>
  `${nameConnector(connector)}, ${formatConnections(connections, listed)}, ${formatCount(connector.stream_count, "stream")}: `;

const buildConnections = (connections: Connections, listed: number): JsonObject => ({
  connections: connections.slice(0, listed).map(buildConnection),
  ...(connections.length > listed ? { connection_count: connections.length } : {}),
});

/** A page with a call per stream. */
function formatCallsPage(index: Index, from: number, count: number, listed: number): Answer {
  const end = from + count;
  const next = end >= countStreams(index) ? undefined : callPage(index, String(end));
  const groups = sliceGroups(index.groups, from, end);
  const callStream = (stream: string): ToolCall => ({
    tool: "schema",
    arguments: omitUndefined({ stream, connection_id: index.connectionId }),
  });
  const connectors = [...Map.groupBy(groups, ({ connector }) => connector)].map(([connector, mine]) => ({
    ...buildTitle(connector),
    sources: mine.map(({ connections, streams }) => ({
      ...buildConnections(connections, listed),
      streams: streams.map((name) => ({ name, read: callStream(name) })),
    })),
  }));
  const part =
    from === 0 && next === undefined ? "" : `; ${from + 1} to ${Math.min(end, countStreams(index))} on this page`;
  const names = groups.flatMap(({ streams }) => streams);
  const lines = [
    `${formatHeadline(index)}${part}${next === undefined ? "" : ", more:"}`,
    ...(next === undefined ? [] : [formatCall(next)]),
    'To search all of them: search {"query": ...}',
    ...groups.flatMap(({ connector, connections, streams }) =>
      formatNameLines(
        streams.map(formatStreamName),
        formatHead(connector, connections, listed),
        `${connector.connector_key}, continued: `,
      ),
    ),
    // Connectors may have streams of the same name; one call shows all of them.
    "To see the fields of a stream and how to query it, in every connector that has it:",
    ...[...new Set(names)].map((name) => formatCall(callStream(name))),
  ];
  return {
    structured: {
      data: buildDocument(index, connectors, next === undefined),
      ...(next === undefined ? {} : { next: next }),
    },
    text: lines.join("\n"),
  };
}

/** Details on a page of names; fewer, the more names there are. */
interface Extent {
  readonly listed: number;
  readonly labels: boolean;
  /** Writes common prefixes as `prefix_{one, two}`. */
  readonly isGrouped: boolean;
}

function formatNames(index: Index, from: number): Answer {
  const left = countStreams(index) - from;
  for (const listed of [listedConnections, 2, 0]) {
    const page = formatNamesPage(index, from, left, { listed, labels: true, isGrouped: false });
    const short = page.text.length <= maxNameChars && JSON.stringify(page.structured).length <= maxNameChars;
    if (short && fitsTextAndObject(page)) return page;
  }
  const page = (count: number, labels: boolean) =>
    formatNamesPage(index, from, count, { listed: 0, labels, isGrouped: true });
  const labelled = page(left, true);
  if (fitsTextAndObject(labelled)) return labelled;
  return page(
    findMostFitting(left, (count) => fitsTextAndObject(page(count, false))),
    false,
  );
}

/** A page of names, one line per connector. */
function formatNamesPage(index: Index, from: number, count: number, { listed, labels, isGrouped }: Extent): Answer {
  const end = from + count;
  const next = end >= countStreams(index) ? undefined : callPage(index, `names:${end}`);
  const calls = callPage(index, "0");
  const byConnector = [...Map.groupBy(sliceGroups(index.groups, from, end), ({ connector }) => connector)];
  const rows = byConnector.map(([connector, mine]) => {
    const connections = listDistinct(mine.flatMap((group) => group.connections));
    const streams = mine.flatMap((group) => group.streams);
    const { connector_key: key, stream_count } = connector;
    const { singles, groups } = isGrouped ? groupByPrefix(streams) : { singles: streams, groups: [] };
    const words = [
      ...groups.flatMap(splitGroups).map(({ prefix, names }) => `${prefix}{${names.join(", ")}}`),
      ...singles.map(formatStreamName),
    ];
    return {
      object: {
        ...(labels ? buildTitle(connector) : { connector_key: key, stream_count }),
        ...(isGrouped ? {} : buildConnections(connections, listed)),
        ...(groups.length === 0 ? { streams: [...streams] } : { streams_by_prefix: buildPrefixMap(singles, groups) }),
      },
      lines: formatNameLines(
        words,
        labels ? formatHead(connector, connections, listed) : `${key}: `,
        `${key}, continued: `,
      ),
      example: groups[0],
    };
  });
  const all = next === undefined && from === 0;
  const example = rows.find((row) => row.example !== undefined)?.example;
  const lines = [
    `${formatHeadline(index)}; ${all ? "all names are below" : next === undefined ? "the last names are below" : "more names:"}`,
    ...(next === undefined ? [] : [formatCall(next)]),
    'To see the fields of a stream and how to query it: schema {"stream": NAME}. To search all of them: search {"query": ...}',
    "To page through the streams with their calls:",
    formatCall(calls),
    ...(example === undefined ? [] : [groupLegend(example)]),
    ...rows.flatMap((row) => row.lines),
  ];
  const connectors = rows.map(({ object }) => object);
  return {
    structured: {
      data: buildDocument(index, connectors, next === undefined, { calls }),
      ...(next === undefined ? {} : { next }),
    },
    text: lines.join("\n"),
  };
}

/** A stream's name is a key followed by one of its values. */
function buildPrefixMap(singles: readonly string[], groups: readonly NameGroup[]): JsonObject {
  const entries = groups.map(({ prefix, names }): [string, string[]] => [prefix, names]);
  return Object.fromEntries(singles.length === 0 ? entries : [...entries, ["", [...singles]]]);
}

const groupLegend = ({ prefix, names: [first = "", second = ""] }: NameGroup): string =>
  `Names that begin alike are grouped: ${prefix}{${first}, ${second}} is ${prefix}${first} and ${prefix}${second}.`;

const listDistinct = (connections: Connections): Connections => [
  ...new Map(connections.map((connection) => [connection.connection_id, connection])).values(),
];

const formatStreamName = (name: string): string => (/[,{}]/.test(name) ? toLiteral(name) : toOneLine(name));

function formatNameLines(words: readonly string[], head: string, further: string): string[] {
  const lines: string[] = [];
  let line = head;
  for (const [i, word] of words.entries()) {
    const next = `${word}${i === words.length - 1 ? "" : ", "}`;
    if (line.length + next.length > mostLine) {
      lines.push(line);
      line = further;
    }
    line += next;
  }
  return [...lines, line];
}
