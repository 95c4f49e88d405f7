import { encodeQuery } from "@pdpp/contract/query-string";

/** A REST read as data, for both the model and the server. */

export interface FilterSpec {
  readonly [field: string]: string | { readonly [operator: string]: string };
}

export interface ListRequest {
  readonly op: "list";
  readonly stream: string;
  readonly connection_id?: string;
  readonly limit?: string;
  readonly order?: "asc" | "desc";
  readonly sort?: string[];
  readonly filter?: FilterSpec;
  readonly fields?: string[];
  readonly view?: string;
  readonly expand?: string[];
  readonly expand_limit?: { readonly [name: string]: string };
  readonly count?: "none" | "estimated" | "exact";
  readonly window?: "none" | "exact";
}

export interface FetchRequest {
  readonly op: "fetch";
  readonly stream: string;
  readonly record_id: string;
  readonly connection_id?: string;
  readonly fields?: string[];
  readonly view?: string;
  readonly expand?: string[];
  readonly expand_limit?: { readonly [name: string]: string };
}

export interface AggregateRequest {
  readonly op: "aggregate";
  readonly stream: string;
  readonly connection_id?: string;
  readonly metric: string;
  readonly field?: string;
  readonly group_by?: string;
  readonly group_by_time?: string;
  readonly granularity?: string;
  readonly time_zone?: string;
  readonly limit?: string;
  readonly filter?: FilterSpec;
}

export interface StreamsRequest {
  readonly op: "streams";
  readonly connection_id?: string;
}

export interface BlobRequest {
  readonly op: "blob";
  readonly blob_id: string;
  readonly connection_id?: string;
}

export interface ExportRequest {
  readonly op: "export";
  readonly stream?: string;
  readonly connection_id?: string;
  readonly after?: string;
}

/**
 * Descriptions: the model predicts the part about the grant; the rest is compared between engines and checked for
 * leaks.
 */
export interface SchemaRequest {
  readonly op: "schema" | "stream" | "connectors";
  readonly stream?: string;
  readonly connection_id?: string;
  readonly detail?: string;
  readonly view?: string;
}

export type ReadRequest =
  | ListRequest
  | FetchRequest
  | AggregateRequest
  | StreamsRequest
  | BlobRequest
  | ExportRequest
  | SchemaRequest;

/** The URL, built from the wire contract rather than the server's own table. */
export function buildPath(request: ReadRequest): string {
  const { op, ...rest } = request;
  const query = { ...rest } as Record<string, unknown>;
  const segment = (name: string): string => {
    const value = String(query[name]);
    if (value === "." || value === "..") return "_";
    delete query[name];
    return encodeURIComponent(value);
  };
  const path = {
    list: () => `/v1/streams/${segment("stream")}/records`,
    fetch: () => `/v1/streams/${segment("stream")}/records/${segment("record_id")}`,
    aggregate: () => `/v1/streams/${segment("stream")}/aggregate`,
    streams: () => "/v1/streams",
    stream: () => `/v1/streams/${segment("stream")}`,
    blob: () => `/v1/blobs/${segment("blob_id")}`,
    export: () => "/v1/export",
    schema: () => "/v1/schema",
    connectors: () => "/v1/connectors",
  }[op]();
  const text = encodeQuery(query);
  return text === "" ? path : `${path}?${text}`;
}
