import { transports } from "@pdpp/test-support/mcp/public-clients";
import { createRawClient } from "@pdpp/test-support/mcp/raw-client";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Requirements of the latest public protocol for the MCP endpoint. */

let world: ServedVault;
beforeAll(async () => {
  world = await serveSampleVault();
});
afterAll(() => world.close());

const serverInfoKey = "io.modelcontextprotocol/serverInfo";
const modern = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

interface ServerInfo {
  readonly name: string;
  readonly icons?: readonly { readonly src: string; readonly mimeType: string; readonly sizes: readonly string[] }[];
}

describe.each(transports)("over %s", (way) => {
  const expectIcon = async ({ name, icons }: ServerInfo) => {
    expect(name).toBe("pdpp");
    expect(icons).toEqual([{ src: `${world.url}/icon.svg`, mimeType: "image/svg+xml", sizes: ["any"] }]);
    const response = await fetch(icons![0]!.src);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
    expect(await response.text()).toMatch(/^<svg /);
  };

  it("[PUB-1] names an icon that can be loaded in initialize", async () => {
    const client = createRawClient(way, world);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const { result } = (await client.send({ id: 1, method: "initialize", params }))!;
    await expectIcon(result!.serverInfo as ServerInfo);
    await client.close();
  });

  it("[PUB-1] names the same icon in server/discover and does not repeat it in tool results", async () => {
    const client = createRawClient(way, world);
    const getIdentity = ({ result }: NonNullable<Awaited<ReturnType<typeof client.send>>>) =>
      (result!._meta as Record<string, ServerInfo>)[serverInfoKey]!;
    await expectIcon(getIdentity((await client.send({ id: 1, method: "server/discover", params: modern }))!));
    const call = { name: "schema", arguments: {}, ...modern };
    const called = getIdentity((await client.send({ id: 2, method: "tools/call", params: call }))!);
    expect(called).toEqual({ name: "pdpp", title: "pdpp", version: expect.any(String) });
    await client.close();
  });
});

it("[PUB-1] links to the icon in every response from /mcp, even without a token", async () => {
  const answers = [
    await fetch(`${world.url}/mcp`),
    await fetch(`${world.url}/mcp`, { method: "POST", headers: { authorization: "Bearer wrong" } }),
    await fetch(`${world.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 200]);
  for (const { headers } of answers)
    expect(headers.get("link")).toBe(`<${world.url}/icon.svg>; rel="icon"; type="image/svg+xml"`);
});

it("[PUB-2] names the MCP endpoint in the metadata, and a session starts there", async () => {
  const metadata = (await (await fetch(`${world.url}/.well-known/oauth-protected-resource`)).json()) as {
    pdpp_agent_discovery: { mcp: { endpoint: string } };
  };
  const { endpoint } = metadata.pdpp_agent_discovery.mcp;
  const client = createRawClient("HTTP", { ...world, url: endpoint.replace(/\/mcp$/, "") });
  const list = await client.send({ id: 1, method: "tools/list" });
  expect(list!.result).toMatchObject({ tools: expect.any(Array) });
});
