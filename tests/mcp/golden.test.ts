import { type Connected, connect, type Result } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, grantArchive, type McpWorld, vaultSecret } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revoke } from "#server/store/access/grants";

/** Exact tool output as an agent sees it. Review the changed files before you update them. */

let world: McpWorld;
let client: Connected;
beforeAll(async () => {
  world = await createMcpWorld(await createVault("sqlite", vaultSecret));
  client = await connect({ transport: "stdio", era: "modern" }, world.url, world.token);
});
afterAll(async () => {
  await client.close();
  await world.close();
});

const file = (name: string): string => `golden/${name}.txt`;

/** Grant ids, sealed cursors and ports differ between runs. Everything else is stable. */
const removeVolatile = (text: string): string =>
  text
    .replaceAll(new URL(world.url).origin, "http://localhost:7663")
    .replaceAll(/grt_[\w-]{16}/g, "grt_________________")
    .replaceAll(/("(?:cursor|changes_since|next_changes_since)": ?")[\w-]{20,}"/g, '$1(opaque)"');

function renderResult(tool: string, args: object, { text, structuredContent, isError }: Result): string {
  const parts = [
    `${tool} ${JSON.stringify(args)}${isError ? " (isError)" : ""}`,
    `=== text`,
    text,
    `=== structured`,
    JSON.stringify(structuredContent, null, 2),
  ];
  return removeVolatile(`${parts.join("\n")}\n`);
}

const saga = { id: "attic/documents:saga", field_path: "content" };

describe("what an agent sees", () => {
  it("[TOOL-4] [TOOL-8] matches the golden tools and instructions", async () => {
    await expect(`${JSON.stringify(await client.tools(), null, 2)}\n`).toMatchFileSnapshot(file("tools"));
    await expect(`${client.instructions}\n`).toMatchFileSnapshot(file("instructions"));
  });

  it.each([
    ["schema/index", "schema", {}],
    ["schema/stream", "schema", { stream: "messages" }],
    ["schema/stream-of-connection", "schema", { stream: "documents", connection_id: "attic" }],
    ["schema/full", "schema", { stream: "channels", connection_id: "chat_home", detail: "full" }],
    ["query/page", "query_records", { stream: "messages", limit: 2, count: "exact" }],
    ["query/long-and-binary", "query_records", { stream: "documents", filter: { id: "picture" } }],
    ["field-window/file", "read_record_field", { id: "attic/documents:letter", field_path: "scan" }],
    ["query/file", "query_records", { stream: "documents", filter: { id: "letter" } }],
    ["query/changes", "query_records", { stream: "channels", connection_id: "chat_home", changes_since: "beginning" }],
    ["query/expanded", "query_records", { stream: "channels", expand: ["messages"], limit: 1 }],
    ["query/none", "query_records", { stream: "messages", filter: { likes: { gt: 1000 } } }],
    ["aggregate/number", "aggregate", { stream: "messages", metric: "sum", field: "likes", filter: { pinned: true } }],
    ["aggregate/groups", "aggregate", { stream: "messages", metric: "count", group_by: "channel_id", limit: 1 }],
    [
      "aggregate/months",
      "aggregate",
      {
        stream: "messages",
        metric: "count",
        group_by_time: "sent_at",
        granularity: "month",
        time_zone: "Europe/Berlin",
      },
    ],
    ["search/hits", "search", { query: "boiler" }],
    ["search/long", "search", { query: "bergamot" }],
    ["search/more", "search", { query: "message", limit: 1 }],
    ["search/none", "search", { query: "unfindable" }],
    ["fetch/whole", "fetch", { id: "attic/documents:small" }],
    ["fetch/cut", "fetch", { id: "attic/documents:saga" }],
    ["fetch/file", "fetch", { id: "attic/documents:letter" }],
    ["field-window/plain", "read_record_field", { ...saga, limit_chars: 200 }],
    ["field-window/q", "read_record_field", { ...saga, q: "bergamot", before_chars: 80, after_chars: 80 }],
    ["field-window/encoded", "read_record_field", { id: "attic/documents:picture", field_path: "content" }],
    ["field-window/forged", "read_record_field", { id: "attic/documents:forged", field_path: "subject" }],
    ["errors/ambiguous", "fetch", { id: "messages:h01" }],
    ["errors/ambiguous-schema", "schema", { stream: "messages", detail: "full" }],
    ["errors/argument", "search", { query: "boiler", limt: 3 }],
    ["errors/filter", "query_records", { stream: "messages", filter: "likes=1" }],
    ["errors/detail", "schema", { detail: "full" }],
    ["errors/stream", "query_records", { stream: "secrets" }],
    ["errors/field", "read_record_field", { id: "attic/documents:hidden", field_path: "secret" }],
    ["errors/not-found", "fetch", { id: "attic/documents:none" }],
    ["errors/words-not-found", "read_record_field", { ...saga, q: "unfindable" }],
    ["errors/cursor", "search", { query: "boiler", cursor: "made-up" }],
    ["errors/unknown-field", "query_records", { stream: "messages", filter: { like: 1 } }],
  ])("[HOST-1] [HOST-2] [LAD-4] matches the golden output: %s", async (name, tool, args) => {
    const result = await client.call(tool, args);
    expect(result.isError === true).toBe(name.startsWith("errors/"));
    await expect(renderResult(tool, args, result)).toMatchFileSnapshot(file(name));
  });

  it("[SCH-9] matches the golden output of a deletion among changes", async () => {
    const args = { stream: "plain", changes_since: "beginning" };
    await putRecords(world.vault, "attic", "plain", [{ data: { id: "p2", body: "soon gone" } }]);
    const { next_changes } = (await client.call("query_records", args)).structuredContent;
    await putRecords(world.vault, "attic", "plain", [{ key: "p2", op: "delete" }]);
    const result = await client.follow(next_changes);
    expect(result.structuredContent.records).toMatchObject([{ id: "attic/plain:p2", deleted: true }]);
    await expect(renderResult("query_records", next_changes.arguments, result)).toMatchFileSnapshot(
      file("query/deleted"),
    );
  });

  it("[WIN-4] [HOST-2] matches the golden output of a window whose version is gone", async () => {
    const args = { id: "attic/documents:saga", field_path: "content", version: "99", offset_chars: 500 };
    const result = await client.call("read_record_field", args);
    expect(result.structuredContent.error.code).toBe("stale_window");
    await expect(renderResult("read_record_field", args, result)).toMatchFileSnapshot(file("errors/stale"));
  });

  it("[AUT-6] matches the golden output of a revoked grant", async () => {
    const { token, grantIds } = await world.issueGrant({ client: { name: "doomed" }, sources: [grantArchive()] });
    const doomed = await connect({ transport: "stdio", era: "modern" }, world.url, token);
    await world.vault.store.engine.write((on) => revoke(on, 1, grantIds[0]!, now));
    const result = await doomed.call("search", { query: "boiler" });
    await doomed.close();
    expect(result.structuredContent.error.code).toBe("grant_revoked");
    await expect(renderResult("search", { query: "boiler" }, result)).toMatchFileSnapshot(file("errors/revoked"));
  });
});
