import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment, pdppFile, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { toolListChars } from "@pdpp/test-support/mcp/budgets";
import { connect, modernRevision, surfaces } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, type McpWorld } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onEverySurface } from "./every-surface.ts";

const names = ["schema", "query_records", "aggregate", "search", "fetch", "read_record_field"];

/** Lists every schema nested in a schema. */
const listSchemas = (value: unknown): Record<string, unknown>[] =>
  typeof value !== "object" || value === null
    ? []
    : [value as Record<string, unknown>, ...Object.values(value).flatMap(listSchemas)];

describe("the tool surface", () => {
  onEverySurface((on) => {
    it("[TOOL-1] [TOOL-2] [TOOL-4] [HOST-8] has six tools in a fixed order, on one page, within its budget", async () => {
      const tools = await on().client.tools();
      expect(tools.map(({ name }) => name)).toEqual(names);
      expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(toolListChars);
      for (const { annotations } of tools) {
        expect(annotations).toEqual({
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        });
      }
      expect(on().client.capabilities).toEqual({ tools: {}, resources: {} });
    });

    it("[TOOL-9] explains when to set a time", async () => {
      const search = (await on().client.tools()).find(({ name }) => name === "search")!;
      expect(search.description).toMatch(/time in the question set since and until/);
      expect(search.inputSchema.properties).toMatchObject({
        since: { description: expect.stringMatching(/e\.g\. \d{4}-\d\d-\d\d/) },
        until: { description: expect.stringContaining("before") },
      });
    });

    it("[TOOL-3] accepts an optional connection_id everywhere and connector_instance_id nowhere", async () => {
      for (const { inputSchema } of await on().client.tools()) {
        expect(inputSchema.properties).toHaveProperty("connection_id");
        expect(inputSchema.required ?? []).not.toContain("connection_id");
        expect(JSON.stringify(inputSchema)).not.toContain("connector_instance_id");
      }
    });

    it("[HOST-8] has plain input schemas, with limits and defaults in words too", async () => {
      for (const { name, description = "", inputSchema } of await on().client.tools()) {
        expect(name).toMatch(/^[a-z_]+$/);
        expect(description.length).toBeGreaterThan(100);
        for (const schema of listSchemas(inputSchema)) {
          for (const key of ["$ref", "oneOf", "anyOf", "allOf", "$defs"]) expect(schema).not.toHaveProperty(key);
          expect(Array.isArray(schema.type)).toBe(false);
        }
        for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
          if (argument === "limit") expect(schema.description).toMatch(/1 to 100, default \d+/);
        }
      }
      const described = (await on().client.tools()).map(({ description }) => description).join(" ");
      for (const word of ["->", "schema(stream)", "read_record_field", "fetch", "id"])
        expect(described).toContain(word);
    });

    it("[TOOL-7] declares an output schema for every tool that also fits errors", async () => {
      for (const { outputSchema } of await on().client.tools()) {
        expect(outputSchema).toMatchObject({ type: "object" });
        expect(outputSchema!.properties).toHaveProperty("error");
      }
      // Both SDK clients check results against it, and our test client rejects undeclared keys.
      expect((await on().client.call("fetch", { id: "attic/documents:none" })).isError).toBe(true);
    });

    it("[TOOL-8] has short static instructions whose first lines explain the ladder", async () => {
      const { client, world } = on();
      const instructions = client.instructions!;
      expect(instructions.length).toBeLessThanOrEqual(800);
      const beginning = instructions.slice(0, 150);
      for (const word of ["search", "schema", "->"]) expect(beginning).toContain(word);
      for (const name of ["schema", "search", "query_records", "read_record_field", "fetch", "connection_id/stream:"])
        expect(instructions.slice(0, 512)).toContain(name);
      const words = JSON.stringify([instructions, await client.tools()]);
      for (const data of ["chat_home", "attic", "Attic", "documents", "Subject", world.token])
        expect(words).not.toContain(data);
    });

    it("[HND-6] [TOOL-2] lists no resources, only templates whose content tools return too", async () => {
      expect(await on().client.resources()).toEqual([]);
      expect(await on().client.templates()).toEqual([
        "pdpp://record/{handle}",
        "pdpp://field-window/{handle}",
        "pdpp://blob/{handle}",
      ]);
    });

    it("[HOST-9] accepts query in search, and q as an alias", async () => {
      const { client } = on();
      const [named, alias] = [
        await client.call("search", { query: "boiler" }),
        await client.call("search", { q: "boiler" }),
      ];
      expect(alias.structuredContent).toEqual(named.structuredContent);
      expect(named.structuredContent.results).toHaveLength(2);
      expect((await client.call("search", { query: "boiler", q: "x" })).text).toContain('no argument "q"');
    });

    it("[HOST-7] [SET-4] uses the requested era and writes only protocol messages to stdout", async () => {
      const { client, surface } = on();
      if (surface.era === "modern") expect(client.protocolVersion).toBe(modernRevision);
      else if (surface.transport === "http") expect(client.protocolVersion).toBe("2025-11-25");
      expect(client.stderr()).toBe("");
    });
  });
});

describe("all transports", () => {
  let world: McpWorld;
  beforeAll(async () => {
    world = await createMcpWorld(await createVault("sqlite"));
  });
  afterAll(() => world.close());

  it("[SET-3] [HOST-7] answers identically over stdio and HTTP in both eras", async () => {
    const answers = [];
    for (const surface of surfaces) {
      const client = await connect(surface, world.url, world.token);
      const results = [];
      for (const [tool, args] of [
        ["schema", {}],
        ["search", { query: "boiler" }],
        ["fetch", { id: "attic/documents:saga" }],
        ["read_record_field", { id: "attic/documents:saga", field_path: "content" }],
        ["query_records", { stream: "messages" }],
        ["aggregate", { stream: "messages", metric: "count" }],
        ["fetch", { id: "messages:h01" }],
      ] as const) {
        const { text, structuredContent, isError } = await client.call(tool, args);
        results.push({ text, structuredContent, isError });
      }
      answers.push({ tools: await client.tools(), instructions: client.instructions, results });
      await client.close();
    }
    for (const answer of answers.slice(1)) expect(answer).toEqual(answers[0]);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "[HOST-7] serves %s over HTTP as well",
    async (version) => {
      const response = await fetch(`${world.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${world.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "old", version: "1" } },
        }),
      });
      const body = (await response.text()).replace(/^(event: .*\n)?data: /, "");
      expect(JSON.parse(body).result).toMatchObject({ protocolVersion: version, serverInfo: { name: "pdpp" } });
    },
  );

  it("[SET-4] writes only protocol messages to stdout, whatever it receives, and the rest to stderr", async () => {
    // An address that causes a warning and is never contacted.
    const child = spawn(process.execPath, [pdppFile, "mcp", "--provider-url", "http://vault.example"], {
      env: cleanEnvironment({ PDPP_ACCESS_TOKEN: world.token }),
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    const init = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    };
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "nonsense", arguments: {} } };
    child.stdin.write(`${JSON.stringify(init)}\nthis is not json\n${JSON.stringify(call)}\n`);
    while (!out.includes('"id":2')) await once(child.stdout, "data");
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    const messages = out.trimEnd().split("\n");
    expect(messages.map((line) => JSON.parse(line).jsonrpc)).toEqual(messages.map(() => "2.0"));
    expect(err).toContain("warning:");
  });
});

describe("without a usable credential", () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-mcp-"));
  afterAll(() => rmSync(home, { recursive: true }));
  const mcp = (env: Record<string, string>) =>
    runPdpp(["mcp", "--cache-root", home], { env: { HOME: home, USERPROFILE: home, ...env } });

  it("[SET-5] stops the stdio adapter and names the command that creates a credential", async () => {
    const ran = await mcp({});
    expect([ran.code, ran.stdout]).toEqual([78, ""]);
    expect(ran.stderr).toContain("pdpp grant create");
  });

  it("[PUB-8] names pdpp connect with the server's address in the stdio adapter", async () => {
    expect((await mcp({})).stderr).toContain(`pdpp connect http://127.0.0.1:7663 --cache-root ${home}`);
    const named = await mcp({ PDPP_PROVIDER_URL: "https://vault.example.org" });
    expect([named.code, named.stdout]).toEqual([78, ""]);
    expect(named.stderr).toContain(`pdpp connect https://vault.example.org --cache-root ${home}`);
  });

  it("[SET-5] [AUT-1] never uses an owner's credential, even if it finds one", async () => {
    const owner = `pdpp_owner_${"x".repeat(43)}`;
    const client = `pdpp_client_${"x".repeat(43)}`;
    for (const env of [
      { PDPP_ACCESS_TOKEN: owner },
      { PDPP_ACCESS_TOKEN: client, PDPP_OWNER_TOKEN: owner },
      { PDPP_ACCESS_TOKEN: client, PDPP_OWNER_SESSION_COOKIE: "session" },
    ]) {
      const ran = await mcp(env);
      expect([ran.code, ran.stdout]).toEqual([77, ""]);
      expect(ran.stderr).toMatch(/owner/);
      expect(ran.stderr).not.toContain(owner);
    }
  });
});
