import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueOwnerToken } from "#server/auth/issue";
import { createOwner } from "#server/owner/owner";
import { raw } from "#server/store/engine/sql";
import { origin, type Stage, stage } from "./agent.ts";

type Introspection = Record<string, unknown>;

describe.each(surfaceEngines)("token introspection, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
  });
  afterAll(() => vault.drop());

  const issueCredential = (on: Stage, limits: Parameters<typeof issueOwnerToken>[5] = { may: ["introspect"] }) =>
    issueOwnerToken(vault.store, 1, "elsewhere", on.now(), null, limits);
  const introspect = async (
    on: Stage,
    authorization: string,
    token: string,
  ): Promise<{ status: number; said: Introspection }> => {
    const request = { method: "POST", headers: { authorization }, body: new URLSearchParams({ token }) };
    const response = await on.fetch(new Request(`${origin}/introspect`, request));
    return { status: response.status, said: JSON.parse(await response.text()) };
  };
  const formatBasic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

  it("[CON-16] describes a token, and reports its revocation at once", async () => {
    const on = stage(vault);
    const metadata = await on.fetch(new Request(`${origin}/.well-known/oauth-authorization-server`));
    expect(await metadata.json()).toMatchObject({ introspection_endpoint: `${origin}/introspect` });
    const { token, token_id } = await issueCredential(on);
    const agent = await on.register();
    const { access_token } = await on.granted(agent);
    for (const shown of [formatBasic(token_id, token), `Bearer ${token}`]) {
      const { status, said } = await introspect(on, shown, access_token);
      expect(status).toBe(200);
      expect(said).toMatchObject({
        active: true,
        pdpp_token_kind: "mcp_package",
        subject_id: "1",
        client_id: agent.clientId,
        iss: origin,
        aud: `${origin}/mcp`,
        authorization_details: [{ streams: [{ name: "messages", instance_ids: ["chat_home"] }] }],
      });
      expect(Number(said.exp) * 1000).toBeGreaterThan(on.now());
    }
    const { grants } = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const given = (await grants.list()).find(({ client }) => client.client_id === agent.clientId);
    await grants.revoke(given?.package_id ?? "");
    const { said } = await introspect(on, formatBasic(token_id, token), access_token);
    expect(said).toEqual({ active: false, inactive_reason: "grant_revoked" });
  });

  it("[PUB-3] names the source by its URI, not by the connector's key", async () => {
    const on = stage(vault);
    const { token } = await issueCredential(on);
    const source = { kind: "connector", id: "https://example.org/connectors/chat" };
    const held = await on.granted(await on.register());
    const { said } = await introspect(on, `Bearer ${token}`, held.access_token);
    expect(said.authorization_details).toMatchObject([{ source }]);
    const single = { connector_key: "chat", streams: [{ name: "channels" }] };
    const byHand = await world.grant({ client: { name: "By hand" }, sources: [single] });
    const alone = await introspect(on, `Bearer ${token}`, byHand);
    expect(alone.said).toMatchObject({ authorization_details: [{ source }], grant: { source, connector_key: "chat" } });
  });

  it("[CON-16] says why a token is inactive, and nothing about unknown ones", async () => {
    const on = stage(vault);
    const { token } = await issueCredential(on);
    const held = await on.granted(await on.register());
    on.wait(3_601_000);
    const ended = await introspect(on, `Bearer ${token}`, held.access_token);
    expect(ended.said).toEqual({ active: false, inactive_reason: "token_expired" });
    for (const other of ["x", "pdpp_client_nobody-has-ever-seen-this", held.refresh_token])
      expect((await introspect(on, `Bearer ${token}`, other)).said).toEqual({ active: false });
    const single = { connector_key: "chat", streams: [{ name: "channels" }] };
    const byHand = await world.grant({ client: { name: "By hand" }, sources: [single] });
    const { said } = await introspect(on, `Bearer ${token}`, byHand);
    expect(said).toMatchObject({
      active: true,
      pdpp_token_kind: "client",
      grant: { connector_key: "chat" },
      aud: origin,
    });
    const owners = await introspect(on, `Bearer ${token}`, world.ownerToken);
    expect(owners.said).toMatchObject({ active: true, pdpp_token_kind: "owner" });
    expect(owners.said.authorization_details).toBeUndefined();
  });

  it("[CON-16] needs a token with the introspect right, which allows nothing else", async () => {
    const on = stage(vault);
    const { token, token_id } = await issueCredential(on);
    const { access_token } = await on.granted(await on.register());
    const reader = await issueCredential(on, { may: ["read"] });
    const narrow = await issueCredential(on, { may: ["introspect"], connectionIds: ["chat_work"] });
    const wrong = [
      "",
      formatBasic("other", token),
      formatBasic(token_id, "x"),
      `Bearer ${access_token}`,
      `Bearer ${reader.token}`,
      `Bearer ${narrow.token}`,
      `DPoP ${token}`,
    ];
    for (const shown of wrong) {
      const { status, said } = await introspect(on, shown, access_token);
      expect([status, said.error]).toEqual([401, "invalid_client"]);
    }
    expect((await world.call(token, "/v1/streams")).status).toBe(403);
    expect((await world.call(token, "/v1/schema")).status).toBe(403);
    const { tokens } = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    await tokens.revoke(token_id);
    expect((await introspect(on, `Bearer ${token}`, access_token)).status).toBe(401);
  });

  it("[CON-5] [CON-16] reports a key-bound token as inactive", async () => {
    const on = stage(vault);
    const { token } = await issueCredential(on);
    const { access_token } = await on.granted(await on.register());
    await vault.store.engine.write((db) =>
      db.run(raw(`UPDATE token SET oauth = '{"jkt":"key",' || substr(oauth, 2) WHERE oauth IS NOT NULL`)),
    );
    expect((await introspect(on, `Bearer ${token}`, access_token)).said).toEqual({ active: false });
  });

  it("[CON-16] reveals nothing about another owner's tokens", async () => {
    const on = stage(vault);
    const { token } = await issueCredential(on);
    const { access_token } = await on.granted(await on.register());
    expect((await introspect(on, `Bearer ${token}`, access_token)).said.active).toBe(true);
    await vault.store.engine.write(async (db) => {
      await db.run(raw("UPDATE token SET owner_no = 99 WHERE oauth IS NOT NULL AND revoked_at IS NULL"));
    });
    expect((await introspect(on, `Bearer ${token}`, access_token)).said).toEqual({ active: false });
  });
});
