import type { ConnectorDeclaration, FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { ConnectorSummary } from "@pdpp/contract/owner";
import type { Style } from "./terminal/style.ts";
import { formatProperties, formatTable } from "./terminal/table.ts";

export function formatConnector(style: Style, connector: ConnectorSummary, declaration: ConnectorDeclaration): string {
  const head = formatProperties(style, [
    ["connector", connector.connector_key],
    ["name", connector.display_name],
    ["id", connector.connector_id],
    ["version", connector.version],
    ["registered", connector.registered_at],
  ]);
  return [head, ...declaration.streams.map((stream) => formatStream(style, stream))].join("\n\n");
}

function formatStream(style: Style, stream: StreamDeclaration): string {
  const head = formatProperties(style, [
    ["stream", stream.name],
    ["about", stream.description],
    ["key", stream.primaryKey.join(", ")],
    ["semantics", stream.semantics],
    ["consent time", stream.consentTimeField],
  ]);
  const fields = formatTable(
    style,
    ["FIELD", "TYPE", "ROLE", "CAN"],
    stream.fields.map((field) => [field.name, field.type ?? field.kind, field.role ?? "", listAbilities(field)]),
  );
  return `${head}\n${fields}`;
}

const listAbilities = (field: FieldDeclaration): string =>
  [
    field.rangeOperators.length > 0 ? "range" : "",
    field.lexical || field.blobText ? "search" : "",
    ...field.aggregations,
  ]
    .filter(Boolean)
    .join(", ");
