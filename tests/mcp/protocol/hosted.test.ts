import type { ReadApi } from "@pdpp/contract/operations";
import { answerMcp } from "@pdpp/mcp/hosted";
import { expect, it } from "vitest";

const revisions = {
  "2025-11-25": { headers: {}, params: {} },
  "2026-07-28": {
    headers: { "mcp-method": "tools/call", "mcp-name": "schema", "mcp-protocol-version": "2026-07-28" },
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
};

it.each(["2025-11-25", "2026-07-28"] as const)(
  "[HOST-7] answers a request only when its tool is done: %s",
  async (revision) => {
    const { headers, params } = revisions[revision];
    const events: string[] = [];
    let finish = () => {};
    const started = new Promise<void>((begun) => {
      const schema = () => {
        begun();
        return new Promise((resolve) => {
          finish = () => resolve({ object: "schema", connector_count: 0, stream_count: 0, connectors: [] });
        });
      };
      const request = new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "schema", ...params } }),
      });
      const openReader = () => ({ api: { schema } as unknown as ReadApi, onSent: () => undefined });
      const parts = { openReader, token: "t", requestId: "req_1", origin: "http://127.0.0.1", onBug: () => undefined };
      answerMcp(request, parts).then(
        async (response) => {
          events.push("answered");
          events.push(await response.text());
        },
        (error) => void events.push(String(error)),
      );
    });
    await started;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(events).toEqual([]);
    finish();
    await expect.poll(() => events.length).toBe(2);
    expect(events[1]).toContain("req_1");
  },
);
