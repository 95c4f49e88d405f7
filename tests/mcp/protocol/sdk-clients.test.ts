import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buildErrorEnvelope, PdppError, type ProblemCode, problemStatus } from "@pdpp/contract/errors";
import { type AgentClient, clients, connect, type ToolResult, transports } from "@pdpp/test-support/mcp/public-clients";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildResourceMetadata, metadataPath } from "#server/http/metadata";
import { failures, successes, variations } from "../calls.ts";

let world: ServedVault;
beforeAll(async () => {
  world = await serveSampleVault();
});
afterAll(() => world.close());

const expectError = (result: ToolResult, code: string) => {
  expect(result.isError).toBe(true);
  expect(result.content).toEqual([{ type: "text", text: expect.stringMatching(`^Error: ${code}: `) }]);
  expect(result.structuredContent).toMatchObject({ error: { code, message: expect.any(String) } });
};

const combinations = clients.flatMap((client) => transports.map((way) => [client, way] as const));

describe.each(combinations)("a client built on the public SDK, %s, over %s", (client, way) => {
  let agent: AgentClient;
  beforeAll(async () => {
    agent = await connect(client, way, world);
    // From here on the SDKs check every result against the declared output schema, and throw if it does not fit.
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name)).toEqual(successes.map(({ name }) => name));
  });
  afterAll(() => agent.close());

  it("[TOOL-7] receives every tool's answer in both forms", async () => {
    for (const call of [...successes, ...variations]) {
      const result = await agent.callTool(call);
      expect(result.isError, JSON.stringify(result)).toBeFalsy();
      expect(result.content).toEqual([{ type: "text", text: expect.stringMatching(/\S/) }]);
      expect(Object.keys(result.structuredContent!)).not.toContain("error");
    }
  });

  it("[HOST-2] receives every error as a result and throws none", async () => {
    for (const { code, ...call } of failures) expectError(await agent.callTool(call), code);
  });

  it("[HOST-7] uses the protocol revision of its era", () => {
    if (client !== "v1" || way === "HTTP")
      expect(agent.protocolVersion()).toBe(client === "v2, 2026 era" ? "2026-07-28" : "2025-11-25");
  });
});

describe("errors that no arguments can cause", () => {
  /** A server with the same metadata that answers every search with the requested error. */
  let failing: Server;
  let url: string;
  beforeAll(async () => {
    failing = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, url);
      if (pathname === metadataPath) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(buildResourceMetadata(url)));
        return;
      }
      const code = searchParams.get("q") as ProblemCode;
      response.writeHead(problemStatus[code], { "content-type": "application/json" });
      response.end(JSON.stringify(buildErrorEnvelope(new PdppError(code, "it went wrong"))));
    });
    await new Promise<void>((resolve) => failing.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
  });
  afterAll(() => void failing.close());

  it.each(clients)("[HOST-2] delivers every error code as a result: %s", async (client) => {
    const agent = await connect(client, "stdio", { ...world, url });
    await agent.listTools();
    for (const code of Object.keys(problemStatus))
      expectError(await agent.callTool({ name: "search", arguments: { query: code } }), code);
    await agent.close();
  });

  it.each(clients)("[HOST-2] reports an unreachable server as a result: %s", async (client) => {
    const agent = await connect(client, "stdio", { ...world, url: "http://127.0.0.1:9" });
    await agent.listTools();
    for (const call of successes) expectError(await agent.callTool(call), "unavailable");
    await agent.close();
  });
});
