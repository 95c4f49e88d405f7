import type { SearchList } from "@pdpp/contract/wire";
import { type Connected, connect, listen, parseOfferedCalls, surfaces } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, type McpWorld } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Real answers, edited on their way to the adapter, to test what the server rarely sends. */

let world: McpWorld;
let change: (found: SearchList) => SearchList = (found) => found;
let server: { url: string; close(): Promise<void> };
beforeAll(async () => {
  world = await createMcpWorld(await createVault("sqlite"));
  server = await listen(async (request) => {
    const { pathname, search } = new URL(request.url);
    const found = await world.json<SearchList>(world.token, `${pathname}${search}`);
    return Response.json(pathname === "/v1/search" ? change(found) : found);
  });
});
afterAll(async () => {
  await server.close();
  await world.close();
});

describe.each(surfaces.filter(({ transport }) => transport === "stdio"))(
  "answers from a modified server in the $era era",
  (surface) => {
    let client: Connected;
    beforeAll(async () => {
      client = await connect(surface, server.url, world.token);
    });
    afterAll(() => client.close());

    it("[LAD-5] shows no body for a hit without a passage and guesses no field, but shows its identity and its read", async () => {
      change = (found) => ({ ...found, data: found.data.map((hit) => ({ ...hit, evidence: [] })) });
      const { text, structuredContent } = await client.call("search", { query: "bergamot" });
      expect(text + JSON.stringify(structuredContent)).not.toMatch(/bergamot|quick fox|"field_path"/);
      expect(structuredContent.results).toEqual([
        expect.objectContaining({ id: "attic/documents:saga", title: "Subject of saga" }),
      ]);
      expect(structuredContent.results[0]).not.toHaveProperty("preview");
      const read = { tool: "fetch", arguments: { id: "attic/documents:saga" } };
      // The tool's description says that fetch takes the id.
      expect(structuredContent.results[0]).not.toHaveProperty("read");
      expect(parseOfferedCalls(text)).toEqual([read]);
    });

    it("[SRCH-9] [SCH-9] reports a limited ranking and a failed source in both forms", async () => {
      change = (found) => ({
        ...found,
        meta: {
          ...found.meta,
          count_accuracy: "lower_bound",
          recall: { ...found.meta.recall, complete: false, ranked_candidate_count: 1000 },
          warnings: [{ code: "source_unavailable", message: "chat_work did not answer" }],
        },
      });
      const { text, structuredContent } = await client.call("search", { query: "boiler" });
      expect(text).toContain("Only 1000 candidates were ranked");
      expect(text).toContain("at least 2 in all");
      expect(text).toContain("Warning: source_unavailable: chat_work did not answer");
      expect(structuredContent).toMatchObject({
        recall: { complete: false, ranked: 1000 },
        count_accuracy: "lower_bound",
        warnings: [{ code: "source_unavailable", message: "chat_work did not answer" }],
      });
    });

    it("[SRCH-5] keeps the tags and sentinels of a server's highlights out of the preview", async () => {
      change = (found) => found;
      const { text } = await client.call("search", { query: "boiler" });
      expect(text).not.toMatch(/‹mark|\[\[/);
    });
  },
);
