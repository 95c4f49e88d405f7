import { listen } from "../mcp/clients.ts";
import {
  aggregate,
  findRecord,
  listRecords,
  parseFields,
  RequestError,
  readFieldWindow,
  search,
  toRecordObject,
} from "./reads.ts";
import {
  blobBytes,
  blobId,
  buildSchema,
  describeStream,
  groupConnectors,
  listStreamRows,
  streams,
  toList,
} from "./vault.ts";

/**
 * Stands in for another implementation of the public protocol: only the public paths, parameters and shapes, none of our extensions. As in
 * the frozen version of the protocol, a client token may not filter, expand or choose a view.
 */

const publicToken = `pdpp_${"a".repeat(43)}`;

export interface OtherServer {
  readonly url: string;
  readonly token: string;
  /** Path and query of every request, in order. */
  readonly requests: string[];
  /** Parameters outside the public protocol, as `path: name`. Each was rejected with 400, or ignored by a field window. */
  readonly strays: string[];
  close(): Promise<void>;
}

const types: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
};

export async function startOtherServer(): Promise<OtherServer> {
  const requests: string[] = [];
  const strays: string[] = [];
  const { url, close } = await listen(async (request) => {
    const address = new URL(request.url);
    requests.push(address.pathname + address.search);
    const requestId = request.headers.get("request-id") ?? `req_${requests.length}`;
    const headers = { "Request-Id": requestId, "PDPP-Version": "2026-04-06" };
    try {
      const answer = answerTo(address, request, strays);
      if (answer instanceof Response) return answer;
      return Response.json(answer, { headers });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { status, code, message: text, details } = error;
      const body = { type: types[status] ?? "api_error", code, message: text, request_id: requestId, ...details };
      return Response.json({ error: body }, { status, headers });
    }
  });
  return { url, token: publicToken, requests, strays, close };
}

function answerTo(address: URL, request: Request, strays: string[]): object {
  const { origin, pathname, searchParams: query } = address;
  if (pathname === "/.well-known/oauth-protected-resource") return describeResource(origin);
  if (request.headers.get("authorization") !== `Bearer ${publicToken}`)
    throw new RequestError(401, "authentication_error", "a bearer token is required");
  const parts = pathname.split("/").slice(1).map(decodeURIComponent);
  const [version, collection, name, records, id, window] = parts;
  if (version !== "v1") throw createNotFound();
  const self = address.pathname + address.search;
  const check = (allowed: readonly string[], refuse = true): void => {
    for (const key of new Set(query.keys())) {
      if (allowed.includes(key.replace(/\[.*$/, ""))) continue;
      strays.push(`${pathname}: ${key}`);
      if (refuse) throw new RequestError(400, "invalid_request", `unknown parameter ${key}`, { param: key });
    }
    // Only the owner may filter, expand and choose views.
    const owners = [...query.keys()].find((key) => /^(filter|expand|expand_limit|view)(\[|$)/.test(key));
    if (owners !== undefined && collection !== "schema")
      throw new RequestError(400, "invalid_request", `${owners} is for the owner`, { param: owners });
  };
  if (collection === "schema" && name === undefined) {
    check(["view", "stream", "connection_id", "detail"]);
    return buildSchema(query);
  }
  if (collection === "connectors" && name === undefined) {
    check([]);
    return toList(
      self,
      [...groupConnectors().values()].map(({ streams: _, ...connector }) => connector),
    );
  }
  if (collection === "search" && name === undefined) {
    check(["q", "streams", "limit", "connection_id", "connector_instance_id", "filter", "cursor"]);
    return search(self, query);
  }
  if (collection === "blobs" && name !== undefined) {
    check(["connection_id"]);
    if (name !== blobId) throw new RequestError(404, "blob_not_found", "blob not found");
    return new Response(blobBytes, {
      headers: { "content-type": "application/pdf", "content-length": String(blobBytes.length) },
    });
  }
  if (collection !== "streams") throw createNotFound();
  if (name === undefined) {
    check(["connection_id"]);
    return toList(self, listStreamRows(query.get("connection_id")));
  }
  const stream = streams.find((each) => each.name === name);
  if (stream === undefined) throw new RequestError(403, "grant_stream_not_allowed", "the stream is not in the grant");
  if (records === undefined) {
    check(["connection_id"]);
    return { ...describeStream(stream), links: { self }, meta: { warnings: [] } };
  }
  if (records === "aggregate") {
    check([
      "metric",
      "field",
      "group_by",
      "group_by_time",
      "granularity",
      "time_zone",
      "limit",
      "filter",
      "connection_id",
    ]);
    return aggregate(self, stream, query);
  }
  if (records !== "records") throw createNotFound();
  if (id === undefined) {
    check(
      [
        "limit",
        "cursor",
        "order",
        "sort",
        "filter",
        "fields",
        "view",
        "expand",
        "expand_limit",
        "count",
        "window",
      ].concat(["changes_since", "connection_id", "connector_instance_id"]),
    );
    return listRecords(self, stream, query);
  }
  if (window === undefined) {
    check(["connection_id", "fields", "expand", "expand_limit"]);
    const found = findRecord(stream, id, query.get("connection_id"));
    const fields = parseFields(query);
    return {
      ...toRecordObject(stream, found, fields),
      connector_key: stream.connector,
      links: { self },
      meta: { warnings: [] },
    };
  }
  if (window !== "field-window") throw createNotFound();
  const selectors = ["field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars", "connection_id"];
  check(selectors, false);
  return readFieldWindow(self, stream, findRecord(stream, id, query.get("connection_id")), query);
}

const createNotFound = (): RequestError => new RequestError(404, "not_found", "not found");

const describeResource = (origin: string): object => ({
  resource: origin,
  resource_name: "another vault",
  authorization_servers: [origin],
  bearer_methods_supported: ["header"],
  pdpp_core_query_base: `${origin}/v1`,
  pdpp_token_kinds_supported: ["owner", "client"],
  pdpp_discovery_hints: { schema_endpoint: `${origin}/v1/schema`, query_base: `${origin}/v1` },
  capabilities: {
    lexical_retrieval: {
      supported: true,
      endpoint: `${origin}/v1/search`,
      cross_stream: true,
      snippets: true,
      default_limit: 25,
      max_limit: 100,
      cursor_supported: true,
      count_supported: false,
    },
  },
});
