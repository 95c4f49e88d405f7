import { transports } from "@pdpp/test-support/mcp/public-clients";
import {
  connectOverHttp,
  connectOverStdio,
  createRawClient,
  type Message,
  type RawClient,
} from "@pdpp/test-support/mcp/raw-client";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failures, successes } from "../calls.ts";

/** Raw messages of each protocol revision, as hosts without an SDK send them. */

let world: ServedVault;
beforeAll(async () => {
  world = await serveSampleVault();
});
afterAll(() => world.close());

async function useTools(client: RawClient, meta: object = {}): Promise<void> {
  const list = await client.send({ id: 2, method: "tools/list", params: meta });
  const { tools } = list!.result as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(successes.map(({ name }) => name));
  let id = 10;
  const call = (name: string, args: object): Promise<Message | undefined> => {
    id += 1;
    return client.send({ id, method: "tools/call", params: { name, arguments: args, ...meta } });
  };
  for (const { name, arguments: args } of successes) {
    const { result } = (await call(name, args))!;
    expect(result).toMatchObject({ content: [{ type: "text" }], structuredContent: expect.any(Object) });
    expect(result!.isError).toBeUndefined();
  }
  for (const { name, arguments: args, code } of failures)
    expect((await call(name, args))!.result).toMatchObject({ isError: true, structuredContent: { error: { code } } });
}

describe.each(transports)("over %s", (way) => {
  // Hosts use 2024-11-05 over stdio. Over HTTP that revision had a different transport.
  const versions = ["2025-03-26", "2025-06-18", "2025-11-25", ...(way === "stdio" ? ["2024-11-05"] : [])];

  it.each(versions)("[HOST-7] negotiates %s and answers every call", async (version) => {
    const client = createRawClient(way, world);
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: version, capabilities: {}, clientInfo };
    const { result } = (await client.send({ id: 1, method: "initialize", params }))!;
    expect(result).toMatchObject({ protocolVersion: version, serverInfo: { name: "pdpp" } });
    expect(result!.capabilities).toEqual({ tools: {}, resources: {} });
    await client.send({ method: "notifications/initialized" });
    await useTools(client);
    expect(await client.close()).toEqual({ code: 0, stderr: "" });
  });

  it("[HOST-7] discovers 2026-07-28 and answers every call without a handshake", async () => {
    const client = createRawClient(way, world);
    const meta = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    const { result } = (await client.send({ id: 1, method: "server/discover", params: meta }))!;
    expect(result).toMatchObject({
      supportedVersions: expect.arrayContaining(["2026-07-28"]),
      capabilities: { tools: {}, resources: {} },
      ttlMs: expect.any(Number),
      cacheScope: "public",
    });
    await useTools(client, meta);
    expect(await client.close()).toEqual({ code: 0, stderr: "" });
  });
});

describe("invalid requests", () => {
  it("[SET-4] writes only protocol messages to stdout, whatever it receives", async () => {
    const client = connectOverStdio({ ...world, url: "http://127.0.0.1:9" });
    const params = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const { result } = (await client.send({ id: 1, method: "initialize", params }))!;
    expect(result!.protocolVersion).toBe("2025-11-25");
    expect((await client.send({ id: 2, method: "no/such/method" }))!.error).toMatchObject({ code: -32601 });
    const call = await client.send({ id: 3, method: "tools/call", params: { name: "schema" } });
    expect(call!.result).toMatchObject({ isError: true });
    await client.close();
    for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("[HOST-8] rejects a subscription as an unknown method", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { notifications: { toolsListChanged: true }, _meta: meta };
    const answer = await connectOverHttp(world).send({ id: 7, method: "subscriptions/listen", params });
    expect(answer).toEqual({ jsonrpc: "2.0", id: 7, error: { code: -32601, message: "Method not found" } });
  });

  it.each(transports)("[HOST-8] names invalid parameters over %s", async (way) => {
    const client = createRawClient(way, world);
    const clientInfo = { name: "raw", version: "1" };
    const begun = await client.send({ id: 1, method: "initialize", params: { protocolVersion: 5 } });
    expect(begun!.error).toMatchObject({ code: -32602, message: expect.stringMatching(/protocolVersion.*clientInfo/) });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await client.send({ id: 2, method: "initialize", params });
    await client.send({ method: "notifications/initialized" });
    const list = await client.send({ id: 3, method: "tools/list", params: { cursor: 5 } });
    expect(list!.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Invalid params of .*cursor/) });
    const read = await client.send({ id: 4, method: "resources/read", params: {} });
    expect(read!.error).toMatchObject({ code: -32602, message: expect.stringMatching(/uri/) });
    await client.close();
  });
});
