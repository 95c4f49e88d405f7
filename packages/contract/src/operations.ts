import { z } from "zod";
import type { ProblemCode } from "./errors.ts";
import { type OperationName, routes } from "./http/routes.ts";
import type { OwnerRight } from "./owner/owner.ts";
import * as wire from "./wire.ts";

/**
 * The contract: a table of every operation. Routes, the typed client, request validation and OpenAPI are derived from
 * it.
 */

export interface Operation {
  readonly name: OperationName;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: `/${string}`;
  readonly audience: "client" | "owner";
  /** The right an owner token needs. */
  readonly needs: Exclude<OwnerRight, "introspect" | "everything">;
  readonly summary: string;
  /** Path and query parameters in one object. Unknown keys are rejected by name. */
  readonly input: z.ZodObject;
  readonly output: z.ZodType | "bytes" | "ndjson" | "none";
  readonly body?: "ndjson" | "bytes" | "push";
  readonly errors: readonly ProblemCode[];
  /** Error codes of missing or malformed parameters, if not `invalid_request`. */
  readonly faults?: { readonly [param: string]: ProblemCode };
}

const text = z.string().min(1).max(4096);
const connectorId = text.optional().describe("Narrows to the connections of one connector, by its key or its URI");
const connectionId = text.optional().describe("Narrows to one connection of the grant");

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const rangeOperand = z.strictObject({
  gte: scalar.optional(),
  gt: scalar.optional(),
  lte: scalar.optional(),
  lt: scalar.optional(),
});
export type Scalar = z.infer<typeof scalar>;
const filterInput = z
  .record(z.string(), z.union([scalar, rangeOperand]))
  .optional()
  .describe("filter[field]=value, or filter[field][gte|gt|lte|lt]=value; all must hold");

const chars = z.int("must be a whole number of characters").min(0, "must be a whole number of characters");
/** A number out of range is clamped with a warning; anything else is rejected. */
const pageLimit = z.number("must be a number from 1 to 100").meta({ type: "integer" });
const maxChars = chars
  .optional()
  .describe("the page ends where its items, as a tool's result shows them, take more characters; it has one at least");
const fields = z
  .array(z.string().min(1))
  .optional()
  .describe(
    "Narrows each record to these fields (sender.name: a part of an object), and the units of the amounts among them",
  );
const expand = z.array(z.string().min(1)).optional().describe("Declared relationships to bring along");
const expandLimit = z
  .record(z.string(), z.int("must be a whole number"))
  .optional()
  .describe("expand_limit[relationship]=n");

export const countGrades = ["none", "estimated", "exact"] as const;

const readErrors = [
  "invalid_request",
  "authentication_error",
  "grant_revoked",
  "grant_expired",
  "package_revoked",
  "permission_error",
  "connection_not_found",
  "rate_limited",
  "query_too_heavy",
] as const satisfies ProblemCode[];
const streamErrors = [
  ...readErrors,
  "grant_stream_not_allowed",
  "stream_not_declared",
  "ambiguous_connection",
] as const;

export const operations = {
  schema: {
    ...routes.schema,
    audience: "client",
    needs: "read",
    summary: "The connectors, streams and fields the token may read, with their capabilities",
    input: z.strictObject({
      view: z.enum(["compact", "full"]).optional(),
      detail: z.enum(["full", "compact"]).optional(),
      stream: text.optional(),
      connection_id: connectionId,
    }),
    output: wire.schemaDocument,
    errors: [...streamErrors, "ambiguous_schema_detail"],
  },
  connectors: {
    ...routes.connectors,
    audience: "client",
    needs: "read",
    summary: "The connectors behind the token",
    input: z.strictObject({}),
    output: wire.connectorList,
    errors: readErrors,
  },
  streams: {
    ...routes.streams,
    audience: "client",
    needs: "read",
    summary: "One row for every granted stream of every granted connection",
    input: z.strictObject({ connection_id: connectionId }),
    output: wire.streamList,
    errors: readErrors,
  },
  stream: {
    ...routes.stream,
    audience: "client",
    needs: "read",
    summary: "The declaration of one stream",
    input: z.strictObject({ stream: text, connection_id: connectionId }),
    output: wire.singleStream,
    errors: streamErrors,
  },
  queryRecords: {
    ...routes.queryRecords,
    audience: "client",
    needs: "read",
    summary: "A page of records, newest first by default; or, with changes_since, the changes",
    input: z.strictObject({
      stream: text,
      connection_id: connectionId,
      limit: pageLimit.optional().describe("1 to 100, 25 when left out; more is cut to 100 with a warning"),
      cursor: z.string().max(8192).optional().describe("next_cursor of the page before"),
      order: z.enum(["asc", "desc"]).optional(),
      sort: z.array(z.string()).optional().describe("one of the stream's sortable_fields, with - for descending"),
      filter: filterInput,
      fields,
      view: z
        .string()
        .min(1)
        .optional()
        .describe('a view the stream declares, not together with fields; or "evidence": a card for each record'),
      fields_view: z
        .string()
        .min(1)
        .optional()
        .describe("with view=evidence: cards of the fields of this declared view"),
      expand,
      expand_limit: expandLimit,
      count: z.enum(countGrades).optional(),
      window: z.enum(["none", "exact"]).optional(),
      changes_since: z
        .string()
        .max(8192)
        .optional()
        .describe('"beginning", or next_changes_since of an earlier answer'),
      max_chars: maxChars,
    }),
    output: wire.recordList,
    errors: [
      ...streamErrors,
      "invalid_argument",
      "invalid_cursor",
      "invalid_sort",
      "invalid_expand",
      "unknown_field",
      "field_not_granted",
      "insufficient_scope",
      "cursor_expired",
    ],
    faults: { expand_limit: "invalid_expand" },
  },
  fetch: {
    ...routes.fetch,
    audience: "client",
    needs: "read",
    summary: "One record",
    input: z.strictObject({
      stream: text,
      record_id: z.string().min(1),
      connection_id: connectionId,
      fields,
      view: z
        .string()
        .min(1)
        .optional()
        .describe('a view the stream declares; "evidence": its card; "document": a text to read'),
      limit_chars: chars.optional().describe("with view=document: its approximate length in characters; default 8192"),
      max_chars: chars
        .optional()
        .describe("with view=document: the maximum number of characters in a tool's result, text and object together"),
      after_field: text.optional().describe("the document (view=document) of the fields that follow this one"),
      versions: z
        .int("must be a whole number")
        .min(1)
        .max(50)
        .optional()
        .describe("with meta.versions: how many stored versions to list, newest first, with the changes in each"),
      expand,
      expand_limit: expandLimit,
    }),
    output: wire.singleItem,
    errors: [
      ...streamErrors,
      "not_found",
      "invalid_expand",
      "unknown_field",
      "field_not_granted",
      "insufficient_scope",
    ],
    faults: { expand_limit: "invalid_expand" },
  },
  aggregate: {
    ...routes.aggregate,
    audience: "client",
    needs: "read",
    summary: "A number over the granted records of a stream, in all or in groups",
    input: z.strictObject({
      stream: text,
      connection_id: connectionId.describe(
        "One connection of the grant; * asks each that can answer, and adds them up",
      ),
      metric: z.enum(["count", "sum", "min", "max", "count_distinct"]),
      field: z.string().min(1).optional(),
      group_by: z.string().min(1).optional(),
      group_by_time: z.string().min(1).optional(),
      granularity: z.enum(["minute", "hour", "day", "week", "month", "quarter", "year"]).optional(),
      time_zone: z.string().min(1).max(100).optional().describe("an IANA zone; UTC when left out"),
      limit: pageLimit.optional().describe("1 to 100 groups, 10 when left out"),
      cursor: z.string().max(8192).optional().describe("next_cursor of the page of groups before"),
      filter: filterInput,
      max_chars: maxChars,
    }),
    output: wire.aggregation,
    errors: [...streamErrors, "invalid_cursor", "unknown_field", "field_not_granted"],
  },
  search: {
    ...routes.search,
    audience: "client",
    needs: "read",
    summary: "Records that hold the words, best first, with the passages that prove it",
    input: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(20_000)
        .describe('words or a question; "a phrase", begin*, -without; the first 2,000 characters count'),
      streams: z.array(text).optional().describe("only these streams"),
      connection_id: connectionId,
      filter: filterInput,
      since: z.string().max(64).optional().describe("records from that time on, by the stream's declared time"),
      until: z.string().max(64).optional().describe("records before that time"),
      time: z
        .enum(["words"])
        .optional()
        .describe("words: a time in q is only searched for; by default, records of that time are preferred"),
      view: z.enum(["evidence"]).optional().describe("with a card of each record"),
      collapse: z
        .enum(["similar"])
        .optional()
        .describe("hits that show the same but for their time, such as a recurring event, become one with `similar`"),
      spread: z
        .enum(["auto", "year", "month", "day"])
        .optional()
        .describe("with meta.spread: how many hits each source has, and each year, month or day; auto: by their span"),
      max_chars: maxChars,
      limit: pageLimit.optional().describe("1 to 100, 25 when left out; more is cut to 100 with a warning"),
      cursor: z.string().max(8192).optional().describe("next_cursor of the page before"),
    }),
    output: wire.searchList,
    errors: [...streamErrors, "invalid_cursor", "unknown_field", "field_not_granted"],
  },
  readField: {
    ...routes.readField,
    audience: "client",
    needs: "read",
    summary: "A part of one field of a record as text, with the way to the parts before and after it",
    input: z.strictObject({
      stream: text,
      record_id: z.string().min(1),
      connection_id: connectionId,
      field: z
        .string()
        .min(1)
        .max(8192)
        .describe(
          'a field, or a path into it: a.b[0].c, a["key with a dot."]; scan{text} is the text of the blob at scan',
        ),
      offset_chars: chars.optional().describe("where the window begins, in code points; 0 when left out"),
      end_chars: chars.optional().describe("where the window ends, going back from there; not with offset_chars"),
      limit_chars: chars.optional().describe("1 to 16384, 4096 when left out; more is cut to 16384 with a warning"),
      q: z.string().min(1).max(2000).optional().describe("the window is around its first match; not with offset_chars"),
      before_chars: chars
        .optional()
        .describe("with q: what is shown before the match, 400 when left out, 8192 at most"),
      after_chars: chars.optional().describe("with q: what is shown after the match, 1200 when left out, 8192 at most"),
      cursor: z
        .string()
        .min(1)
        .max(8192)
        .optional()
        .describe("next_cursor or previous_cursor of a window; it holds the version, place and limit. Or an offset"),
      version: z.string().min(1).max(64).optional().describe("a record_version; default: the current one"),
      max_chars: chars
        .optional()
        .describe(
          "for the result of a tool: the maximum number of characters of text and object together; the window ends (or, going " +
            "back, starts) before it would exceed them. Encoded bytes are skipped and listed in not_shown",
        ),
    }),
    output: wire.fieldWindow,
    errors: [
      ...streamErrors,
      "invalid_field_path",
      "invalid_window",
      "invalid_cursor",
      "unknown_field",
      "field_not_granted",
      "not_found",
      "field_not_found",
      "query_not_found",
      "field_not_text",
      "blob_not_found",
      "resource_limit",
      "stale_window",
    ],
    faults: {
      field: "invalid_field_path",
      offset_chars: "invalid_window",
      end_chars: "invalid_window",
      max_chars: "invalid_window",
      limit_chars: "invalid_window",
      q: "invalid_window",
      before_chars: "invalid_window",
      after_chars: "invalid_window",
      cursor: "invalid_cursor",
    },
  },
  readBlob: {
    ...routes.readBlob,
    audience: "client",
    needs: "read",
    summary: "The bytes behind a blob reference of a record the token may see; Range and HEAD work",
    input: z.strictObject({ blob_id: text, connection_id: connectionId }),
    output: "bytes",
    errors: [...readErrors, "blob_not_found", "ambiguous_connection", "range_not_satisfiable"],
  },
  export: {
    ...routes.export,
    audience: "client",
    needs: "read",
    summary:
      "Every granted record, one JSON object per line, in a fixed order; `after` continues after a record already received",
    input: z.strictObject({
      stream: text.optional(),
      connection_id: connectionId,
      after: z.string().max(8192).optional().describe("connection_id/stream:record_id of the last record received"),
    }),
    output: "ndjson",
    errors: [...readErrors, "grant_stream_not_allowed", "stream_not_declared", "invalid_cursor"],
  },
  ingest: {
    ...routes.ingest,
    audience: "owner",
    needs: "ingest",
    summary: "Stores records, one JSON object a line; bad lines are reported and the rest is kept",
    input: z.strictObject({
      stream: text,
      connection_id: connectionId,
      connector_id: connectorId,
      run_id: text.optional().describe("A name for this run; the report repeats it"),
    }),
    output: wire.ingestReport,
    body: "ndjson",
    errors: [
      "invalid_request",
      "authentication_error",
      "permission_error",
      "not_found",
      "connection_not_found",
      "ambiguous_connection",
      "ingest_batch_storage_error",
    ],
  },
  push: {
    ...routes.push,
    audience: "owner",
    needs: "push",
    summary:
      "Stores what a phone or program sends to a push source: a location of OwnTracks, Overland or a form, or records; the answer is what the app expects",
    input: z.strictObject({
      connection_id: text,
      lat: text.optional().describe("A location without a body: degrees north"),
      lon: text.optional().describe("Degrees east"),
      time: text.optional().describe("2026-11-01T10:00:00Z, or seconds since 1970"),
      acc: text.optional().describe("Accuracy in metres"),
      alt: text.optional().describe("Altitude in metres"),
      act: text.optional().describe("Activity, such as WALKING"),
      device: text.optional().describe("Name of the device"),
    }),
    output: z.union([z.tuple([]), z.looseObject({ result: z.literal("ok") }), wire.pushReport]),
    body: "push",
    errors: [
      "invalid_request",
      "authentication_error",
      "permission_error",
      "not_found",
      "connection_not_found",
      "resource_limit",
    ],
  },
  putBlob: {
    ...routes.putBlob,
    audience: "owner",
    needs: "ingest",
    summary: "Stores bytes and answers with the blob reference to put into a record",
    input: z.strictObject({
      connection_id: connectionId,
      mime_type: z.string().max(255).optional(),
      connector_id: connectorId,
      stream: text.optional().describe("The stream of the record that will refer to the bytes; it must exist"),
      record_key: z.string().optional().describe("That record; the answer repeats it"),
      json_path: z.string().optional().describe("The field that will hold the reference; the answer repeats it"),
    }),
    output: z.looseObject({ object: z.literal("blob"), ...wire.blobRef.shape }),
    body: "bytes",
    errors: [
      "invalid_request",
      "authentication_error",
      "permission_error",
      "not_found",
      "connection_not_found",
      "resource_limit",
    ],
  },
  deleteRecord: {
    ...routes.deleteRecord,
    audience: "owner",
    needs: "manage",
    summary: "Deletes one record; a tombstone stays for changes_since",
    input: z.strictObject({
      stream: text,
      record_id: z.string().min(1),
      connection_id: connectionId,
      connector_id: connectorId,
    }),
    output: "none",
    errors: ["authentication_error", "permission_error", "not_found", "connection_not_found", "ambiguous_connection"],
  },
  deleteRecords: {
    ...routes.deleteRecords,
    audience: "owner",
    needs: "manage",
    summary: "Deletes every record of a stream of one connection",
    input: z.strictObject({ stream: text, connection_id: connectionId, connector_id: connectorId }),
    output: "none",
    errors: ["authentication_error", "permission_error", "not_found", "connection_not_found", "ambiguous_connection"],
  },
} as const satisfies Record<OperationName, Operation>;

type Operations = typeof operations;

export type { OperationName };
export type Input<N extends OperationName> = z.infer<Operations[N]["input"]>;
export type Output<N extends OperationName> = Operations[N]["output"] extends z.ZodType
  ? z.infer<Operations[N]["output"]>
  : never;

/** The schema of an operation's JSON response. Parsing validates it and turns continuations back into calls. */
export function getResponseSchema<N extends OperationName>(name: N): z.ZodType<Output<N>> {
  const { output }: Operation = operations[name];
  if (typeof output === "string") throw new Error(`the answer of ${name} is not JSON`);
  return output as z.ZodType<Output<N>>;
}

export interface BlobContent {
  readonly status: 200 | 206;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** First and last byte served for a range request. */
  readonly range?: { readonly first: number; readonly last: number };
  readonly bytes: ReadableStream<Uint8Array>;
}

type ReadName = { [N in OperationName]: Operations[N]["audience"] extends "client" ? N : never }[OperationName];

/** The reads that answer with one JSON document; the others stream. */
export type JsonReadName = { [N in ReadName]: Operations[N]["output"] extends z.ZodType ? N : never }[ReadName];

export function isJsonRead(name: OperationName): name is JsonReadName {
  const { audience, output }: Operation = operations[name];
  return audience === "client" && typeof output !== "string";
}

export const jsonReadNames: readonly JsonReadName[] = Object.values(operations)
  .map(({ name }) => name)
  .filter(isJsonRead);

export type JsonReads = { [N in JsonReadName]: (input: Input<N>) => Promise<Output<N>> };

export interface StreamingReads {
  readBlob(input: Input<"readBlob">, range?: string): Promise<BlobContent>;
  export(input: Input<"export">): AsyncIterable<wire.WireRecord>;
}

/** Everything a reader bound to one grant can do. The server, the HTTP client and the adapters in between implement it. */
export type ReadApi = JsonReads & StreamingReads;

/** Makes the read of that name. TypeScript relates the name to its input and output here only. */
export const callRead = <N extends JsonReadName>(reads: JsonReads, name: N, input: Input<N>): Promise<Output<N>> =>
  reads[name](input);

/** Builds a `ReadApi` from one function that makes any JSON read, so that a new operation needs no line here. */
export function mapReads(
  read: <N extends JsonReadName>(name: N, input: Input<N>) => Promise<Output<N>>,
  streaming: StreamingReads,
): ReadApi {
  const reads = Object.fromEntries(jsonReadNames.map((name) => [name, (input: never) => read(name, input)]));
  return { ...(reads as unknown as JsonReads), readBlob: streaming.readBlob, export: streaming.export };
}
