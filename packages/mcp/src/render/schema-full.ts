import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { FullSchema, StreamMetadata } from "@pdpp/contract/wire";
import { callLine, definedOnly, literal, type ToolCall } from "../continuation.ts";
import { fitsEachForm, mostFitting } from "../size.ts";
import type { Answer } from "../tool.ts";

/** All that one stream of one source declares, its fields in pages if they are many. */

interface Asked {
  readonly stream?: string | undefined;
  readonly connection_id?: string | undefined;
}

export function fullDetail(schema: FullSchema, asked: Asked, from: number): Answer {
  const [connector] = schema.connectors;
  const [stream] = connector!.streams;
  const names = Object.keys(stream!.field_capabilities);
  const left = Math.max(0, names.length - from);
  const page = (count: number): Answer => {
    const end = from + count;
    const next: ToolCall | undefined =
      end >= names.length
        ? undefined
        : { tool: "schema", arguments: definedOnly({ ...asked, cursor: String(end) }) as JsonObject };
    return fullAnswer(connector!.connector_key, only(stream!, names.slice(from, end), from === 0), next);
  };
  return page(mostFitting(left, (count) => fitsEachForm(page(count))));
}

/** The stream with these fields; what is not about fields stands on the first page. */
function only(stream: StreamMetadata, names: readonly string[], first: boolean): JsonObject {
  const { field_capabilities, schema: _schema, query: _query, ...rest } = stream;
  const capabilities = names.map((name) => [name, field_capabilities[name]!] as const);
  const head = first ? (rest as unknown as JsonObject) : { object: stream.object, name: stream.name };
  return { ...head, field_capabilities: Object.fromEntries(capabilities) as unknown as Json };
}

function fullAnswer(connectorKey: string, stream: JsonObject, next: ToolCall | undefined): Answer {
  const data: JsonObject = { object: "schema", detail: "full", connector_key: connectorKey, stream };
  return {
    structured: { data, ...(next === undefined ? {} : { next: next as unknown as Json }) },
    text: [
      `Stream ${literal(stream.name)} of ${connectorKey}, all that is declared; ${next === undefined ? "complete" : "more fields:"}`,
      ...(next === undefined ? [] : [callLine(next)]),
      ...Object.entries(stream)
        .filter(([name]) => name !== "field_capabilities")
        .map(([name, value]) => `${name}: ${literal(value)}`),
      ...Object.entries(stream.field_capabilities as JsonObject).map(
        ([name, capability]) => `field ${literal(name)}: ${literal(capability)}`,
      ),
    ].join("\n"),
  };
}
