import type { GrantRequest, NarrowRequest } from "@pdpp/contract/grant";
import type { GrantDocument, OwnerApi, PackageDocument } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { revoke } from "#server/store/access/grants";
import { applyRevocations, getRevocationsFile, readRevocations } from "#server/store/access/revocations";
import { stage, type Tokens } from "../oauth/agent.ts";

const buildChatSource = (...streams: GrantRequest["sources"][number]["streams"]) => [
  { connector_key: "chat", streams },
];
const shop = { connector_key: "shop", streams: [{ name: "order_lines" }] };
const all: GrantRequest = { client: { name: "Narrowed" }, purpose: "to help", sources: buildChatSource({ name: "*" }) };
const both: GrantRequest = { ...all, sources: [...all.sources, shop] };
const texts = buildChatSource({ name: "messages", connection_ids: ["chat_home"], fields: ["id", "text"] });

const listGrants = (named: GrantDocument | PackageDocument) => (named.object === "grant" ? [named] : named.grants);

describe.each(surfaceEngines)("narrowing a grant, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let owner: OwnerApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
  });
  afterAll(() => vault.drop());

  const issueGrant = async (request: GrantRequest) => {
    const { token, package_id, grants } = await owner.grants.issue(request);
    return { token, id: package_id ?? grants[0]?.grant_id ?? "" };
  };
  const streams = async (token: string) => {
    const { data } = await world.json<{ data: { name: string; connection_id: string }[] }>(token, "/v1/streams");
    return data.map(({ name, connection_id }) => `${connection_id}/${name}`).sort();
  };
  const listFields = async (token: string) => {
    const path = "/v1/streams/messages/records?limit=1&connection_id=chat_home";
    const { data } = await world.json<{ data: { data: object }[] }>(token, path);
    return Object.keys(data[0]?.data ?? {}).sort();
  };

  it("[CSL-21] keeps the token of a grant, which reads what is left", async () => {
    const { token, id } = await issueGrant(all);
    expect(await streams(token)).toEqual([
      "chat_home/channels",
      "chat_home/messages",
      "chat_work/channels",
      "chat_work/messages",
    ]);
    const left = await owner.grants.narrow(id, { sources: texts });
    expect(left).toMatchObject({ object: "grant", status: "active", replaces: id, purpose: "to help" });
    expect(await streams(token)).toEqual(["chat_home/messages"]);
    expect(await listFields(token)).toEqual(["id", "text"]);
    const [fresh] = listGrants(left);
    expect(await owner.grants.get(id)).toMatchObject({ status: "revoked", replaced_by: [fresh?.grant_id] });
    const [act] = (await owner.log.page({ kind: "act", limit: 1 })).entries;
    expect(act).toMatchObject({ operation: "grant.narrow", subject: "Narrowed", grant_ids: [fresh?.grant_id, id] });
  });

  it("[CSL-21] keeps the token of a package, whichever part is narrowed or removed", async () => {
    const { token, id } = await issueGrant(both);
    await owner.grants.narrow(id, { sources: [...texts, shop] });
    expect(await streams(token)).toEqual(["chat_home/messages", "shop_1/order_lines"]);
    const held = listGrants(await owner.grants.get(id));
    const part = held.find(({ status, connector_key }) => status === "active" && connector_key === "chat");
    await owner.grants.narrow(part?.grant_id ?? "", {
      sources: buildChatSource({ name: "messages", connection_ids: ["chat_home"], fields: ["id"] }),
    });
    expect(await listFields(token)).toEqual(["id"]);
    await owner.grants.narrow(id, { sources: [shop] });
    expect(await streams(token)).toEqual(["shop_1/order_lines"]);
    const parts = listGrants(await owner.grants.get(id));
    expect(parts.filter(({ status }) => status === "active")).toMatchObject([
      { connector_key: "shop", package_id: id },
    ]);
  });

  it("[CSL-21] keeps a signed-in agent connected with its token and its refresh token", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const person = on.owner();
    const asked = [{ type: "https://pdpp.dev/data-access", source: { id: "chat" }, streams: [{ name: "messages" }] }];
    const page = await on.consent(agent, person, { authorization_details: JSON.stringify(asked) });
    const answered = await person.send(page, { act: "allow" });
    const exchanged = await agent.exchange(new URL(answered.url).searchParams.get("code") ?? "");
    const given: Tokens = JSON.parse(await exchanged.text());
    const grants = (await owner.grants.list()).filter(({ client }) => client.client_id === agent.clientId);
    const id = grants[0]?.package_id ?? "";
    const now = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    await now.grants.narrow(id, {
      sources: buildChatSource({ name: "messages", connection_ids: ["chat_home"], fields: ["text"] }),
    });
    const read = async (token: string) =>
      (await agent.mcp(token, "tools/call", { name: "schema", arguments: {} })).text();
    expect(await read(given.access_token)).not.toContain("sent_at");
    const refreshed: Tokens = JSON.parse(await (await agent.refresh(given.refresh_token)).text());
    expect(refreshed.authorization_details).toMatchObject([{ streams: [{ name: "messages", fields: ["text"] }] }]);
    const schema = await read(refreshed.access_token);
    expect([schema.includes("text"), schema.includes("sent_at")]).toEqual([true, false]);
    // The new expiry also ends refreshing.
    await now.grants.narrow(id, { expires_at: new Date(on.now() + 7_200_000).toISOString() });
    on.wait(7_201_000);
    expect((await agent.refresh(refreshed.refresh_token)).status).toBe(400);
  });

  it("[CSL-21] can move the expiry earlier, but never later", async () => {
    const { token, id } = await issueGrant({ ...both, expires_at: "2026-12-01" });
    await expect(owner.grants.narrow(id, { expires_at: "2026-12-02" })).rejects.toThrow("has to ask again");
    await expect(owner.grants.narrow(id, { expires_at: "2001-01-01" })).rejects.toThrow("revoke it");
    await expect(owner.grants.narrow(id, { expires_at: "soon" })).rejects.toThrow("not a date");
    const sooner = await owner.grants.narrow(id, { expires_at: "2026-11-30" });
    const ends = listGrants(sooner)
      .filter(({ status }) => status === "active")
      .map(({ expires_at }) => expires_at);
    expect(ends).toEqual(["2026-11-30T00:00:00.000Z", "2026-11-30T00:00:00.000Z"]);
    // An omitted expiry keeps the current one.
    const again = await owner.grants.narrow(id, { sources: texts });
    expect(listGrants(again).find(({ status }) => status === "active")?.expires_at).toBe("2026-11-30T00:00:00.000Z");
    await expect(authenticate(vault.store, token, Date.parse("2026-11-30T00:00:01Z"))).rejects.toThrow("expired");
    const open = await issueGrant(all);
    await owner.grants.narrow(open.id, { expires_at: "2026-11-29" });
    await expect(authenticate(vault.store, open.token, Date.parse("2026-11-29T00:00:01Z"))).rejects.toThrow("expired");
  });

  it("[CSL-21] rejects an inactive grant, an empty one and another owner's", async () => {
    const { id } = await issueGrant(all);
    const other = createOwner({ store: vault.store, ownerNo: 2, now: () => now });
    await expect(other.grants.narrow(id, { sources: texts })).rejects.toThrow("no grant");
    await expect(owner.grants.narrow(id, { sources: [] })).rejects.toThrow("revoke it instead");
    await expect(owner.grants.narrow(id, { sources: [...texts, ...texts] })).rejects.toThrow("covers one source");
    await owner.grants.revoke(id);
    await expect(owner.grants.narrow(id, { sources: texts })).rejects.toThrow("has ended");
  });

  it("[CSL-21] still obeys a revocation by its old id, at the same time, or after a restore", async () => {
    const { token, id } = await issueGrant(all);
    await owner.grants.narrow(id, { sources: texts });
    await owner.grants.revoke(id);
    await expect(authenticate(vault.store, token, now)).rejects.toThrow("revoked");

    for (const request of [all, both]) {
      const held = await issueGrant(request);
      await Promise.allSettled([
        owner.grants.narrow(held.id, { sources: texts }),
        owner.grants.revoke(held.id),
        owner.grants.narrow(held.id, { sources: texts }),
      ]);
      await expect(authenticate(vault.store, held.token, now)).rejects.toThrow("revoked");
    }
  });

  it("[CSL-21] keeps earlier and later reads together", async () => {
    const { token, id } = await issueGrant(both);
    await world.call(token, "/v1/streams/order_lines/records");
    await owner.grants.narrow(id, { sources: texts });
    await world.call(token, "/v1/streams/messages/records?limit=5");
    const read = await owner.log.page({ grant: id, kind: "read", limit: 10 });
    expect(read.entries.map(({ stream, records }) => [stream, records])).toEqual([
      ["messages", 5],
      ["order_lines", 3],
    ]);
    const alone = await issueGrant(all);
    await world.call(alone.token, "/v1/streams/messages/records?limit=2&connection_id=chat_home");
    await vault.store.log.flush();
    const { grant_id: next } = listGrants(await owner.grants.narrow(alone.id, { sources: texts }))[0] ?? {
      grant_id: "",
    };
    await world.call(alone.token, "/v1/streams/messages/records?limit=4");
    const days = await owner.log.countByDay(now - 86_400_000, next);
    expect(days).toMatchObject([{ client: "Narrowed", reads: 2, records: 6 }]);
    expect(await owner.log.countByDay(now - 86_400_000, alone.id)).toMatchObject([{ records: 2 }]);
    expect((await owner.log.read({ grant: next, limit: 20 })).map(({ operation }) => operation)).toEqual([
      "grant.create",
      "queryRecords",
      "grant.narrow",
      "queryRecords",
    ]);
  });

  it("[CSL-21] never allows a read that was not allowed before, whatever is requested", async () => {
    const drawSome = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
    const drawMaybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
    const time = fc.constantFrom(
      "2026-05-01T10:05:00Z",
      "2026-05-01T12:10:00+02:00",
      "2026-05-01",
      "2026-05-01T10:20:00Z",
      "2026-05-02",
    );
    const messages = fc.record({
      name: fc.constant("messages"),
      connection_ids: drawMaybe(drawSome(["chat_home", "chat_work"])),
      fields: drawMaybe(drawSome(["id", "sent_at", "text", "likes", "secret"])),
      time_range: drawMaybe(fc.record({ since: drawMaybe(time), until: drawMaybe(time) })),
      resources: drawMaybe(drawSome(["h00", "h05", "h10", "w05", "w10"])),
    });
    const channels = fc.record({
      name: fc.constant("channels"),
      connection_ids: drawMaybe(drawSome(["chat_home", "chat_work"])),
      fields: drawMaybe(drawSome(["id", "title"])),
    });
    const lines = fc.record({
      name: fc.constant("order_lines"),
      fields: drawMaybe(drawSome(["order_id", "line", "price", "bought_on"])),
    });
    const sources = fc
      .record({
        messages: drawMaybe(messages),
        channels: drawMaybe(channels),
        lines: drawMaybe(lines),
        apart: fc.boolean(),
      })
      .map(({ messages: m, channels: c, lines: l, apart }): GrantRequest["sources"] => {
        const chats = [m, c].filter((stream) => stream !== undefined);
        const parts = apart ? chats.map((stream) => [stream]) : chats.length > 0 ? [chats] : [];
        return [
          ...parts.map((streams) => ({ connector_key: "chat", streams })),
          ...(l === undefined ? [] : [{ connector_key: "shop", streams: [l] }]),
        ];
      })
      .filter((made) => made.length > 0);
    const wanted: fc.Arbitrary<NarrowRequest> = fc.record({
      sources: drawMaybe(sources),
      expires_at: drawMaybe(fc.constantFrom("2026-12-01", "2027-01-01", "2026-11-30T23:00:00-05:00")),
    });
    const given = fc.record({ sources, expires_at: drawMaybe(fc.constantFrom("2026-12-01", "2026-12-31")) });
    let narrowed = 0;
    let values = 0;
    await fc.assert(
      fc.asyncProperty(given, wanted, async (first, second) => {
        const held = await issueGrant({ client: { name: "at random" }, ...first }).catch(() => undefined);
        if (held === undefined) return;
        const before = await readBy(held.token);
        const ended = await getEnd(held.token);
        const done = await owner.grants.narrow(held.id, second).then(
          () => true,
          () => false,
        );
        const after = await readBy(held.token);
        if (done) narrowed += 1;
        values += before.length;
        // If narrowing is rejected, reads stay the same. Otherwise they never grow.
        if (!done) expect(after).toEqual(before);
        expect(after.filter((each) => !before.includes(each))).toEqual([]);
        expect(await getEnd(held.token)).toBeLessThanOrEqual(ended);
        await vault.store.engine.write((on) => revoke(on, 1, held.id, now));
      }),
      {
        numRuns: chooseRuns(25, 120),
        examples: [
          [
            { sources: both.sources, expires_at: undefined },
            { sources: texts, expires_at: undefined },
          ],
        ],
      },
    );
    expect(narrowed).toBeGreaterThan(3);
    expect(values).toBeGreaterThan(500);
  });

  /** Lists every value a token reads, with its location. */
  const readBy = async (token: string): Promise<string[]> => {
    const answer = await world.call(token, "/v1/export");
    const lines = (await answer.text()).split("\n").filter((line) => line !== "");
    return lines.flatMap((line) => {
      const { object, connection_id, stream, record_key, id, data } = JSON.parse(line);
      if (object !== "record") return [];
      return Object.entries(data).map(([field, value]) =>
        JSON.stringify([connection_id, stream, record_key ?? id, field, value]),
      );
    });
  };
  const getEnd = async (token: string): Promise<number> => {
    const { grantIds } = await authenticate(vault.store, token, now);
    const held = (await owner.grants.list()).filter(({ grant_id }) => grantIds.includes(grant_id));
    return Math.max(
      ...held.map(({ expires_at }) => (expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at))),
    );
  };
});

it("[CSL-21] stays narrowed when an older state of the vault is restored", async () => {
  const vault = await createVault("sqlite");
  try {
    const world = await createSample(vault);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    const { token, grants } = await owner.grants.issue(all);
    const id = grants[0]?.grant_id ?? "";
    await owner.grants.narrow(id, { sources: texts });
    const noted = await readRevocations(getRevocationsFile(vault.dataDir));
    expect(noted.map((each) => each.id)).toEqual([id]);
    // Opening the vault again revokes nothing more.
    expect(await applyRevocations(vault.store.engine, noted)).toBe(0);
    expect((await world.call(token, "/v1/streams")).status).toBe(200);
  } finally {
    await vault.drop();
  }
});
