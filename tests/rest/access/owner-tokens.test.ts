import { type OperationName, operations } from "@pdpp/contract/operations";
import { type OwnerApi, type OwnerRight, ownerRights } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, origin, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { checkRights } from "#server/http/request/rights";

/** A valid owner's request for each operation. */
const requests: { readonly [N in OperationName]: readonly [path: string, body?: string] } = {
  schema: ["/v1/schema"],
  connectors: ["/v1/connectors"],
  streams: ["/v1/streams"],
  stream: ["/v1/streams/messages"],
  queryRecords: ["/v1/streams/messages/records"],
  fetch: ["/v1/streams/messages/records/h01?connection_id=chat_home"],
  aggregate: ["/v1/streams/messages/aggregate?metric=count"],
  search: ["/v1/search?q=message"],
  readField: ["/v1/streams/messages/records/h01/field-window?connection_id=chat_home&field=text"],
  readBlob: ["/v1/blobs/blob_sha256_none"],
  export: ["/v1/export"],
  ingest: ["/v1/ingest/messages?connection_id=chat_home", JSON.stringify(buildMessage("new", 1))],
  push: ["/v1/push/chat_home", JSON.stringify({ stream: "messages", ...buildMessage("pushed", 1) })],
  putBlob: ["/v1/blobs?connection_id=chat_home", "bytes"],
  deleteRecord: ["/v1/streams/messages/records/none?connection_id=chat_home"],
  deleteRecords: ["/v1/streams/channels/records?connection_id=chat_work"],
};
/** The scope each operation needs besides `everything`. Written by hand to check the table. */
const allowed: { readonly [N in OperationName]: OwnerRight } = {
  schema: "read",
  connectors: "read",
  streams: "read",
  stream: "read",
  queryRecords: "read",
  fetch: "read",
  aggregate: "read",
  search: "read",
  readField: "read",
  readBlob: "read",
  export: "read",
  ingest: "ingest",
  push: "push",
  putBlob: "ingest",
  deleteRecord: "manage",
  deleteRecords: "manage",
};

describe.each(surfaceEngines)("owner tokens on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let owner: OwnerApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
  });
  afterAll(() => vault.drop());

  const getCode = async (response: Response): Promise<string | undefined> => {
    const text = await response.text();
    return response.ok ? undefined : JSON.parse(text).error.code;
  };

  it.each(ownerRights)("[AUT-13] lets a token for %s do what needs it and rejects everything else", async (right) => {
    const { token } = await owner.tokens.create({ name: right, may: [right] });
    for (const name of Object.keys(operations) as OperationName[]) {
      const [path, body] = requests[name];
      const { method } = operations[name];
      const response = await world.call(token, path, { method, ...(body === undefined ? {} : { body }) });
      const isRefused = (await getCode(response)) === "permission_error";
      expect([name, isRefused]).toEqual([name, right !== "everything" && allowed[name] !== right]);
    }
  });

  it("[AUT-13] denies an operation that declares no required scope", () => {
    const unknown = { audience: "owner", needs: undefined as never } as const;
    for (const right of ["read", "ingest", "manage"] as const)
      expect(() => checkRights({ tokenKind: "owner", may: [right] }, unknown)).toThrow("this token allows");
    expect(() => checkRights({ tokenKind: "client" }, unknown)).toThrow("only the owner");
  });

  it("[AUT-13] hides other connections from a token for one connection", async () => {
    const limited = await owner.tokens.create({
      name: "importer",
      may: ["read", "ingest", "manage"],
      connection_ids: ["chat_home"],
    });
    const { token } = limited;
    expect(limited).toMatchObject({ may: ["read", "ingest", "manage"], connection_ids: ["chat_home"] });
    const streams: { data: { connection_id: string }[] } = await world.json(token, "/v1/streams");
    expect(new Set(streams.data.map(({ connection_id }) => connection_id))).toEqual(new Set(["chat_home"]));
    const exported = await (await world.call(token, "/v1/export")).text();
    expect(exported).not.toContain('"connection_id":"chat_work"');
    const post = (path: string, body: string) => world.call(token, path, { method: "POST", body });
    const line = JSON.stringify(buildMessage("limited", 2));
    expect((await post("/v1/ingest/messages?connection_id=chat_home", line)).status).toBe(200);
    expect(await getCode(await post("/v1/ingest/messages?connection_id=chat_work", line))).toBe("connection_not_found");
    expect(await getCode(await post("/v1/ingest/messages?connector_id=shop", line))).toBe("connection_not_found");
    expect(await getCode(await post("/v1/blobs", "bytes"))).toBe("permission_error");
    expect(await getCode(await post("/v1/blobs?connection_id=chat_work", "bytes"))).toBe("connection_not_found");
    const gone = await world.call(token, "/v1/streams/messages/records?connection_id=chat_work", { method: "DELETE" });
    expect(await getCode(gone)).toBe("connection_not_found");
    expect((await owner.connections.get("chat_work")).record_count).toBe(20);
    const nowhere = { name: "x", connection_ids: ["nowhere"] };
    await expect(owner.tokens.create(nowhere)).rejects.toMatchObject({ code: "connection_not_found" });
    await expect(owner.tokens.create({ name: "x", may: [] })).rejects.toMatchObject({ code: "invalid_argument" });
  });

  it("[AUT-14] does not accept an expired token again when the clock is set back or the server restarts", async () => {
    let clock = now;
    const createServer = () => createApp({ store: vault.store, now: () => clock });
    const ask = async (token: string) => {
      const request = new Request(`${origin}/v1/streams`, { headers: { authorization: `Bearer ${token}` } });
      return (await createServer().fetch(request)).status;
    };
    const later = new Date(now + 1000).toISOString();
    const { token: client, grants } = await owner.grants.issue({ ...everything, expires_at: later });
    const { token: own } = await owner.tokens.create({ name: "brief", expires_at: later });
    const { token: unseen } = await owner.tokens.create({ name: "unseen", expires_at: later });
    expect([await ask(client), await ask(own)]).toEqual([200, 200]);
    clock = now + 2000;
    expect([await ask(client), await ask(own)]).toEqual([403, 401]);
    clock = now;
    expect([await ask(client), await ask(own), await ask(unseen)]).toEqual([403, 401, 200]);
    await vault.reopen();
    expect([await ask(client), await ask(own)]).toEqual([403, 401]);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => clock });
    expect(await owner.grants.get(grants[0]?.grant_id ?? "")).toMatchObject({ status: "expired" });
  });

  it("[AUT-10] keeps no stream open at the MCP endpoint that a revocation would have to end", async () => {
    const { token, grants } = await owner.grants.issue(everything);
    const server = createApp({ store: vault.store, now: () => now });
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const answer = await server.fetch(new Request(`${origin}/mcp`, { headers }));
    expect(answer.status).toBe(405);
    await answer.text();
    await owner.grants.revoke(grants[0]?.grant_id ?? "");
    expect([401, 403]).toContain((await server.fetch(new Request(`${origin}/mcp`, { headers }))).status);
  });
});
