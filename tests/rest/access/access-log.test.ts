import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  createSample,
  everything,
  now,
  origin,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";

describe.each(surfaceEngines)("the owner's log on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let owner: OwnerApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    const long = Array.from({ length: 300 }, (_, i) => buildMessage(`l${i}`, i, { text: "long ".repeat(300) }));
    await putRecords(vault, "chat_home", "messages", long);
  });
  afterAll(() => vault.drop());

  const listEntries = async (of?: (entry: AccessDocument) => boolean): Promise<AccessDocument[]> => {
    await vault.store.log.flush();
    return (await owner.log.read({ limit: 10_000 })).filter(of ?? (() => true));
  };
  const listSince = async (before: readonly AccessDocument[]) => {
    const newest = before.at(-1)?.entry ?? 0;
    return listEntries(({ entry }) => entry > newest);
  };

  it("[LOG-1] logs an export while it runs, and once when it has ended", async () => {
    const token = await world.grant(everything);
    const app = createApp({ store: vault.store, now: () => now });
    const headers = { authorization: `Bearer ${token}`, "request-id": `running-${engine}` };
    const isMine = ({ request_id }: AccessDocument) => request_id === `running-${engine}`;
    const response = await app.fetch(new Request(`${origin}/v1/export`, { headers }));
    const reader = response.body!.getReader();
    let size = (await reader.read()).value!.byteLength;
    expect(await listEntries(isMine)).toMatchObject([{ operation: "export", outcome: "running", kind: "read" }]);
    for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.byteLength;
    expect(await listEntries(isMine)).toMatchObject([
      {
        operation: "export",
        outcome: "finished",
        status: 200,
        records: 352,
        bytes: size,
        ended_at: expect.any(String),
      },
    ]);
    const gone = await app.fetch(new Request(`${origin}/v1/export`, { headers: { ...headers, "request-id": "gone" } }));
    await gone.body!.cancel();
    expect(await listEntries(({ request_id }) => request_id === "gone")).toMatchObject([
      { outcome: "cut", status: 200 },
    ]);
  });

  it("[LOG-3] logs a rejected token with its holder and the reason, and counts repeats", async () => {
    const before = await listEntries();
    const { token, grants } = await owner.grants.issue({ ...everything, client: { name: "Former" } });
    const grantId = grants[0]?.grant_id ?? "";
    await owner.grants.revoke(grantId);
    for (let n = 0; n < 5; n += 1) expect((await world.call(token, "/v1/streams")).status).toBe(403);
    for (let n = 0; n < 7; n += 1) await world.call(`pdpp_client_guess${n}${"x".repeat(40)}`, "/v1/schema");
    const refusals = (await listSince(before)).filter(({ kind }) => kind === "refusal");
    expect(refusals).toMatchObject([
      { client: "Former", grant_ids: [grantId], operation: "streams", status: 403, code: "grant_revoked" },
      { client: "-", grant_ids: [], operation: "schema", status: 401, code: "authentication_error" },
    ]);
    await vault.reopen();
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    world = { ...world, ...reconnect(vault) };
    const counted = (await listSince(before)).filter(({ kind }) => kind === "refusal");
    expect(counted.map(({ code, times }) => [code, times])).toEqual([
      ["grant_revoked", undefined],
      ["authentication_error", undefined],
      ["grant_revoked", 4],
      ["authentication_error", 6],
    ]);
    expect(JSON.stringify(counted)).not.toContain("guess");
  });

  it("[LOG-3] logs a request beyond the grant with its code, but not as a stream it may read", async () => {
    const narrow = {
      client: { name: "Narrow" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id"] }] }],
    };
    const token = await world.grant(narrow);
    const before = await listEntries();
    await world.call(token, "/v1/streams/messages/records?fields=secret");
    await world.call(token, "/v1/streams/order_lines/records");
    await world.call(token, "/v1/ingest/messages?connection_id=chat_home", { method: "POST", body: "{}" });
    expect(await listSince(before)).toMatchObject([
      { kind: "refusal", client: "Narrow", operation: "queryRecords", status: 403, code: "field_not_granted" },
      { kind: "refusal", operation: "queryRecords", stream: null, status: 403, code: "grant_stream_not_allowed" },
      { kind: "refusal", operation: "ingest", status: 403, code: "permission_error" },
    ]);
  });

  it("[LOG-4] logs the owner's actions with what they affected", async () => {
    const before = await listEntries();
    await owner.connections.add({ connector_key: "chat", connection_id: "chat_spare" });
    const { grants } = await owner.grants.issue({ ...everything, client: { name: "Agent" } });
    const grantId = grants[0]?.grant_id ?? "";
    await owner.grants.revoke(grantId);
    const { token_id: id } = await owner.tokens.create({ name: "backup" });
    await owner.tokens.revoke(id);
    await owner.records.delete({ stream: "messages", connection_id: "chat_work", record_id: "w01" });
    await owner.records.prune(now - 1);
    await owner.connections.remove("chat_spare");
    await owner.log.prune(0);
    const acts = await listSince(before);
    expect(acts.map(({ kind, operation, subject }) => [kind, operation, subject])).toEqual([
      ["act", "connection.add", "chat"],
      ["act", "grant.create", "Agent"],
      ["act", "grant.revoke", undefined],
      ["act", "owner-token.create", `${id} backup`],
      ["act", "owner-token.revoke", `${id} backup`],
      ["act", "records.delete", undefined],
      ["act", "records.prune", "2026-06-01T11:59:59.999Z"],
      ["act", "connection.remove", undefined],
      ["act", "log.prune", "1970-01-01T00:00:00.000Z"],
    ]);
    expect(acts.filter(({ grant_ids }) => grant_ids.includes(grantId)).map(({ operation }) => operation)).toEqual([
      "grant.create",
      "grant.revoke",
    ]);
    expect(acts.at(-2)?.connection_ids).toEqual(["chat_spare"]);
    expect(await owner.log.verify()).toMatchObject({ valid: true });
  });

  it("[LOG-2] rejects reads it cannot log in strict mode, and serves them otherwise", async () => {
    const token = await world.grant(everything);
    const { store } = vault;
    const log = {
      ...store.log,
      note: () => false,
      begin: (...[, , need]: Parameters<typeof store.log.begin>) =>
        need === undefined ? { end: () => undefined } : undefined,
    };
    const headers = { authorization: `Bearer ${token}` };
    for (const [strictLog, status] of [
      [true, 503],
      [false, 200],
    ] as const) {
      const app = createApp({ store: { ...store, log }, now: () => now, strictLog });
      for (const path of ["/v1/streams", "/v1/export", "/v1/streams/messages/records/l1?connection_id=chat_home"]) {
        const response = await app.fetch(new Request(`${origin}${path}`, { headers }));
        const text = await response.text();
        expect([path, response.status, text.includes("the access log cannot be written")]).toEqual([
          path,
          status,
          strictLog,
        ]);
      }
    }
  });

  function reconnect({ store }: TestVault): Pick<Sample, "call" | "grant"> {
    const app = createApp({ store, now: () => now });
    return {
      call: async (token, path, init = {}) =>
        app.fetch(new Request(new URL(path, origin), { ...init, headers: { authorization: `Bearer ${token}` } })),
      grant: async (request) => (await owner.grants.issue(request)).token,
    };
  }
});
