import { operations } from "@pdpp/contract/operations";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, origin, type Sample } from "@pdpp/test-support/vaults/sample";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revoke } from "#server/store/access/grants";

interface Problem {
  error: {
    type: string;
    code: string;
    message: string;
    param?: string;
    request_id: string;
    resource_metadata?: string;
    next_step?: string;
  };
}

let vault: TestVault;
let world: Sample;
let token: string;
beforeAll(async () => {
  vault = await createVault("sqlite");
  world = await createSample(vault);
  token = await world.grant(everything);
});
afterAll(() => vault.drop());

const readProblem = async (path: string, init: RequestInit = {}, as: string | null = token) => {
  const response = await world.call(as, path, init);
  return { status: response.status, headers: response.headers, ...((await response.json()) as Problem) };
};

describe("every response", () => {
  it("[EVI-7] carries the request id in both headers, and echoes a caller's own", async () => {
    const own = await world.call(token, "/v1/streams", { headers: { "x-request-id": "my-trace.1" } });
    expect(own.headers.get("request-id")).toBe("my-trace.1");
    const forged = await world.call(token, "/v1/streams", { headers: { "request-id": "a b\tc" } });
    expect(forged.headers.get("request-id")).toMatch(/^req_/);
    expect(own.headers.get("pdpp-version")).toBe("2026-04-06");
  });

  it("[EVI-7] has the same headers, whether it is data or an error", async () => {
    const getHeaders = async (path: string, method = "GET") => {
      const { headers } = await world.call(token, path, { method, headers: { "request-id": "my-trace.2" } });
      return Object.fromEntries(headers);
    };
    const expected = {
      "request-id": "my-trace.2",
      "x-request-id": "my-trace.2",
      "pdpp-version": "2026-04-06",
      "x-content-type-options": "nosniff",
      "content-type": "application/json; charset=utf-8",
      "cache-control": "private, no-store",
    };
    expect(await getHeaders("/v1/streams")).toEqual(expected);
    expect(await getHeaders("/v1/streams/messages/aggregate?metric=count&group_by=channel_id")).toEqual(expected);
    expect(await getHeaders("/v1/streams/nothing")).toEqual(expected);
    expect(await getHeaders("/v1/streams", "HEAD")).toMatchObject(expected);
  });

  it("rejects another protocol version", async () => {
    const { status, error } = await readProblem("/v1/streams", { headers: { "pdpp-version": "1999-01-01" } });
    expect([status, error.code, error.param]).toEqual([400, "unsupported_version", "PDPP-Version"]);
  });

  it("answers HEAD like GET, without a body", async () => {
    for (const path of [
      "/v1/streams",
      "/v1/schema",
      "/v1/streams/messages/records",
      "/v1/export",
      "/healthz",
      "/readyz",
    ]) {
      const response = await world.call(token, path, { method: "HEAD" });
      expect([path, response.status, await response.text()]).toEqual([path, 200, ""]);
    }
  });

  it("names the supported methods", async () => {
    const { status, error } = await readProblem("/v1/schema", { method: "POST" });
    expect(status).toBe(405);
    expect(error.message).toContain("use GET");
  });

  it("says where to look when a path does not exist", async () => {
    for (const path of ["/v1/nothing", "/nowhere", "/v1/streams/messages/records/h01/more/and/more"]) {
      expect((await readProblem(path)).error.code).toBe("not_found");
    }
  });

  it("rejects a path with invalid encoding", async () => {
    const { status, error } = await readProblem("/v1/streams/%E0%A4%A/records");
    expect([status, error.code]).toEqual([400, "invalid_request"]);
  });
});

describe("tokens", () => {
  it("[AUT-7] challenges a missing or unknown bearer token, with the metadata URL in header and body", async () => {
    for (const authorization of [
      undefined,
      "Bearer nonsense",
      "Basic abc",
      "Bearer ",
      `Bearer pdpp_client_${"x".repeat(43)}`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const { status, error, headers: sent } = await readProblem("/v1/streams", { headers }, null);
      expect([status, error.code]).toEqual([401, "authentication_error"]);
      const fault = authorization === undefined ? "" : 'error="invalid_token", ';
      expect(sent.get("www-authenticate")).toBe(
        `Bearer ${fault}resource_metadata="${origin}/.well-known/oauth-protected-resource"`,
      );
      expect(error.resource_metadata).toBe(`${origin}/.well-known/oauth-protected-resource`);
      expect(error.next_step).toContain("grant");
    }
  });

  it("[AUT-11] rejects unknown host names and pages of other sites, but still reports that it is up", async () => {
    const paths = [
      "/",
      "/v1/streams",
      "/v1/openapi.json",
      "/v1/export",
      "/.well-known/oauth-protected-resource",
      "/nowhere",
    ];
    for (const path of paths) {
      const response = await world.call(token, `http://evil.example${path}`);
      expect([path, response.status]).toEqual([path, 421]);
      expect(((await response.json()) as Problem).error.resource_metadata).toBeUndefined();
    }
    const headers = { origin: "https://evil.example" };
    for (const [method, path] of [
      ["GET", "/v1/streams"],
      ["GET", "/v1/export"],
      ["DELETE", "/v1/streams/messages/records/h01?connection_id=chat_home"],
      ["POST", "/v1/ingest/messages?connection_id=chat_home"],
    ] as const) {
      const response = await world.call(world.ownerToken, path, { method, headers });
      expect([path, response.status]).toEqual([path, 403]);
    }
    const own = { origin: "http://localhost:5173" };
    expect((await world.call(token, "/v1/streams", { headers: own })).status).toBe(200);
    expect((await world.call(token, "/v1/streams/messages/records/h01?connection_id=chat_home")).status).toBe(200);
    for (const path of ["/healthz", "/readyz"])
      expect((await world.call(null, `http://lb.example${path}`, { headers })).status).toBe(200);
  });

  it("[AUT-5] applies a revocation to the next request", async () => {
    const doomed = await world.grant(everything);
    const schema: { bearer: { grant_id: string } } = await world.json(doomed, "/v1/schema");
    await vault.store.engine.write((on) => revoke(on, 1, schema.bearer.grant_id, Date.now()));
    const { status, error } = await readProblem("/v1/streams", {}, doomed);
    expect([status, error.code]).toEqual([403, "grant_revoked"]);
  });

  it("[AUT-5] applies an expiry at its exact time", async () => {
    let clock = Date.parse("2026-06-01T12:00:00Z");
    const own = await createVault("sqlite");
    try {
      const short = await createSample(own, { now: () => clock });
      const expiring = await short.grant({ ...everything, expires_at: "2026-06-01T13:00:00Z" });
      expect((await short.call(expiring, "/v1/streams")).status).toBe(200);
      clock += 3_600_000;
      const late = await short.call(expiring, "/v1/streams");
      expect([late.status, ((await late.json()) as Problem).error.code]).toEqual([403, "grant_expired"]);
    } finally {
      await own.drop();
    }
  });

  it("[AUT-6] rejects owner operations with a client's token", async () => {
    for (const [method, path] of [
      ["POST", "/v1/ingest/messages?connection_id=chat_home"],
      ["POST", "/v1/blobs"],
      ["DELETE", "/v1/streams/messages/records/h01?connection_id=chat_home"],
      ["DELETE", "/v1/streams/messages/records?connection_id=chat_home"],
    ] as const) {
      const { status, error } = await readProblem(path, { method });
      expect([path, status, error.code]).toEqual([path, 403, "permission_error"]);
    }
  });

  it("limits the concurrent requests of a token", async () => {
    const all = await Promise.all(
      Array.from({ length: 90 }, () => world.call(token, "/v1/streams/messages/aggregate?metric=count")),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    // REST and MCP share the limit.
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const mixed = await Promise.all([
      ...Array.from({ length: 64 }, () => world.call(token, "/v1/streams/messages/aggregate?metric=count")),
      world.call(token, "/mcp", { method: "POST", body, headers }),
    ]);
    expect(mixed.at(-1)?.status).toBe(429);
    expect((await world.call(token, "/v1/streams")).status).toBe(200);
  });
});

describe("parameters", () => {
  it.each([
    ["/v1/streams?nope=1", "nope"],
    ["/v1/streams/messages/records?filters[text]=x", "filters[text]"],
    ["/v1/streams/messages/records?filter=x", "filter"],
    ["/v1/streams/messages/records?filter[]=x", "filter[]"],
    ["/v1/streams/messages/records?filter[likes][near]=1", "filter[likes]"],
    ["/v1/streams/messages/records?filter[__proto__]=1", "filter[__proto__]"],
    ["/v1/streams/messages/records?order=up", "order"],
    ["/v1/streams/messages/records?order=asc&order=desc", "order"],
    ["/v1/streams/messages/records?record_id=x", "record_id"],
    ["/v1/streams/messages/aggregate", "metric"],
    ["/v1/streams/messages/aggregate?metric=median", "metric"],
    ["/v1/schema?detail=full", "detail"],
    ["/v1/schema?view=tiny", "view"],
  ])("names the wrong parameter of %s", async (path, param) => {
    const { status, error } = await readProblem(path);
    expect([status, error.type]).toEqual([400, "invalid_request_error"]);
    expect(error.param).toContain(param);
  });

  it("says what to send, in terms of the request", async () => {
    const readMessage = async (path: string) => (await readProblem(path)).error.message;
    expect(await readMessage("/v1/search")).toBe("q is required");
    expect(await readMessage("/v1/streams/messages/aggregate?metric=median")).toBe(
      "metric must be one of: count, sum, min, max, count_distinct",
    );
    expect(await readMessage("/v1/streams/messages/records?filter[likes][near]=1")).toContain(
      "[gte], [gt], [lte] or [lt]",
    );
    expect(await readMessage("/v1/streams/messages/records?filter[pinned][gte]=1")).toContain(
      "fields that support ranges: sent_at, likes",
    );
  });

  it("accepts the old name of connection_id with a warning, and rejects a contradiction", async () => {
    const page: { meta: { warnings: { code: string }[] }; data: { connection_id: string }[] } = await world.json(
      token,
      "/v1/streams/messages/records?connector_instance_id=chat_work&limit=100",
    );
    expect(page.meta.warnings.map(({ code }) => code)).toEqual(["deprecated_alias_used"]);
    expect(new Set(page.data.map(({ connection_id }) => connection_id))).toEqual(new Set(["chat_work"]));
    const { status, error } = await readProblem(
      "/v1/streams/messages/records?connector_instance_id=chat_work&connection_id=chat_home",
    );
    expect([status, error.code, error.param]).toEqual([400, "invalid_argument", "connector_instance_id"]);
  });

  it("[PUB-9] can reserve filters, expansions and views for the owner", async () => {
    const own = await createVault("sqlite");
    try {
      const strict = await createSample(own, { clientQueries: false });
      const client = await strict.grant(everything);
      for (const query of ["filter[likes]=1", "expand=channel", "view=short"]) {
        const usual = await world.call(token, `/v1/streams/messages/records?connection_id=chat_home&${query}`);
        expect([query, usual.status]).toEqual([query, 200]);
        const answer = await strict.call(client, `/v1/streams/messages/records?${query}`);
        expect([query, answer.status]).toEqual([query, 400]);
        expect((await strict.call(strict.ownerToken, `/v1/streams/messages/records?${query}`)).status).toBe(200);
      }
    } finally {
      await own.drop();
    }
  });
});

describe("the API contract", () => {
  it("is served as an OpenAPI 3.1 document that an independent validator accepts", async () => {
    const document = (await (await world.call(null, "/v1/openapi.json")).json()) as { paths: Record<string, object> };
    const result = await new Validator().validate(document as never);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    const described = Object.values(document.paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
    expect(described).toBe(Object.keys(operations).length);
  });

  it("is discoverable without a token", async () => {
    const index: { links: { schema: string } } = await world.json(token, "/");
    expect(index.links.schema).toBe(`${origin}/v1/schema`);
    const metadata: { resource: string } = await world.json(token, "/.well-known/oauth-protected-resource");
    expect(metadata.resource).toBe(origin);
  });
});
