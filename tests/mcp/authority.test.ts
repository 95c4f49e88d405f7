import { type Connected, connect, listen, surfaces } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, grantArchive, type McpWorld } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { now } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { revoke } from "#server/store/access/grants";
import { sql } from "#server/store/engine/sql";
import { chosenSurfaces } from "./every-surface.ts";

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
}

let world: McpWorld;
/** Records the adapter's requests on their way to the server. */
let proxy: { url: string; close(): Promise<void> };
let seen: SentRequest[] = [];
let answer: ((request: Request) => Response | undefined) | undefined;
beforeAll(async () => {
  world = await createMcpWorld(await createVault("sqlite"));
  const app = createApp({ store: world.vault.store, now: () => now });
  proxy = await listen((request) => {
    const { pathname } = new URL(request.url);
    seen.push({ method: request.method, path: pathname, authorization: request.headers.get("authorization") });
    return answer?.(request) ?? app.fetch(request);
  });
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

const readLogRows = async (requestId: unknown) => {
  await world.vault.store.log.flush();
  return world.vault.store.engine.read((on) =>
    on.all<Record<string, unknown>>(
      sql`SELECT operation, connection_ids, stream, status, records, client, substr(request, 17) AS request FROM access_log WHERE request_id = ${String(requestId)}`,
    ),
  );
};

describe.each(surfaces.filter(({ transport }) => transport === "stdio"))("the adapter in the $era era", (surface) => {
  let client: Connected;
  beforeAll(async () => {
    client = await connect(surface, proxy.url, world.token);
  });
  afterAll(() => client.close());

  it("[AUT-2] sends only client reads, with the one credential it was given", async () => {
    seen = [];
    await client.call("schema");
    await client.call("schema", { stream: "messages" });
    await client.call("search", { query: "boiler" });
    await client.call("query_records", { stream: "messages" });
    await client.call("aggregate", { stream: "messages", metric: "count" });
    await client.call("fetch", { id: "attic/documents:saga" });
    await client.call("read_record_field", { id: "attic/documents:saga", field_path: "content" });
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(["GET"]));
    // The server's metadata is public, so the adapter reads it without a credential.
    const reads = seen.filter(({ path }) => path !== "/.well-known/oauth-protected-resource");
    const asked = seen.filter((request) => !reads.includes(request));
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([null]));
    expect(new Set(reads.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${world.token}`]));
    const paths =
      /^\/v1\/(schema|search|streams\/\w+\/(records|aggregate)|streams\/\w+\/records\/[^/]+(\/field-window)?)$/;
    for (const { path } of reads) expect(path).toMatch(paths);
  });

  it("[AUT-2] [AUT-6] passes on a rejection unchanged, without a retry and without another credential", async () => {
    for (const [status, code] of [
      [401, "authentication_error"],
      [403, "grant_revoked"],
      [403, "field_not_granted"],
      [404, "not_found"],
      [429, "rate_limited"],
    ] as const) {
      answer = () => Response.json({ error: { type: "x", code, message: "no, because" } }, { status });
      seen = [];
      const result = await client.call("fetch", { id: "attic/documents:saga" });
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(new RegExp(`^Error: ${code}: no, because`));
      expect(result.structuredContent.error.code).toBe(code);
      expect(seen).toHaveLength(1);
    }
    answer = undefined;
  });

  it("[TOOL-5] [TOOL-6] rejects invalid arguments before it sends a request", async () => {
    seen = [];
    for (const [tool, args] of [
      ["search", { query: "x", limt: 3 }],
      ["search", { query: 5 }],
      ["search", {}],
      ["search", { query: "x", limit: 1000 }],
      ["query_records", { stream: "messages", filter: "likes=1" }],
      ["query_records", { stream: "messages", filter: {} }],
      ["query_records", { stream: "messages", filter: { "filter[likes]": 1 } }],
      ["query_records", { stream: "messages", filter: { "likes[gte]": 1 } }],
      ["query_records", { stream: "messages", filter: { likes: { near: 1 } } }],
      ["query_records", { stream: "messages", filter: { likes: {} } }],
      ["query_records", { stream: "messages", filter: { likes: [1] } }],
      ["query_records", { stream: "messages", connector_instance_id: "chat_home" }],
      ["aggregate", { stream: "messages", metric: "median" }],
      ["fetch", { id: "nonsense" }],
      ["fetch", { id: "attic/documents:saga", connection_id: "chat_home" }],
      ["read_record_field", { id: "attic/documents:saga" }],
      ["nothing", {}],
    ] as const) {
      const { isError, structuredContent } = await client.call(tool, args as never);
      expect([args, isError, structuredContent.error.code]).toEqual([args, true, "invalid_argument"]);
    }
    expect(seen).toEqual([]);
  });

  it("[SCH-6] rejects full detail without a stream before it sends a request", async () => {
    seen = [];
    const { isError, text, structuredContent } = await client.call("schema", { detail: "full" });
    expect([isError, structuredContent.error.code]).toEqual([true, "invalid_argument"]);
    expect(text).toContain("-> schema {}");
    expect(seen).toEqual([]);
    expect((await world.call(world.token, "/v1/schema?detail=full")).status).toBe(400);
  });

  it("[AMB-2] learns from one error that a source must be named, without listing the sources", async () => {
    seen = [];
    const result = await client.call("fetch", { id: "messages:h01" });
    expect(result.structuredContent.error.code).toBe("ambiguous_connection");
    expect(seen).toHaveLength(1);
    expect(await readLogRows(result._meta!["pdpp/request_id"])).toMatchObject([{ connection_ids: "[]", records: 0 }]);
  });
});

describe.each(chosenSurfaces)("over $transport in the $era era", (surface) => {
  let client: Connected;
  beforeAll(async () => {
    client = await connect(surface, world.url, world.token);
  });
  afterAll(() => client.close());

  it("[EVI-7] returns a request id that finds the read in the access log", async () => {
    const found = await client.call("read_record_field", { id: "attic/documents:saga", field_path: "content" });
    const rows = await readLogRows(found._meta!["pdpp/request_id"]);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows[0]).toMatchObject({
      operation: "readField",
      stream: "documents",
      connection_ids: '["attic"]',
      status: 200,
      records: 1,
      client: "agent",
    });
    const refused = await client.call("fetch", { id: "attic/documents:none" });
    expect(await readLogRows(refused._meta!["pdpp/request_id"])).toMatchObject([{ operation: "fetch", status: 404 }]);
  });

  it("[LOG-13] logs what was asked, alike over every transport", async () => {
    const listAsked = async (tool: string, args: Record<string, unknown>) => {
      const { _meta } = await client.call(tool, args);
      const [row] = await readLogRows(_meta!["pdpp/request_id"]);
      return JSON.parse(String(row?.request));
    };
    const search = { query: "boiler invoice", streams: ["messages"], since: "2020-01-01", limit: 2 };
    expect(await listAsked("search", search)).toMatchObject({
      operation: "search",
      arguments: { q: "boiler invoice", streams: ["messages"], since: "2020-01-01", limit: 2 },
    });
    const window = { id: "attic/documents:saga", field_path: "content", offset_chars: 100 };
    const { arguments: asked } = await listAsked("read_record_field", window);
    expect(asked).toMatchObject({ stream: "documents", connection_id: "attic", field: "content", offset_chars: 100 });
    expect(asked).not.toHaveProperty("record_id");
    expect(await listAsked("fetch", { id: "attic/documents:none" })).toMatchObject({
      operation: "fetch",
      arguments: { record_id: "none" },
    });
    const counted = { stream: "messages", metric: "count", group_by: "channel_id", filter: { likes: { gte: 1 } } };
    expect(await listAsked("aggregate", counted)).toMatchObject({
      operation: "aggregate",
      arguments: { metric: "count", group_by: "channel_id" },
    });
  });

  it("[TOOL-5] [SCH-6] reads nothing for a rejected call", async () => {
    for (const [tool, args] of [
      ["search", { query: "x", limt: 3 }],
      ["schema", { detail: "full" }],
    ] as const) {
      const refused = await client.call(tool, args);
      expect(refused.isError).toBe(true);
      expect(await readLogRows(refused._meta!["pdpp/request_id"])).toEqual([]);
    }
  });

  it("[AMB-2] reads no source when the call is ambiguous", async () => {
    const refused = await client.call("fetch", { id: "messages:h01" });
    expect(await readLogRows(refused._meta!["pdpp/request_id"])).toMatchObject([
      { operation: "fetch", status: 409, connection_ids: "[]", records: 0 },
    ]);
  });

  it("[HOST-4] puts nothing secret and nothing essential in _meta", async () => {
    const { _meta } = await client.call("search", { query: "boiler" });
    const { "pdpp/request_id": id, ...rest } = _meta!;
    expect(id).toMatch(/^req_[\w-]{16}$/);
    expect(JSON.stringify(rest)).not.toMatch(/pdpp_client|boiler|chat_home/);
  });

  it("[AUT-6] rejects a field or stream outside the grant with the server's own code", async () => {
    const getError = async (tool: string, args: object) =>
      (await client.call(tool, args as never)).structuredContent.error.code;
    expect(await getError("read_record_field", { id: "attic/documents:hidden", field_path: "secret" })).toBe(
      "field_not_granted",
    );
    expect(await getError("query_records", { stream: "documents", fields: ["secret"] })).toBe("field_not_granted");
    expect(await getError("query_records", { stream: "order_lines" })).toBe("grant_stream_not_allowed");
    expect(await getError("fetch", { id: 'shop_1/order_lines:["o/1","1"]' })).toBe("grant_stream_not_allowed");
    expect(await getError("schema", { connection_id: "shop_1" })).toBe("connection_not_found");
    expect((await client.call("search", { query: "zanzibar" })).structuredContent.results).toEqual([]);
  });

  it("[AUT-6] rejects the next call after the grant is revoked, and says why", async () => {
    const { token, grantIds } = await world.issueGrant({ client: { name: "doomed" }, sources: [grantArchive()] });
    const doomed = await connect(surface, world.url, token);
    expect((await doomed.call("schema")).isError).toBeUndefined();
    await world.vault.store.engine.write((on) => revoke(on, 1, grantIds[0]!, now));
    if (surface.transport === "stdio") {
      const { isError, text } = await doomed.call("schema");
      expect(isError).toBe(true);
      expect(text).toMatch(/^Error: grant_revoked: /);
    } else await expect(doomed.call("schema")).rejects.toThrow(/grant_revoked|403/);
    await doomed.close();
  });
});

describe("the hosted endpoint", () => {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const post = (headers: Record<string, string>, body: unknown = list, path = "/mcp") =>
    fetch(`${world.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it("[AUT-7] challenges a missing or unknown bearer token with the metadata URL of its own path, in header and body", async () => {
    const metadata = `${world.url}/.well-known/oauth-protected-resource/mcp`;
    for (const headers of [
      {},
      bearer("nonsense"),
      bearer(`pdpp_client_${"x".repeat(43)}`),
      { authorization: "Basic abc" },
    ] as Record<string, string>[]) {
      const response = await post(headers);
      expect(response.status).toBe(401);
      const fault = headers.authorization === undefined ? "" : 'error="invalid_token", ';
      expect(response.headers.get("www-authenticate")).toBe(`Bearer ${fault}resource_metadata="${metadata}"`);
      expect(await response.json()).toMatchObject({
        error: { code: "authentication_error", resource_metadata: metadata },
      });
    }
    expect((await fetch(`${world.url}/mcp`)).status).toBe(401);
  });

  it("[AUT-7] serves that metadata at both well-known paths", async () => {
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/mcp/.well-known/oauth-protected-resource"]) {
      const response = await fetch(`${world.url}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.json()).toMatchObject({
        resource: `${world.url}/mcp`,
        bearer_methods_supported: ["header"],
        pdpp_token_kinds_supported: ["client", "mcp_package"],
      });
    }
    expect((await fetch(`${world.url}/.well-known/oauth-protected-resource`)).status).toBe(200);
  });

  it("[AUT-1] rejects an owner's bearer token", async () => {
    const response = await post(bearer(world.ownerToken));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "permission_error" } });
  });

  it("[AUT-7] accepts requests only for its own host name and from its own pages", async () => {
    const app = createApp({ store: world.vault.store, now: () => now, publicUrl: "https://vault.example" });
    const send = (url: string, headers: Record<string, string> = {}) =>
      app.fetch(
        new Request(url, {
          method: "POST",
          headers: {
            ...bearer(world.token),
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...headers,
          },
          body: JSON.stringify(list),
        }),
      );
    expect((await send("https://vault.example/mcp")).status).toBe(200);
    expect((await send("https://evil.example/mcp")).status).toBe(421);
    expect((await send("https://vault.example/mcp", { origin: "https://vault.example" })).status).toBe(200);
    for (const origin of ["https://evil.example", "null", "http://vault.example.evil.example"])
      expect([origin, (await send("https://vault.example/mcp", { origin })).status]).toEqual([origin, 403]);
    expect((await post({ ...bearer(world.token), origin: "https://evil.example" })).status).toBe(403);
  });

  it("[AUT-7] limits the size of a request", async () => {
    const large = { ...list, params: { filler: "x".repeat(300_000) } };
    expect((await post(bearer(world.token), large)).status).toBe(413);
    expect((await post(bearer(world.token), "{")).status).toBe(400);
  });
});
