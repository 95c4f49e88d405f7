import { expect, it } from "vitest";
import { callTool } from "./server.ts";
import type { ToolContext } from "./tool.ts";

it("[INT-3] an error of our own is reported as a bug in pdpp, and passed on unchanged", async () => {
  const fault = new TypeError("x is not a function");
  const api = new Proxy({} as ToolContext["api"], {
    get: () => () => {
      throw fault;
    },
  });
  const seen: unknown[] = [];
  const context = { api, origin: "http://127.0.0.1:7663", nonce: () => "nonce" };
  const result = await callTool(context, "req_1", "schema", {}, (error) => void seen.push(error));
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: "api_error" } } });
  expect(JSON.stringify(result.content)).toContain("bug in pdpp");
  expect(JSON.stringify(result.content)).not.toContain("server failed");
  expect(seen).toEqual([fault]);
});
