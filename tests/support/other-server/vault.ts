import { createHash } from "node:crypto";

/** The other server's data and how it describes it: the schema and the streams of a client's grant. */

type Data = { readonly [field: string]: unknown };

export interface Stored {
  readonly id: string;
  readonly connection: string;
  readonly emittedAt: string;
  readonly data: Data;
}

export interface Stream {
  readonly name: string;
  readonly connector: string;
  readonly connections: readonly string[];
  readonly timeField: string;
  readonly searched: readonly string[];
  readonly summed: readonly string[];
  readonly properties: { readonly [field: string]: { readonly [key: string]: unknown } };
  readonly records: readonly Stored[];
}
const names: { readonly [connection: string]: string | undefined } = {
  cin_a: "Work",
  cin_b: undefined,
  cin_s: "Shelf",
};
const buildLines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i} of the talk 漢字 😀`).join("\n");

export const longText = `${buildLines(200)}\nThe bridge over the canal is closed until March.\n${buildLines(150)}`;
export const blobBytes = new Uint8Array([0, 1, 2, 3, 255, 27]);
const sha256 = createHash("sha256").update(blobBytes).digest("hex");
export const blobId = `blob_sha256_${sha256}`;

const buildMessage = (id: string, connection: string, day: string, data: Data): Stored => ({
  id,
  connection,
  emittedAt: "2026-06-01T12:00:00.000Z",
  data: { id, sent_at: `2026-04-${day}T09:00:00Z`, ...data },
});

export const streams: readonly Stream[] = [
  {
    name: "messages",
    connector: "slack",
    connections: ["cin_a", "cin_b"],
    timeField: "sent_at",
    searched: ["subject", "text"],
    summed: ["likes"],
    properties: {
      id: { type: "string" },
      subject: { type: "string", x_pdpp_role: "primary-title", x_pdpp_type: "text" },
      sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time", x_pdpp_type: "timestamp" },
      author: { type: "string", x_pdpp_role: "actor", x_pdpp_type: "person" },
      text: { type: "string", x_pdpp_type: "text" },
      likes: { type: "integer" },
      blob_ref: { type: ["object", "null"], x_pdpp_type: "blob" },
    },
    records: [
      buildMessage("m1", "cin_a", "03", { subject: "The canal", author: "Ada", text: longText, likes: 3 }),
      buildMessage("m2", "cin_a", "02", {
        subject: "Short",
        author: "Bo",
        text: "Which bridge?",
        likes: 4,
        blob_ref: { blob_id: blobId, mime_type: "application/pdf", size_bytes: blobBytes.length, sha256 },
      }),
      ...Array.from({ length: 6 }, (_, i) =>
        buildMessage(`n${i}`, "cin_a", `1${i}`, { subject: `Note ${i}`, author: "Ada", text: `number ${i}`, likes: 0 }),
      ),
      buildMessage("m1", "cin_b", "01", { subject: "Elsewhere", author: "Cy", text: "the same key", likes: 1 }),
    ],
  },
  {
    // No roles, and a composite key.
    name: "pages",
    connector: "books",
    connections: ["cin_s"],
    timeField: "read_at",
    searched: ["quote"],
    summed: [],
    properties: {
      book: { type: "string" },
      page: { type: "integer" },
      quote: { type: "string" },
      read_at: { type: "string", format: "date-time" },
    },
    records: [
      {
        id: '["walden","12"]',
        connection: "cin_s",
        emittedAt: "2026-06-02T12:00:00.000Z",
        data: { book: "walden", page: 12, quote: "I went to the woods by the bridge", read_at: "2026-05-01T10:00:00Z" },
      },
    ],
  },
];
export const describeConnection = (connection: string): object => {
  const name = names[connection];
  return { connection_id: connection, ...(name === undefined ? {} : { display_name: name }) };
};

export const toList = (self: string, data: readonly object[]): object => ({
  object: "list",
  data,
  has_more: false,
  links: { self, next: null },
  meta: { count: { kind: "none" }, warnings: [] },
});

const flag = (declared: boolean): object => ({ declared, usable: declared });

/** A client's schema does not list filters. */
export function describeStream(stream: Stream): object {
  const capabilities = Object.entries(stream.properties).map(([name, property]) => [
    name,
    {
      ...(property.x_pdpp_type === undefined ? {} : { type: property.x_pdpp_type }),
      ...(property.x_pdpp_role === undefined ? {} : { role: property.x_pdpp_role }),
      granted: true,
      schema: property,
      lexical_search: flag(stream.searched.includes(name)),
      semantic_search: flag(false),
      aggregation: { sum: flag(stream.summed.includes(name)), group_by: flag(name === "author") },
    },
  ]);
  return {
    object: "stream_metadata",
    name: stream.name,
    primary_key: stream.name === "pages" ? ["book", "page"] : ["id"],
    cursor_field: stream.timeField,
    consent_time_field: stream.timeField,
    semantics: "append_only",
    selection: { fields: true, resources: true },
    schema: { type: "object", properties: stream.properties },
    query: { search: { lexical_fields: stream.searched } },
    views: [],
    relationships: [],
    freshness: { status: "unknown" },
    granted_connections: stream.connections.map(describeConnection),
    field_capabilities: Object.fromEntries(capabilities),
    expand_capabilities: [],
  };
}

interface Connector {
  readonly object: "connector";
  readonly connector_key: string;
  readonly connector_id: string;
  readonly source: object;
  readonly stream_count: number;
  readonly streams: readonly Stream[];
}

export const groupConnectors = (): Map<string, Connector> =>
  new Map(
    [...Map.groupBy(streams, ({ connector }) => connector)].map(([key, mine]) => [
      key,
      {
        object: "connector",
        connector_key: key,
        connector_id: key,
        source: { kind: "connector", id: `https://example.org/${key}` },
        stream_count: mine.length,
        streams: mine,
      },
    ]),
  );

export function buildSchema(query: URLSearchParams): object {
  const isWanted = (stream: Stream): boolean =>
    (query.get("stream") ?? stream.name) === stream.name &&
    (query.get("connection_id") === null || stream.connections.includes(String(query.get("connection_id"))));
  const bearer = { token_kind: "client", scope: "grant", grant_id: "g", client_id: "c" };
  const chosen = [...groupConnectors().values()].flatMap((connector) => {
    const mine = connector.streams.filter(isWanted);
    return mine.length === 0 ? [] : [{ ...connector, stream_count: mine.length, streams: mine }];
  });
  if (query.get("view") !== "compact") {
    const full = chosen.map((connector) => ({ ...connector, streams: connector.streams.map(describeStream) }));
    return { object: "schema", bearer, connectors: full };
  }
  const compact = chosen.map((connector) => ({
    ...connector,
    granted_connections: connector.streams.flatMap((stream) => stream.connections.map(describeConnection)),
    streams: connector.streams.map((stream) => ({
      name: stream.name,
      primary_key: ["id"],
      cursor_field: stream.timeField,
      record_count: stream.records.length,
      field_capabilities: Object.fromEntries(
        Object.entries(stream.properties).map(([name, property]) => [name, formatFlags(stream, name, property)]),
      ),
    })),
  }));
  const streamCount = chosen.reduce((sum, { streams: mine }) => sum + mine.length, 0);
  return {
    object: "schema",
    bearer,
    detail: "compact",
    connector_count: chosen.length,
    stream_count: streamCount,
    connectors: compact,
  };
}

const formatFlags = (stream: Stream, name: string, property: Stream["properties"][string]): string =>
  [
    property.x_pdpp_type === undefined ? "" : `t=${property.x_pdpp_type}`,
    property.x_pdpp_role === undefined ? "" : `role=${property.x_pdpp_role}`,
    stream.searched.includes(name) ? "lex" : "",
  ]
    .filter(Boolean)
    .join(",") || "declared";

export const listStreamRows = (connection: string | null): object[] =>
  streams.flatMap((stream) =>
    stream.connections
      .filter((id) => connection === null || id === connection)
      .map((id) => ({
        object: "stream",
        name: stream.name,
        record_count: stream.records.filter((record) => record.connection === id).length,
        last_updated: "2026-06-01T12:00:00.000Z",
        freshness: { status: "unknown" },
        ...describeConnection(id),
        connector_instance_id: id,
      })),
  );
