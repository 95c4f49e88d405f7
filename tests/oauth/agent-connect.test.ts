import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { origin, type Stage, someText, stage } from "./agent.ts";
import { enterCode } from "./device.ts";

type JsonBody = Record<string, unknown>;

/** Follows the steps of the public protocol's command line. */
describe.each(surfaceEngines)("the public protocol's way to connect, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(() => {
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  const post = async (url: string, body: unknown): Promise<{ status: number; said: JsonBody }> => {
    const headers = { "content-type": "application/json" };
    const response = await on.fetch(new Request(url, { method: "POST", headers, body: JSON.stringify(body) }));
    return { status: response.status, said: JSON.parse(await response.text()) };
  };
  const begin = async (more: object = {}) => {
    const asked = { resource: origin, scope: "pdpp:read", client_name: "PDPP CLI", ...more };
    return post(`${origin}/agent-connect`, asked);
  };
  const poll = (attempt: JsonBody) => post(String(attempt.poll_url), { polling_code: attempt.polling_code });
  const decide = async (attempt: JsonBody, act: "allow" | "deny", ticked: object = someText) => {
    const owner = on.owner();
    const signIn = await owner.open(String(attempt.approval_url));
    const enter = await owner.send(signIn, { code: await on.code() });
    const page = await owner.send(await owner.send(enter, {}), { confirm: "yes" });
    return owner.send(page, { ...ticked, act });
  };
  const get = async (path: string, token: string) =>
    on.fetch(new Request(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } }));

  it("[CON-14] finds the endpoint, registers, shows the owner a link, polls, and reads", async () => {
    const fetchWellKnown = async (name: string): Promise<JsonBody> =>
      JSON.parse(await (await on.fetch(new Request(`${origin}/.well-known/${name}`))).text());
    const resource = await fetchWellKnown("oauth-protected-resource");
    expect([resource.resource, resource.authorization_servers]).toEqual([origin, [origin]]);
    const server = await fetchWellKnown("oauth-authorization-server");
    expect(server).toMatchObject({
      issuer: origin,
      agent_connect_endpoint: `${origin}/agent-connect`,
      device_authorization_endpoint: `${origin}/oauth/device_authorization`,
      pdpp_registration_modes_supported: ["dynamic"],
    });
    const client = { client_name: "PDPP CLI", token_endpoint_auth_method: "none" };
    const { said: registered } = await post(String(server.registration_endpoint), client);
    const attempt = await begin({ client_id: registered.client_id });
    expect(attempt.status).toBe(201);
    expect(attempt.said).toMatchObject({ client_id: registered.client_id, interval_ms: 2000 });
    expect(attempt.said.interval).toBeUndefined();
    const pending = await poll(attempt.said);
    expect([pending.status, pending.said.error]).toEqual([202, "authorization_pending"]);
    expect((await poll(attempt.said)).status).toBe(202);
    await decide(attempt.said, "allow", { ...someText, days: "7" });
    on.wait(20_000);
    const { status, said } = await poll(attempt.said);
    expect(status).toBe(200);
    expect(String(said.grant_id)).toMatch(/^grt_/);
    // It can't refresh, so its token lasts as long as the grant.
    expect(Date.parse(String(said.expires_at))).toBeGreaterThan(on.now() + 6 * 86_400_000);
    expect(Date.parse(String(said.expires_at))).toBeLessThan(on.now() + 8 * 86_400_000);
    expect((await get("/v1/schema", String(said.access_token))).status).toBe(200);
    const again = await poll(attempt.said);
    expect([again.status, again.said.error]).toEqual([401, "invalid_grant"]);
    expect((await get("/v1/schema", String(said.access_token))).status).toBe(200);
    on.wait(8 * 86_400_000);
    expect((await get("/v1/schema", String(said.access_token))).status).toBe(403);
  });

  it("[CON-14] needs no registration, and registers again if it was forgotten", async () => {
    expect((await begin()).status).toBe(201);
    const forgotten = await begin({ client_id: "long-gone" });
    expect(forgotten.status).toBe(201);
    expect(forgotten.said.client_id).not.toBe("long-gone");
    const browserOnly = await on.register();
    expect((await begin({ client_id: browserOnly.clientId })).status).toBe(201);
  });

  it("[CON-14] reports a denial and an expired attempt in the protocol's terms", async () => {
    const { said: denied } = await begin();
    await decide(denied, "deny");
    const no = await poll(denied);
    expect([no.status, no.said.error]).toEqual([403, "access_denied"]);
    const { said: late } = await begin();
    on.wait(601_000);
    const over = await poll(late);
    expect([over.status, over.said.error]).toEqual([400, "expired_token"]);
    const unknown = await post(String(late.poll_url), {});
    expect([unknown.status, unknown.said.error]).toEqual([400, "invalid_request"]);
  });

  it("[CON-14] accepts a specific request, for this server only", async () => {
    const detail = { type: "https://pdpp.dev/data-access", source: { id: "chat" }, streams: [{ name: "messages" }] };
    const { said } = await begin({ authorization_details: [detail] });
    const owner = on.owner();
    const page = await owner.send(await enterCode(on, owner, String(said.user_code)), { confirm: "yes" });
    expect(page.html).toContain("Chat");
    expect(page.html).toContain("Anything not selected stays private, including shop_1.");
    const wrong = await begin({ authorization_details: [{ type: "https://pdpp.dev/data-access" }] });
    expect([wrong.status, wrong.said.error]).toEqual([400, "invalid_authorization_details"]);
    const elsewhere = await begin({ resource: "https://other.example" });
    expect([elsewhere.status, elsewhere.said.error]).toEqual([400, "invalid_target"]);
    const pushed = await begin({ request_uri: "urn:x" });
    expect([pushed.status, pushed.said.error]).toEqual([400, "invalid_request"]);
  });

  it("[CON-14] rejects another client's attempt, and limits attempts", async () => {
    on.freeze();
    const [mine, other] = [(await begin()).said, (await begin()).said];
    const crossed = await post(String(other.poll_url), { polling_code: mine.polling_code });
    expect([crossed.status, crossed.said.error]).toEqual([401, "invalid_grant"]);
    let status = 0;
    for (let n = 0; n < 200 && status !== 429; n += 1) ({ status } = await begin({ request_uri: "urn:x" }));
    expect(status).toBe(429);
  });
});
