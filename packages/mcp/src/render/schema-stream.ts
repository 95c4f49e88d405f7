import type { JsonObject } from "@pdpp/contract/declaration";
import type { CompactSchema } from "@pdpp/contract/wire";
import { createLegend, getSortField } from "@pdpp/evidence/schema/schema-index";
import { findMostFitting } from "@pdpp/evidence/sizes/size";
import { toLabel, toLiteral, toOneLine } from "@pdpp/evidence/text/literal";
import { formatCall, omitUndefined, type ToolCall } from "../layout/call.ts";
import { sizes } from "../layout/part.ts";
import { countChars } from "../size.ts";
import type { Answer } from "../tool.ts";
import { buildConnection, formatConnection } from "./connections.ts";
import { checkInRange, formatCount, listConnections } from "./schema-index.ts";

/** One stream in every source that has it: its fields with their flags, and its capabilities. */

type Connector = CompactSchema["connectors"][number];
type Stream = Connector["streams"][number];
type Connection = ReturnType<typeof listConnections>[number];

/** A field of a stream, or a connection that has it. */
interface Row {
  readonly connector: Connector;
  readonly stream: Stream;
  readonly field?: readonly [name: string, flags: string];
  readonly connection?: Connection;
}

interface StreamRequest {
  readonly stream: string;
  readonly connection_id?: string | undefined;
}

export function formatStreamSchema(schema: CompactSchema, asked: StreamRequest, from: number): Answer {
  const rows = schema.connectors.flatMap((connector) =>
    connector.streams.flatMap((stream): Row[] => [
      ...listConnections(connector, stream).map((connection) => ({ connector, stream, connection })),
      ...Object.entries(stream.field_capabilities)
        .sort(([, a], [, b]) => weighFlags(a) - weighFlags(b))
        .map((field) => ({ connector, stream, field })),
    ]),
  );
  checkInRange(from, rows.length, "row");
  const left = rows.length - from;
  const page = (count: number): Answer => {
    const end = from + count;
    const next = end >= rows.length ? undefined : callNextRows(asked, end);
    return formatRows(formatHeadline(asked, rows), rows.slice(from, end), next);
  };
  return page(findMostFitting(left, (count) => countChars(page(count)) <= sizes.raw));
}

/** Fields with a role come first, then fields with capabilities; the rest is cut first. */
const weighFlags = (flags: string): number => (/\brole=/.test(flags) ? 0 : /,(?:r=|lex|a=)/.test(flags) ? 1 : 2);

const callNextRows = ({ stream, connection_id }: StreamRequest, end: number): ToolCall => ({
  tool: "schema",
  arguments: omitUndefined({ stream, connection_id, cursor: String(end) }),
});

/** Totals over all pages. */
function formatHeadline({ stream }: StreamRequest, rows: readonly Row[]): string {
  const connectors = new Set(rows.map(({ connector }) => connector)).size;
  return (
    `Stream ${toLiteral(stream)} of ${formatCount(connectors, "connector")}, ` +
    `${formatCount(listConnectionRows(rows).length, "connection")}, ${formatCount(listFieldRows(rows).length, "field")}`
  );
}

function formatRows(head: string, rows: readonly Row[], next: ToolCall | undefined): Answer {
  const sources = [...Map.groupBy(rows, ({ stream }) => stream).values()].flatMap((mine) =>
    mine.slice(0, 1).map(({ connector, stream }) => ({ connector, stream, rows: mine })),
  );
  const legend = createLegend(listFieldRows(rows).map(([, flags]) => flags));
  const structured: JsonObject = {
    data: {
      object: "schema",
      detail: "compact",
      complete: next === undefined,
      connectors: sources.map(({ connector, stream, rows: mine }) => ({
        connector_key: connector.connector_key,
        streams: [buildSource(connector, stream, mine)],
      })),
    },
    field_capability_legend: legend,
    ...(next === undefined ? {} : { next }),
  };
  const words = Object.entries(legend).map(([flag, meaning]) => `${flag} ${meaning}`);
  const lines = [
    `${head}; ${next === undefined ? "complete" : "more fields or connections:"}`,
    ...(next === undefined ? [] : [formatCall(next)]),
    ...(words.length === 0 ? [] : [`Flags: ${words.join("; ")}`]),
    ...sources.flatMap(({ connector, stream, rows: mine }) => formatSource(connector, stream, mine)),
    ...sources.flatMap(({ connector, stream, rows: mine }) => [
      `fields of ${connector.connector_key} ${toOneLine(stream.name)}:`,
      ...listFieldRows(mine).map(([field, flags]) => `${toLiteral(field)}: ${flags}`),
    ]),
  ];
  return { structured, text: lines.join("\n") };
}

/** Capabilities of the stream as a whole. */
function describeCapabilities(stream: Stream) {
  const relations = (stream.expand_capabilities ?? []).filter(({ usable }) => usable);
  const searched = Object.values(stream.field_capabilities).some((flags) => flags.split(",").includes("lex"));
  return {
    sort: getSortField(stream) ?? "(record id)",
    count: "exact",
    search: searched ? ["lexical"] : [],
    ...(stream.aggregations === undefined ? {} : { aggregate: [...stream.aggregations] }),
    expand: relations.map(({ name, target_stream, max_limit }) => ({
      name,
      stream: target_stream,
      ...(max_limit === undefined ? {} : { max_limit }),
    })),
  };
}

const listConnectionRows = (rows: readonly Row[]): Connection[] =>
  rows.flatMap(({ connection }) => (connection === undefined ? [] : [connection]));

const listFieldRows = (rows: readonly Row[]): (readonly [string, string])[] =>
  rows.flatMap(({ field }) => (field === undefined ? [] : [field]));

const describeReads = (connector: Connector, stream: Stream, rows: readonly Row[]): ToolCall[] => [
  ...listConnectionRows(rows).map(({ connection_id }) => ({
    tool: "query_records",
    arguments: { stream: stream.name, connection_id },
  })),
  ...listConnections(connector, stream)
    .slice(0, 1)
    .map(({ connection_id }) => ({
      tool: "schema",
      arguments: { stream: stream.name, connection_id, detail: "full" },
    })),
];

function buildSource(connector: Connector, stream: Stream, rows: readonly Row[]): JsonObject {
  const label = stream.display?.label;
  return {
    name: stream.name,
    ...(label === undefined ? {} : { label }),
    connections: listConnectionRows(rows).map(buildConnection),
    connection_count: listConnections(connector, stream).length,
    ...describeCapabilities(stream),
    reads: describeReads(connector, stream, rows),
    field_capabilities: Object.fromEntries(listFieldRows(rows)),
  };
}

function formatSource(connector: Connector, stream: Stream, rows: readonly Row[]): string[] {
  const named = listConnectionRows(rows).map(formatConnection);
  const total = listConnections(connector, stream).length;
  const more = total > named.length ? `${named.length === 0 ? "" : ", "}${total - named.length} on other pages` : "";
  const { search, aggregate, expand } = describeCapabilities(stream);
  const label = stream.display?.label;
  const sorted = getSortField(stream);
  const relations = expand.map(
    ({ name, stream: target, max_limit: most }) =>
      `[${toLiteral(name)}] of ${toOneLine(target)}${most === undefined ? "" : `, expand_limit {${toLiteral(name)}: 1 to ${most}}`}`,
  );
  const can = [
    `sort: order "asc" or "desc" by ${sorted === null ? "record id" : toOneLine(sorted)}`,
    'projection: fields ["name", ...]',
    'count: "exact"',
    `search: ${search.join(", ") || "none"}`,
    ...(aggregate === undefined ? [] : [`aggregate: ${aggregate.join(", ") || "none"}`]),
    `expand: ${relations.join(", ") || "none"}`,
  ];
  return [
    `connector_key ${connector.connector_key}, stream ${toOneLine(stream.name)}${label === undefined ? "" : ` ${toLabel(label)}`}, ` +
      `connection_id ${named.join(", ")}${more}`,
    can.join("; "),
    ...describeReads(connector, stream, rows).map(formatCall),
  ];
}
