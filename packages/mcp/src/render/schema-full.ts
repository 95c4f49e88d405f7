import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { FullSchema, StreamMetadata } from "@pdpp/contract/wire";
import { createLegend, formatFieldFlags } from "@pdpp/evidence/schema/schema-index";
import { findMostFitting } from "@pdpp/evidence/sizes/size";
import { toLiteral } from "@pdpp/evidence/text/literal";
import { formatCall, omitUndefined, type ToolCall } from "../layout/call.ts";
import { fitsTextAndObject } from "../size.ts";
import type { Answer } from "../tool.ts";
import { checkInRange } from "./schema-index.ts";

/** Everything one stream declares, in pages if necessary. */

interface SchemaRequest {
  readonly stream?: string | undefined;
  readonly connection_id?: string | undefined;
}

/** A piece of the document with its path; fields also have a line of text. */
interface Part {
  readonly path: readonly [string, ...string[]];
  readonly value: Json;
  readonly line: string;
  readonly flags?: string;
}

export function formatFullSchema(schema: FullSchema, asked: SchemaRequest, from: number): Answer {
  const [source] = schema.connectors.flatMap(({ connector_key, streams }) =>
    streams.map((stream) => ({ connectorKey: connector_key, stream })),
  );
  if (source === undefined) throw new Error("a schema of one stream without the stream");
  const parts = splitDocument(source.stream);
  checkInRange(from, parts.length, "part");
  const left = parts.length - from;
  const buildPage = (count: number, dropped?: Part): Answer => {
    const end = from + count;
    const { stream, connection_id } = asked;
    const next: ToolCall | undefined =
      end >= parts.length
        ? undefined
        : { tool: "schema", arguments: omitUndefined({ stream, connection_id, detail: "full", cursor: String(end) }) };
    return formatParts(source, dropped === undefined ? parts.slice(from, end) : [], next, dropped);
  };
  const most = findMostFitting(left, (count) => fitsTextAndObject(buildPage(count)));
  const whole = buildPage(most);
  // A part too long for any result is described instead, and the page continues after it.
  return most > 1 || fitsTextAndObject(whole) ? whole : buildPage(1, parts[from]);
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function splitDocument(stream: StreamMetadata): Part[] {
  const { field_capabilities: fields, schema, query, object: _object, name: _name, ...rest } = stream;
  const { properties: _properties, ...shape } = schema;
  const addPart = (path: Part["path"], value: Json): Part => ({
    path,
    value,
    line: `${path.join(".")}: ${toLiteral(value)}`,
  });
  const isWithin = (path: Part["path"], values: object, deep: boolean): Part[] =>
    Object.entries(values as JsonObject).flatMap(([key, value]) =>
      deep && isObject(value) ? isWithin([...path, key], value, false) : [addPart([...path, key], value)],
    );
  return [
    ...Object.entries(rest as JsonObject).map(([key, value]) => addPart([key], value)),
    ...isWithin(["schema"], shape, false),
    ...isWithin(["query"], query, true),
    ...Object.entries(fields).map(([name, capability]): Part => {
      const flags = formatFieldFlags(capability);
      const value = capability as JsonObject;
      return {
        path: ["field_capabilities", name],
        value,
        flags,
        line: `field ${toLiteral(name)}: ${flags} ${toLiteral(value.schema)}`,
      };
    }),
  ];
}

function formatParts(
  { connectorKey, stream }: { readonly connectorKey: string; readonly stream: StreamMetadata },
  parts: readonly Part[],
  next: ToolCall | undefined,
  dropped: Part | undefined,
): Answer {
  const chars = dropped === undefined ? 0 : JSON.stringify(dropped.value).length;
  const data: JsonObject = {
    object: "schema",
    detail: "full",
    complete: next === undefined && dropped === undefined,
    connector_key: connectorKey,
    ...(dropped === undefined ? {} : { omitted: { path: [...dropped.path], chars } }),
    stream: joinParts(stream, parts),
  };
  const legend = Object.entries(createLegend(parts.flatMap(({ flags }) => flags ?? [])));
  const state = next === undefined ? (dropped === undefined ? "complete" : "not complete") : "more:";
  return {
    structured: { data, ...(next === undefined ? {} : { next }) },
    text: [
      `Stream ${toLiteral(stream.name)} of ${connectorKey}, full declaration; ${state}`,
      ...(next === undefined ? [] : [formatCall(next)]),
      ...(dropped === undefined
        ? []
        : [`${dropped.path.join(".")} has ${chars} characters, too many for a result; pdpp read schema shows it`]),
      ...(legend.length === 0 ? [] : [`Flags: ${legend.map(([flag, meaning]) => `${flag} ${meaning}`).join("; ")}`]),
      ...parts.map(({ line }) => line),
    ].join("\n"),
  };
}

/** Puts the parts back at their paths in the document. */
function joinParts({ object, name }: StreamMetadata, parts: readonly Part[]): JsonObject {
  const document: JsonObject = { object, name };
  for (const { path, value } of parts) {
    let place = document;
    for (const key of path.slice(0, -1)) {
      const held = Object.hasOwn(place, key) ? place[key] : undefined;
      const inner: JsonObject = held !== undefined && isObject(held) ? held : {};
      place[key] = inner;
      place = inner;
    }
    place[path.at(-1) ?? ""] = value;
  }
  // Present even on a page without fields.
  document.field_capabilities ??= {};
  return document;
}
