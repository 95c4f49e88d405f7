import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { saveArtifact } from "#server/store/access/oauth-artifacts";
import { raw } from "#server/store/engine/sql";
import { callback, origin, type Stage, stage } from "./agent.ts";

const call = { name: "query_records", arguments: { stream: "messages" } };
const readJson = async (response: Response): Promise<Record<string, unknown>> => JSON.parse(await response.text());

describe.each(surfaceEngines)("attacks on pages and host names, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let ownerToken: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    ({ ownerToken } = await createSample(vault));
  });
  beforeEach(() => {
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  it("[CON-8] accept a sign-in link once, for ten minutes, without open redirects", async () => {
    const code = await on.code();
    const owner = on.owner();
    const page = await owner.open(`${origin}/sign-in?next=https://evil.example`);
    const inside = await owner.send(page, { code });
    expect(inside.url).toBe(`${origin}/`);
    const second = on.owner();
    const again = await second.send(await second.open(`${origin}/sign-in`), { code });
    expect(again.status).toBe(403);
    const late = await on.code();
    on.wait(601_000);
    expect((await second.send(await second.open(`${origin}/sign-in`), { code: late })).status).toBe(403);
  });

  it("[CON-8] reject sign-in forms of other sites, and keep the referrer for our own", async () => {
    const page = await on.owner().open(`${origin}/sign-in`);
    // With no-referrer, browsers would send "null" with our own form too.
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    for (const from of ["null", "https://evil.example"]) {
      const headers = { origin: from, "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams({ code: await on.code() });
      const sent = await on.fetch(new Request(`${origin}/sign-in`, { method: "POST", headers, body }));
      expect(sent.status).toBe(403);
      expect(sent.headers.getSetCookie()).toEqual([]);
    }
  });

  it("[CON-8] are slowed down when they guess codes or register endlessly", async () => {
    on.freeze();
    const owner = on.owner();
    const page = await owner.open(`${origin}/sign-in`);
    let status = 0;
    for (let n = 0; n < 40 && status !== 429; n += 1) status = (await owner.send(page, { code: "guess" })).status;
    expect(status).toBe(429);
    let fault = "";
    for (let n = 0; n < 200 && fault === ""; n += 1) {
      await on.register().catch((error: Error) => {
        fault = error.message;
      });
    }
    expect(fault).toContain("rate_limited");
  });

  it("[CON-9] can't use names or forwarded headers as markup or addresses", async () => {
    const agent = await on.register({ client_name: "<script>alert(1)</script>", redirect_uris: [callback] });
    const page = await on.consent(agent);
    expect(page.html).not.toContain("<script>alert");
    expect(page.html).toContain("&lt;script&gt;");
    const forwarded = await on.fetch(
      new Request(`${origin}/.well-known/oauth-authorization-server`, {
        headers: { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", forwarded: "host=evil.example" },
      }),
    );
    const metadata = await readJson(forwarded);
    expect(metadata.issuer).toBe(origin);
    expect(JSON.stringify(metadata)).not.toContain("evil");
    const foreign = await on.fetch(new Request("http://evil.example/.well-known/oauth-authorization-server"));
    expect(foreign.status).toBe(421);
  });

  it("[CON-5] can't read at /mcp with an owner token or a key-bound token", async () => {
    const agent = await on.register();
    expect((await agent.mcp(ownerToken, "tools/call", call)).status).toBe(403);
    const { access_token } = await on.granted(agent);
    const readRest = (authorization: string) =>
      on.fetch(new Request(`${origin}/v1/streams`, { headers: { authorization, dpop: "x.y.z" } }));
    expect((await readRest(`DPoP ${access_token}`)).status).toBe(401);
    expect((await readRest(`Bearer ${access_token}`)).status).toBe(200);
    for (const binding of ["jkt", "x5t#S256"]) {
      const bound = await on.granted(agent);
      await vault.store.engine.write((db) =>
        db.run(
          raw(
            `UPDATE token SET oauth = '{"${binding}":"key",' || substr(oauth, 2) WHERE revoked_at IS NULL AND oauth IS NOT NULL`,
          ),
        ),
      );
      expect((await agent.mcp(bound.access_token, "tools/call", call)).status).toBe(401);
      expect((await readRest(`Bearer ${bound.access_token}`)).status).toBe(401);
    }
  });

  it("[CON-5] get a plain Bearer token when they ask for a key-bound one", async () => {
    const agent = await on.register();
    const code = await on.allowed(agent);
    const answered = await readJson(await agent.exchange(code, { dpop_jkt: "k".repeat(43) }));
    expect(answered.token_type).toBe("Bearer");
    const metadata = await readJson(await on.fetch(new Request(`${origin}/.well-known/oauth-authorization-server`)));
    expect(metadata.dpop_signing_alg_values_supported).toBeUndefined();
  });

  it("[CON-9] can't frame any page", async () => {
    const agent = await on.register();
    const owner = on.owner();
    const signIn = await owner.open(agent.authorizeUrl());
    const wrong = await owner.send(signIn, { code: "wrong" });
    const consent = await owner.send(signIn, { code: await on.code() });
    const stale = await owner.send(consent, { act: "allow", revision: "older" });
    const empty = await owner.send(stale, { act: "allow" });
    const over = await owner.open(`${origin}/consent/over`);
    const inside = await owner.open(`${origin}/agents`);
    const fault = await owner.open(agent.authorizeUrl({ redirect_uri: "https://evil.example/" }));
    const pages = [signIn, wrong, consent, stale, empty, over, inside, fault];
    expect(pages.map(({ status }) => status)).toEqual([200, 403, 200, 409, 422, 410, 200, 400]);
    for (const { headers } of pages) {
      expect(headers.get("x-frame-options")).toBe("DENY");
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"])
        expect(policy).toContain(rule);
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toContain("no-store");
    }
  });

  it.each([
    "https://evil.example",
    "//evil.example/consent/x",
    "/\\evil.example",
    "/consent/../../evil",
    "/consent/x?y=//evil.example",
    "/consent/x\nlocation: https://evil.example",
    "/consent/x/@evil.example",
    "javascript:alert(1)",
    "/oauth/authorize?redirect_uri=https://evil.example",
    "/device?user_code=X&next=//evil.example",
    "/device/../evil",
  ])("[CON-8] can't redirect to %j after signing in", async (next) => {
    const owner = on.owner();
    const page = await owner.open(`${origin}/sign-in?next=${encodeURIComponent(next)}`);
    expect(page.html).not.toContain("evil");
    const inside = await owner.send(page, { code: await on.code(), next });
    expect(inside.url).toBe(`${origin}/`);
  });

  it("[CON-9] reach nothing with another host name or from another site", async () => {
    const { access_token } = await on.granted(await on.register());
    const headers = { authorization: `Bearer ${access_token}` };
    const paths = [
      "/mcp",
      "/v1/streams",
      "/oauth/authorize",
      "/sign-in",
      "/agents",
      "/consent/x",
      "/device",
      "/device/x",
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-authorization-server/mcp",
    ];
    for (const path of paths)
      expect((await on.fetch(new Request(`http://evil.example:7663${path}`, { headers }))).status).toBe(421);
    for (const path of [
      "/oauth/token",
      "/oauth/par",
      "/oauth/register",
      "/oauth/revoke",
      "/sign-in",
      "/mcp",
      "/device",
      "/oauth/device_authorization",
      "/agent-connect",
      "/agent-connect/x/token",
    ])
      expect((await on.fetch(new Request(`http://evil.example${path}`, { method: "POST" }))).status).toBe(421);
    for (const path of ["/mcp", "/v1/streams"]) {
      const from = { ...headers, origin: "https://evil.example" };
      expect((await on.fetch(new Request(`${origin}${path}`, { headers: from }))).status).toBe(403);
    }
  });

  it("[CON-9] can't inject markup with a manifest, a label, a purpose or a source", async () => {
    const markup = '<img src=x onerror="alert(1)">';
    const field = { type: "string", title: markup, x_pdpp_role: "primary-title" };
    const manifest = {
      connector_id: "https://example.org/connectors/hostile",
      connector_key: "hostile",
      version: "1",
      display_name: markup,
      streams: [
        {
          name: "things",
          display: { label: markup },
          primary_key: ["id"],
          schema: { type: "object", required: ["id"], properties: { id: field } },
        },
      ],
    };
    await vault.store.register(parseManifest(manifest), on.now());
    await addConnection(vault.store, 1, { connectorKey: "hostile", id: "hostile_1", label: markup }, on.now());
    const buildDetail = (id: string) => ({
      type: "https://pdpp.dev/data-access",
      source: { id },
      purpose_description: markup,
      streams: [{ name: "things" }],
    });
    const agent = await on.register();
    const details = JSON.stringify([buildDetail("hostile"), buildDetail(markup)]);
    const owner = on.owner();
    const page = await on.consent(agent, owner, { authorization_details: details });
    const preview = await owner.send(await owner.send(page, { act: "by-field" }), { act: "preview" });
    for (const { html } of [page, preview]) {
      expect(html.split("&lt;img src=x").length).toBeGreaterThan(4);
      expect(html).not.toContain("<img");
    }
  });

  it("[CON-11] can't fill the vault with registrations and requests", async () => {
    on.freeze();
    const agent = await on.register();
    const statuses = new Set<number>();
    for (let n = 0; n < 400 && !statuses.has(429); n += 1)
      statuses.add((await on.fetch(new Request(agent.authorizeUrl()))).status);
    expect([...statuses]).toEqual([303, 429]);
    const { engine: db } = vault.store;
    const [kept, at] = [3, on.now()];
    for (let n = 0; n < 5; n += 1) {
      const thing = { idHash: `h${n}`, grantId: null, uidHash: null, userCodeHash: null, body: "{}", consumedAt: null };
      await db.write((to) => saveArtifact(to, "Test", { ...thing, expiresAt: at + 1000 + n }, at, kept));
    }
    const left = await db.read((from) =>
      from.all(raw("SELECT id_hash FROM oauth_thing WHERE kind = 'Test' ORDER BY 1")),
    );
    expect(left).toEqual([{ id_hash: "h2" }, { id_hash: "h3" }, { id_hash: "h4" }]);
  });
});
