import type { CompactSchema, SchemaDocument, StreamList } from "@pdpp/contract/wire";
import { getSortField, toCompactSchema } from "@pdpp/evidence/schema/schema-index";
import { formatStaleness } from "@pdpp/evidence/text/staleness";
import { escapeUnprintable, showLabel } from "./terminal/style.ts";
import { formatFittedTable, formatTable } from "./terminal/table.ts";
import { formatContinuation, formatCount, type View, wrapText } from "./view.ts";

const legend =
  "t=type; role=purpose of the field; unit=field that holds the unit; g=false: not granted; eq: exact filter; r=range filters; lex: searchable; " +
  "a=aggregations. Use them with pdpp read query-records, aggregate and search.";

export function formatSchema(view: View, document: SchemaDocument): string {
  const { connectors } = toCompactSchema(document);
  if (connectors.length === 0) return "This token cannot read any streams.";
  return [...connectors.map((connector) => formatSchemaConnector(view, connector)), wrapText(legend, view.width)].join(
    "\n\n",
  );
}

function formatSchemaConnector(view: View, connector: CompactSchema["connectors"][number]): string {
  const formatSources = (connections: NonNullable<typeof connector.granted_connections>): string =>
    connections
      .map(({ connection_id: id, display_name: label, freshness }) => {
        const notes = [label === undefined ? undefined : showLabel(label), formatStaleness(freshness)];
        const shown = notes.filter((note) => note !== undefined).join("; ");
        return shown === "" ? id : `${id} (${shown})`;
      })
      .map(escapeUnprintable)
      .join(", ");
  const streams = connector.streams.map((stream) => {
    const own = stream.granted_connections === undefined ? "" : `  from ${formatSources(stream.granted_connections)}`;
    const fields = Object.entries(stream.field_capabilities).map(([name, flags]) => [`  ${name}`, flags]);
    return [
      `${view.style.bold(escapeUnprintable(stream.name))}${own}`,
      view.style.dim(`  ${describeStream(stream)}`),
      formatTable(view.style, ["  FIELD", "CAN"], fields),
      ...(stream.granted_connections ?? connector.granted_connections ?? []).map(({ connection_id }) =>
        formatContinuation(view, { operation: "queryRecords", arguments: { stream: stream.name, connection_id } }),
      ),
    ].join("\n");
  });
  const head = `${view.style.bold(escapeUnprintable(connector.connector_key))}  ${formatSources(connector.granted_connections ?? [])}`;
  return [head, ...streams].join("\n");
}

function describeStream(stream: CompactSchema["connectors"][number]["streams"][number]): string {
  const { aggregations } = stream;
  return [
    `sorted by ${escapeUnprintable(getSortField(stream) ?? "record id")}`,
    ...(aggregations === undefined ? [] : [`aggregates: ${aggregations.join(", ") || "none"}`]),
  ].join("; ");
}

export function formatSchemaTable(view: View, document: SchemaDocument): string {
  const rows = toCompactSchema(document).connectors.flatMap((connector) =>
    connector.streams.flatMap((stream) =>
      Object.entries(stream.field_capabilities).map(([name, flags]) => [
        connector.connector_key,
        stream.name,
        name,
        flags,
      ]),
    ),
  );
  return formatTable(view.style, ["CONNECTOR", "STREAM", "FIELD", "CAN"], rows);
}

export function formatStreamsTable(view: View, { data }: StreamList): string {
  if (data.length === 0) return "This token cannot read any streams.";
  const rows = data.map((row) => [
    row.name,
    row.connection_id,
    row.display_name ?? "",
    String(row.record_count),
    row.last_updated ?? "never",
  ]);
  const total = data.reduce((sum, row) => sum + row.record_count, 0);
  return [
    formatFittedTable(view, ["STREAM", "CONNECTION", "LABEL", "RECORDS", "UPDATED"], rows),
    view.style.dim(`${formatCount(data.length, "stream")}, ${formatCount(total, "record")}`),
  ].join("\n");
}
