import type { FullSchema, StreamMetadata } from "@pdpp/contract/wire";
import { describe, expect, it } from "vitest";
import { createCompactSchema, formatFieldFlags } from "./schema-index.ts";

const none = { declared: false, usable: false };
const capability = (usable: boolean) => ({
  type: "text",
  granted: true,
  schema: {},
  exact_filter: { declared: true, usable },
  range_filter: { ...none, operators: [] },
  lexical_search: none,
  semantic_search: none,
  aggregation: {},
});
const stream = (name: string, connections: string[], more: Partial<StreamMetadata> = {}): StreamMetadata => ({
  object: "stream_metadata",
  name,
  primary_key: ["id"],
  cursor_field: null,
  consent_time_field: null,
  semantics: "append_only",
  selection: { fields: true, resources: true },
  schema: {},
  query: {},
  views: [],
  relationships: [],
  freshness: { status: "fresh" },
  granted_connections: connections.map((connection_id) => ({ connection_id })),
  field_capabilities: { id: capability(true) },
  expand_capabilities: [],
  ...more,
});
const schemaOf = (...connectors: StreamMetadata[][]): FullSchema => ({
  object: "schema",
  bearer: { token_kind: "client" },
  connectors: connectors.map((streams, i) => ({
    object: "connector",
    connector_key: `k${i}`,
    connector_id: `k${i}`,
    source: { kind: "connector", id: `k${i}` },
    stream_count: streams.length,
    streams,
  })),
});

describe("[SCH-1] the compact schema", () => {
  it("counts connectors and streams, with one line of flags per field", () => {
    const compact = createCompactSchema(schemaOf([stream("a", ["c1"]), stream("b", ["c1"])], []));
    expect(compact).toMatchObject({ detail: "compact", connector_count: 2, stream_count: 2 });
    expect(compact.connectors[0]!.streams[0]!.field_capabilities).toEqual({ id: "t=text,eq" });
    expect(compact.connectors[1]!.granted_connections).toEqual([]);
  });

  it("lists shared connections once, at the connector", () => {
    const { connectors } = createCompactSchema(
      schemaOf([stream("a", ["c1"]), stream("b", ["c1", "c2"]), stream("c", ["c1", "c2"]), stream("d", ["c3"])]),
    );
    expect(connectors[0]!.granted_connections?.map(({ connection_id }) => connection_id)).toEqual(["c1", "c2"]);
    expect(
      connectors[0]!.streams.map((each) => each.granted_connections?.map(({ connection_id }) => connection_id)),
    ).toEqual([["c1"], undefined, undefined, ["c3"]]);
  });

  it("keeps expansions and display names, and nothing else", () => {
    const relation = {
      name: "replies",
      stream: "a",
      target_stream: "b",
      cardinality: "has_many" as const,
      foreign_key: "a_id",
      granted: true,
    };
    const { connectors } = createCompactSchema(
      schemaOf([
        stream("a", ["c1"], {
          display: { label: "A" },
          expand_capabilities: [
            { ...relation, usable: true, default_limit: 5, max_limit: 20 },
            { ...relation, usable: false, reason: "stream_not_granted" },
          ],
        }),
      ]),
    );
    const shown = { name: "replies", target_stream: "b", cardinality: "has_many" };
    expect(connectors[0]!.streams[0]).toMatchObject({
      display: { label: "A" },
      expand_capabilities: [
        { ...shown, usable: true, default_limit: 5, max_limit: 20 },
        { ...shown, usable: false, reason: "stream_not_granted" },
      ],
    });
  });

  it("marks something as unusable even without a reason", () =>
    expect(formatFieldFlags(capability(false))).toBe("t=text,eq=unusable:unknown"));
});
