import { blobId, describeConnection, type Stored, type Stream, streams } from "./vault.ts";

/** The reads of the other server: records, aggregates, search and field windows in the public shapes. */

export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: object;
  constructor(status: number, code: string, text: string, details: object = {}) {
    super(text);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export function parseFields(query: URLSearchParams): string[] | undefined {
  const given = query.getAll("fields").flatMap((text) => text.split(","));
  return given.length === 0 ? undefined : given;
}

export function toRecordObject(
  stream: Stream,
  { id, connection, emittedAt, data }: Stored,
  fields?: readonly string[],
): object {
  const shown = Object.entries(data).filter(([name]) => fields === undefined || fields.includes(name));
  const withUrls = shown.map(([name, value]) => [
    name,
    name === "blob_ref" ? { ...Object(value), fetch_url: `/v1/blobs/${blobId}` } : value,
  ]);
  return {
    object: "record",
    id,
    stream: stream.name,
    data: Object.fromEntries(withUrls),
    emitted_at: emittedAt,
    ...describeConnection(connection),
    connector_instance_id: connection,
  };
}

export function findRecord(stream: Stream, id: string, connection: string | null): Stored {
  const found = stream.records.filter((each) => each.id === id && (connection ?? each.connection) === each.connection);
  const [first] = found;
  if (first === undefined) throw new RequestError(404, "not_found", "record not found");
  if (found.length > 1)
    throw new RequestError(409, "ambiguous_connection", "several connections have this record; add connection_id", {
      retry_with: "connection_id",
      available_connections: found.map((each) => describeConnection(each.connection)),
    });
  return first;
}

/** Encodes a page's offset as an opaque cursor. */
const encodeCursor = (offset: number): string => Buffer.from(JSON.stringify({ off: offset })).toString("base64url");

function decodeCursor(query: URLSearchParams): number {
  const cursor = query.get("cursor");
  if (cursor === null) return 0;
  const found = /^\{"off":(\d+)\}$/.exec(Buffer.from(cursor, "base64url").toString());
  if (found === null) throw new RequestError(400, "invalid_cursor", "invalid cursor");
  return Number(found[1]);
}

const withCursor = (self: string, cursor: string): string => {
  const next = new URL(self, "http://host");
  next.searchParams.set("cursor", cursor);
  return next.pathname + next.search;
};

/** Only a page from a single connection has a cursor. */
export function listRecords(self: string, stream: Stream, query: URLSearchParams): object {
  const connection = query.get("connection_id");
  const sign = query.get("order") === "asc" ? 1 : -1;
  const getTime = ({ data }: Stored): string => String(data[stream.timeField]);
  const all = stream.records
    .filter((each) => connection === null || each.connection === connection)
    .sort((a, b) => sign * getTime(a).localeCompare(getTime(b)));
  const limit = Math.min(100, Number(query.get("limit") ?? 25));
  const from = decodeCursor(query);
  const rows = all.slice(from, from + limit);
  const more = from + limit < all.length;
  const several = connection === null && stream.connections.length > 1;
  const cursor = more && !several ? encodeCursor(from + limit) : undefined;
  const partial = { code: "partial_results", message: "more records remain; choose a connection" };
  return {
    object: "list",
    data: rows.map((each) => toRecordObject(stream, each, parseFields(query))),
    has_more: more,
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    links: { self, next: cursor === undefined ? null : withCursor(self, cursor) },
    meta: {
      count: query.get("count") === "exact" ? { kind: "exact", value: all.length } : { kind: "none" },
      warnings: more && several ? [partial] : [],
    },
  };
}

export function aggregate(self: string, stream: Stream, query: URLSearchParams): object {
  const field = query.get("field");
  const by = query.get("group_by");
  const groups = Map.groupBy(stream.records, ({ data }) => (by === null ? null : String(data[by])));
  const sum = stream.records.reduce((total, { data }) => total + Number(data[field ?? ""] ?? 0), 0);
  const result = {
    stream: stream.name,
    metric: query.get("metric"),
    field,
    filtered_record_count: stream.records.length,
    approximate: false,
    group_by: by,
    group_by_time: null,
    granularity: null,
    time_zone: null,
    limit: by === null ? null : 10,
    ...(by === null
      ? { value: query.get("metric") === "sum" ? sum : stream.records.length }
      : { groups: [...groups].map(([key, mine]) => ({ key, count: mine.length })), other_count: 0 }),
  };
  // The latest spec puts the result under `data`, earlier ones at the top level. Groups use the former, numbers the latter.
  const envelope = { object: "aggregation", links: { self }, meta: { warnings: [] } };
  return by === null ? { ...result, ...envelope } : { data: result, ...envelope };
}

/** Requires every word, without inflections or operators. */
export function search(self: string, query: URLSearchParams): object {
  const words = String(query.get("q") ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  if (words.length === 0) throw new RequestError(400, "invalid_request", "q is required", { param: "q" });
  const wanted = query.getAll("streams");
  const hits = streams
    .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    .flatMap((stream) => stream.records.flatMap((record) => findHit(stream, record, words)));
  const limit = Math.min(100, Number(query.get("limit") ?? 25));
  const from = decodeCursor(query);
  const more = from + limit < hits.length;
  const cursor = more ? encodeCursor(from + limit) : undefined;
  return {
    object: "list",
    data: hits.slice(from, from + limit),
    has_more: more,
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    links: { self, next: cursor === undefined ? null : withCursor(self, cursor) },
    meta: {
      count: null,
      count_accuracy: "not_counted",
      // Some servers omit this; this one does when nothing matched.
      ...(hits.length === 0 ? {} : { recall: { complete: true, ranking_scope: "all_matches", truncated: false } }),
      warnings: [],
    },
  };
}

function findHit(stream: Stream, record: Stored, words: readonly string[]): object[] {
  const texts = stream.searched.map((field) => ({ field, text: String(record.data[field] ?? "") }));
  const found = texts.find(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  if (found === undefined) return [];
  const { field, text } = found;
  const at = text.toLowerCase().indexOf(words[0] ?? "");
  const around = text.slice(Math.max(0, at - 60), at + 80);
  const marked = words.reduce(
    (shown, word) => shown.replaceAll(new RegExp(`(${word})`, "gi"), "<mark>$1</mark>"),
    around,
  );
  const preview = `${at > 60 ? "… " : ""}${marked}${at + 80 < text.length ? " …" : ""}`;
  const route = `/v1/streams/${stream.name}/records/${encodeURIComponent(record.id)}`;
  return [
    {
      object: "search_result",
      stream: stream.name,
      record_key: record.id,
      connector_id: stream.connector,
      ...describeConnection(record.connection),
      connector_instance_id: record.connection,
      emitted_at: record.emittedAt,
      authored_at: record.data[stream.timeField],
      matched_fields: [field],
      record_url: route,
      snippet: { field, text: preview },
      // Only the best field has an excerpt and a semantic hit has none; the books stream behaves like this.
      ...(stream.name === "pages"
        ? {}
        : {
            evidence_excerpts: [
              {
                object: "evidence_excerpt",
                field_path: field,
                preview_text: preview,
                truncated: true,
                provenance: "lexical_match",
                read: {
                  object: "field_window_read",
                  method: "GET",
                  route: `${route}/field-window`,
                  stream: stream.name,
                  record_id: record.id,
                  field,
                  connection_id: record.connection,
                },
              },
            ],
          }),
    },
  ];
}

export function readFieldWindow(self: string, stream: Stream, record: Stored, query: URLSearchParams): object {
  const field = query.get("field");
  if (field === null) throw new RequestError(400, "invalid_field_path", "field is required", { param: "field" });
  if (!Object.hasOwn(stream.properties, field))
    throw new RequestError(403, "field_not_granted", "the field is not granted");
  const value = record.data[field];
  if (value === undefined) throw new RequestError(404, "field_not_found", "the record has no such field");
  if (typeof value !== "string") throw new RequestError(422, "field_not_text", "the field is not a text");
  const chars = Array.from(value);
  const q = query.get("q");
  const parseNumber = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    if (!/^\d+$/.test(text)) throw new RequestError(400, "invalid_window", `${name} is not a number`, { param: name });
    return Number(text);
  };
  const [offset, before, after] = [
    parseNumber("offset_chars"),
    parseNumber("before_chars"),
    parseNumber("after_chars"),
  ];
  if (q === null && (before ?? after) !== undefined)
    throw new RequestError(400, "invalid_window", "before and after need q");
  if (q !== null && offset !== undefined)
    throw new RequestError(400, "invalid_window", "q and offset exclude each other");
  const unit = q === null ? -1 : value.toLowerCase().indexOf(q.toLowerCase());
  if (q !== null && unit < 0) throw new RequestError(404, "query_not_found", "the field does not contain these words");
  const match = unit < 0 ? null : Array.from(value.slice(0, unit)).length;
  const length = Array.from(q ?? "").length;
  const context = (before ?? after) === undefined ? undefined : (before ?? 0) + length + (after ?? 0);
  const limit = Math.min(16384, parseNumber("limit_chars") ?? context ?? 4096);
  const start = Math.min(chars.length, match === null ? (offset ?? 0) : Math.max(0, match - (before ?? 0)));
  const end = Math.min(chars.length, start + limit);
  return {
    object: "field_window",
    stream: stream.name,
    record_id: record.id,
    url: self,
    field: { path: field, type: "string" },
    window: {
      text: chars.slice(start, end).join(""),
      start_chars: start,
      end_chars: end,
      limit_chars: limit,
      total_chars: chars.length,
      complete: start === 0 && end === chars.length,
      has_more: end < chars.length,
      next_offset_chars: end < chars.length ? end : null,
      previous_offset_chars: start === 0 ? null : Math.max(0, start - limit),
      match_start_chars: match,
      match_end_chars: match === null ? null : match + length,
    },
    links: { self },
    meta: { warnings: [] },
  };
}
