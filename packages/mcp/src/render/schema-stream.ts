import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { CompactSchema } from "@pdpp/contract/wire";
import { flagLegend } from "@pdpp/evidence/schema-index";
import { callLine, definedOnly, literal, oneLine, type ToolCall } from "../continuation.ts";
import { mostFitting, rawChars, sizes } from "../size.ts";
import type { Answer } from "../tool.ts";

/** One stream of every source that has it: its fields with their flags, and what can be done with it. */

type Connector = CompactSchema["connectors"][number];
type Stream = Connector["streams"][number];

type Connection = Connector["granted_connections"][number];

/** A field of a stream, or a connection that has it: each has its place on one of the pages. */
interface Row {
  readonly connector: Connector;
  readonly stream: Stream;
  readonly field?: readonly [name: string, flags: string];
  readonly connection?: Connection;
}

interface Asked {
  readonly stream: string;
  readonly connection_id?: string | undefined;
}

export function streamDetail(schema: CompactSchema, asked: Asked, from: number): Answer {
  const rows = schema.connectors.flatMap((connector) =>
    connector.streams.flatMap((stream): Row[] => [
      ...connectionsOf(connector, stream).map((connection) => ({ connector, stream, connection })),
      ...Object.entries(stream.field_capabilities)
        .sort(([, a], [, b]) => weightOf(a) - weightOf(b))
        .map((field) => ({ connector, stream, field })),
    ]),
  );
  const left = Math.max(0, rows.length - from);
  const page = (count: number): Answer => {
    const end = from + count;
    const next = end >= rows.length ? undefined : nextCall(asked, end);
    return detailAnswer(asked, rows.slice(from, end), next);
  };
  return page(mostFitting(left, (count) => rawChars(page(count)) <= sizes.raw));
}

/** Fields that mean something to a reader come first, then those that can do something; the rest may be cut away. */
const weightOf = (flags: string): number => (/\brole=/.test(flags) ? 0 : /,(?:r=|lex|a=)/.test(flags) ? 1 : 2);

const nextCall = (asked: Asked, end: number): ToolCall => ({
  tool: "schema",
  arguments: definedOnly({
    stream: asked.stream,
    connection_id: asked.connection_id,
    cursor: String(end),
  }) as JsonObject,
});

function detailAnswer(asked: Asked, rows: readonly Row[], next: ToolCall | undefined): Answer {
  const sources = [...Map.groupBy(rows, ({ stream }) => stream)].map(([stream, mine]) => ({
    stream,
    connector: mine[0]!.connector,
    rows: mine,
  }));
  const structured: JsonObject = {
    data: {
      object: "schema",
      detail: "compact",
      complete: next === undefined,
      connectors: sources.map(({ connector, stream, rows: mine }) => ({
        connector_key: connector.connector_key,
        streams: [sourceObject(connector, stream, mine)],
      })) as unknown as Json,
    },
    field_capability_legend: flagLegend,
    ...(next === undefined ? {} : { next: next as unknown as Json }),
  };
  const lines = [
    `Stream ${literal(asked.stream)} of ${sources.length} connector${sources.length === 1 ? "" : "s"}; ` +
      `${next === undefined ? "complete" : "more fields or connections:"}`,
    ...(next === undefined ? [] : [callLine(next)]),
    `Flags: ${Object.entries(flagLegend)
      .map(([flag, meaning]) => `${flag} ${meaning}`)
      .join("; ")}`,
    ...sources.flatMap(({ connector, stream, rows: mine }) => sourceLines(connector, stream, mine)),
    ...sources.flatMap(({ connector, stream, rows: mine }) => [
      `fields of ${connector.connector_key} ${oneLine(stream.name)}:`,
      ...fieldsIn(mine).map(([field, flags]) => `${literal(field)}: ${flags}`),
    ]),
  ];
  return { structured, text: lines.join("\n") };
}

const connectionsOf = (connector: Connector, stream: Stream) =>
  stream.granted_connections ?? connector.granted_connections;

interface Relation {
  readonly name: string;
  readonly target_stream: string;
  readonly usable: boolean;
  readonly max_limit?: number;
}

/** The field that orders the stream, if it is granted; another may not order. */
function sortable({ cursor_field: field, field_capabilities: fields }: Stream): string | null {
  if (typeof field !== "string") return null;
  return fields[field]?.split(",").includes("g=false") ? null : field;
}

/** What can be done with the stream as a whole. */
function abilities(stream: Stream): JsonObject {
  const relations = ((stream.expand_capabilities ?? []) as readonly Relation[]).filter(({ usable }) => usable);
  const searched = Object.entries(stream.field_capabilities).filter(([, flags]) => flags.split(",").includes("lex"));
  return {
    sort: sortable(stream),
    count: true,
    search: searched.length === 0 ? [] : ["lexical"],
    expand: relations.map(({ name, target_stream, max_limit }) => ({
      name,
      stream: target_stream,
      ...(max_limit === undefined ? {} : { max_limit }),
    })),
  };
}

const connectionsIn = (rows: readonly Row[]): Connection[] =>
  rows.flatMap(({ connection }) => (connection === undefined ? [] : [connection]));

const fieldsIn = (rows: readonly Row[]): (readonly [string, string])[] =>
  rows.flatMap(({ field }) => (field === undefined ? [] : [field]));

const reads = (stream: Stream, rows: readonly Row[]): ToolCall[] =>
  connectionsIn(rows).map(({ connection_id: id }) => ({
    tool: "query_records",
    arguments: { stream: stream.name, connection_id: id },
  }));

const detailCall = (connector: Connector, stream: Stream): ToolCall => ({
  tool: "schema",
  arguments: { stream: stream.name, connection_id: connectionsOf(connector, stream)[0]!.connection_id, detail: "full" },
});

const labelOf = (stream: Stream): string | undefined => {
  const label = (stream.display as { label?: unknown } | undefined)?.label;
  return typeof label === "string" ? label : undefined;
};

function sourceObject(connector: Connector, stream: Stream, rows: readonly Row[]): JsonObject {
  const label = labelOf(stream);
  return {
    name: stream.name,
    ...(label === undefined ? {} : { label }),
    connections: connectionsIn(rows) as unknown as Json,
    connection_count: connectionsOf(connector, stream).length,
    ...abilities(stream),
    reads: [...reads(stream, rows), detailCall(connector, stream)] as unknown as Json,
    field_capabilities: Object.fromEntries(fieldsIn(rows)),
  };
}

function sourceLines(connector: Connector, stream: Stream, rows: readonly Row[]): string[] {
  const named = connectionsIn(rows).map(({ connection_id: id, display_name: label }) =>
    label === undefined ? id : `${id} ${literal(label)}`,
  );
  const total = connectionsOf(connector, stream).length;
  const more = total > named.length ? `${named.length === 0 ? "" : ", "}${total - named.length} on other pages` : "";
  const { sort, search, expand } = abilities(stream) as unknown as {
    sort: string | null;
    search: string[];
    expand: Relation[];
  };
  const label = labelOf(stream);
  const relations = (expand as unknown as { name: string; stream: string; max_limit?: number }[]).map(
    (each) =>
      `[${literal(each.name)}] of ${oneLine(each.stream)}${each.max_limit === undefined ? "" : `, expand_limit {${literal(each.name)}: 1 to ${each.max_limit}}`}`,
  );
  return [
    `connector_key ${connector.connector_key}, stream ${oneLine(stream.name)}${label === undefined ? "" : ` ${literal(label)}`}, ` +
      `connection_id ${named.join(", ")}${more}`,
    `sort: ${sort === null ? "none" : `order "asc" or "desc" by ${oneLine(sort)}`}; projection: fields ["name", ...]; count: "exact"; ` +
      `search: ${search.join(", ") || "none"}; expand: ${relations.join(", ") || "none"}`,
    ...[...reads(stream, rows), detailCall(connector, stream)].map(callLine),
  ];
}
