import { buildHitRead, connect, findOfferedCalls, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { describe, expect, it } from "vitest";
import { onEverySurface } from "../every-surface.ts";

describe("errors and ambiguity", () => {
  onEverySurface((on) => {
    it("[AMB-1] [AMB-3] lists the sources of a read that needs one, and the calls that choose one", async () => {
      const { client } = on();
      for (const [tool, args] of [
        ["fetch", { id: "messages:h01" }],
        ["read_record_field", { id: "messages:h01", field_path: "text" }],
      ] as const) {
        const { isError, text, structuredContent } = await client.call(tool, args);
        expect(isError).toBe(true);
        const { error } = structuredContent;
        expect(error).toMatchObject({
          code: "ambiguous_connection",
          retry_with: "connection_id",
          available_connection_count: 2,
          available_connections_truncated: false,
        });
        for (const each of error.available_connections)
          expect(each).toMatchObject({
            grant_id: expect.stringMatching(/^grt_/),
            connector_key: "chat",
            connection_id: expect.stringMatching(/^chat_/),
            display_name: expect.any(String),
          });
        expect(text).toContain('chat_home chat "Home"');
        // The server does not know which connection has the record, so it offers a list that finds it.
        const [finds, ...others] = parseOfferedCalls(text);
        expect([finds?.tool, others]).toEqual(["query_records", []]);
        const { structuredContent: found } = await client.follow(finds!);
        expect(found.records.map(({ id }: { id: string }) => id)).toEqual(["chat_home/messages:h01"]);
        for (const { connection_id } of error.available_connections) {
          const again = await client.call(tool, { ...args, connection_id });
          expect(again.isError).toBe(connection_id === "chat_home" ? undefined : true);
        }
      }
    });

    it("[AMB-3] [HOST-3] limits a long list of candidates, with the total and the call that lists all", async () => {
      const { world, surface } = on();
      const { addConnection, findConnection } = await import("#server/owner/connections");
      const ids = Array.from({ length: 40 }, (_, i) => `attic_${i}`);
      const there = await findConnection(world.vault.store, 1, "attic_0").catch(() => undefined);
      if (there === undefined)
        for (const id of ids) await addConnection(world.vault.store, 1, { connectorKey: "archive", id }, 0);
      const { token } = await world.issueGrant({
        client: { name: "many" },
        sources: [{ connector_key: "archive", streams: [{ name: "documents" }] }],
      });
      const client = await connect(surface, world.url, token);
      const { text, structuredContent } = await client.call("fetch", { id: "documents:x" });
      const { error } = structuredContent;
      expect(error.available_connections.length).toBeLessThan(41);
      expect(error).toMatchObject({ available_connection_count: 41, available_connections_truncated: true });
      expect(text).toMatch(/and \d+ more \(schema lists them\)/);
      expect(parseOfferedCalls(text)).toContainEqual({ tool: "schema", arguments: {} });
      // Every candidate call repeats the id, so fewer of them fit.
      const long = await client.call("fetch", { id: `documents:${'"x\\'.repeat(333)}` });
      expect(JSON.stringify([long.content, long.structuredContent]).length).toBeLessThan(8000);
      expect(long.structuredContent.error.available_connections).toEqual(error.available_connections);
      expect(parseOfferedCalls(long.text).length).toBeGreaterThan(0);
      const schema = await client.call("schema");
      for (const id of ids) expect(schema.text).toMatch(new RegExp(`${id}\\b`));
      await client.close();
    });

    it("[AMB-4] accepts an id that includes its source and rejects one that contradicts the arguments", async () => {
      const { client } = on();
      expect((await client.call("fetch", { id: "chat_home/messages:h01" })).isError).toBeUndefined();
      const same = await client.call("fetch", { id: "chat_home/messages:h01", connection_id: "chat_home" });
      expect(same.isError).toBeUndefined();
      for (const tool of ["fetch", "read_record_field"]) {
        const { isError, text, structuredContent } = await client.call(tool, {
          id: "chat_home/messages:h01",
          connection_id: "chat_work",
          ...(tool === "fetch" ? {} : { field_path: "text" }),
        });
        expect([isError, structuredContent.error.code, structuredContent.error.param]).toEqual([
          true,
          "invalid_argument",
          "connection_id",
        ]);
        expect(text).toContain("chat_home");
      }
    });

    it("[TOOL-5] names a wrong argument, suggests the likely one and lists the valid ones", async () => {
      const { client } = on();
      const said = async (tool: string, args: object) => (await client.call(tool, args)).text;
      expect(await said("search", { query: "x", limt: 3 })).toMatch(
        /no argument "limt"\. Did you mean limit\?.*search takes: query, /,
      );
      expect(await said("query_records", { stream: "messages", connector_instance_id: "x" })).toContain(
        "Did you mean connection_id?",
      );
      expect(await said("query_records", { stream: "messages", filters: {} })).toContain("Did you mean filter?");
      expect(await said("search", {})).toContain("query is required");
      expect(await said("search", { query: "x", limit: "many" })).toContain("limit");
      expect(await said("read_record_field", { id: "attic/documents:saga", field: "content" })).toContain("field_path");
      expect(await said("nothing", {})).toContain("there are: schema, query_records");
    });

    it("[TOOL-6] rejects a filter that is not a typed object and shows the right shape", async () => {
      const { client } = on();
      for (const filter of [
        "likes=1",
        {},
        { "filter[likes]": 1 },
        { likes: {} },
        { likes: { near: 1 } },
        { likes: null },
        [1],
      ]) {
        const { isError, text } = await client.call("query_records", { stream: "messages", filter });
        expect([filter, isError]).toEqual([filter, true]);
        expect(text).toContain('{"field": ');
      }
      for (const filter of [{ likes: 3 }, { pinned: true }, { id: "h01" }, { likes: { gte: 3, lt: 5 } }])
        expect(
          (await client.call("query_records", { stream: "messages", filter })).structuredContent.records.length,
        ).toBeGreaterThan(0);
    });

    it("[HOST-2] returns an error as one text block that starts with its code, names the next call and is complete in both forms", async () => {
      const { client } = on();
      for (const [tool, args, code] of [
        ["fetch", { id: "attic/documents:none" }, "not_found"],
        ["fetch", { id: "messages:h01" }, "ambiguous_connection"],
        ["query_records", { stream: "nothing" }, "grant_stream_not_allowed"],
        ["query_records", { stream: "messages", filter: { nope: 1 } }, "unknown_field"],
        ["query_records", { stream: "messages", cursor: "zzz" }, "invalid_cursor"],
        ["query_records", { stream: "messages", expand: ["nope"] }, "invalid_expand"],
        ["read_record_field", { id: "attic/documents:saga", field_path: "nope" }, "unknown_field"],
        [
          "read_record_field",
          { id: "attic/documents:saga", field_path: "content", q: "unfindable" },
          "query_not_found",
        ],
        ["schema", { connection_id: "nope" }, "connection_not_found"],
      ] as const) {
        const { content, isError, text, structuredContent } = await client.call(tool, args);
        expect([isError, content.length]).toEqual([true, 1]);
        expect(text.split("\n")[0]).toBe(`Error: ${structuredContent.error.code}: ${structuredContent.error.message}`);
        expect([args, structuredContent.error.code]).toEqual([args, code]);
        expect(parseOfferedCalls(text)).toEqual(findOfferedCalls(structuredContent));
        expect([args, parseOfferedCalls(text).length > 0]).toEqual([args, true]);
        expect((await client.follow(parseOfferedCalls(text)[0]!)).isError).toBeUndefined();
      }
    });

    it("[HOST-1] leads equally far in the text and in the structured form", async () => {
      const { client } = on();
      const written = (calls: readonly object[]) => [...new Set(calls.map((call) => JSON.stringify(call)))].sort();
      for (const [tool, args] of [
        ["schema", {}],
        ["schema", { stream: "messages" }],
        ["schema", { stream: "messages", connection_id: "chat_home", detail: "full" }],
        ["search", { query: "message", limit: 2 }],
        ["search", { query: "unfindable" }],
        ["query_records", { stream: "documents" }],
        ["query_records", { stream: "channels", expand: ["messages"] }],
        ["query_records", { stream: "messages", changes_since: "beginning", limit: 3 }],
        ["aggregate", { stream: "messages", metric: "count", group_by: "channel_id", limit: 1 }],
        ["read_record_field", { id: "attic/documents:saga", field_path: "content", q: "bergamot" }],
        ["read_record_field", { id: "attic/documents:picture", field_path: "content" }],
      ] as const) {
        const { text, structuredContent } = await client.call(tool, args);
        const hits: object[] = structuredContent.results ?? [];
        const reads = hits.map(buildHitRead);
        expect([tool, args, written(parseOfferedCalls(text))]).toEqual([
          tool,
          args,
          written([...findOfferedCalls(structuredContent), ...reads]),
        ]);
        // A complete card offers no call, only its id on a separate line.
        const ids = [...text.matchAll(/^id: (".*")$/gm)].map(([, id]) => JSON.parse(id!));
        type Card = { id: string; fields?: object; expanded?: { [name: string]: { records: Card[] } } };
        const cards: Card[] = (structuredContent.records ?? []).filter(({ fields }: Card) => fields !== undefined);
        const withRelated = cards.flatMap((card) => [
          card,
          ...Object.values(card.expanded ?? {}).flatMap(({ records }) => records),
        ]);
        expect([tool, args, ids]).toEqual([tool, args, withRelated.map(({ id }) => id)]);
      }
    });

    it("[HOST-1] [HOST-3] has values, counts and completeness in both forms, within the first 1,500 characters of the text", async () => {
      const { client } = on();
      const window = await client.call("read_record_field", { id: "attic/documents:saga", field_path: "content" });
      expect(window.text).toContain(window.structuredContent.window.text);
      expect(window.text.slice(0, 1500)).toMatch(
        /characters 0 to \d+ of \d+; not complete[\s\S]*\n-> read_record_field \{.*\}\n/,
      );
      const page = await client.call("query_records", { stream: "messages", count: "exact" });
      expect(page.text.slice(0, 1500)).toMatch(
        /^messages: \d+ records of 53 in all, order desc; next page:\n-> query_records \{.*\}\n/,
      );
      const hits = await client.call("search", { query: "message" });
      // All hits come first, then the counts and the next page.
      expect(hits.text.slice(0, 1500)).toMatch(
        /^1\. [\s\S]*\n5\. [\s\S]*\n5 hits on this page, 50 in all\. The next page:\n/,
      );
      expect(parseOfferedCalls(hits.text.slice(0, 1500)).at(-1)).toEqual(hits.structuredContent.next);
      const document = await client.call("fetch", { id: "attic/documents:saga" });
      expect(document.text.slice(0, 1500)).toMatch(/"complete":false.*"tool":"read_record_field".*"version"/);
      const groups = await client.call("aggregate", { stream: "messages", metric: "count", group_by: "channel_id" });
      for (const { key, count } of groups.structuredContent.groups) expect(groups.text).toContain(`"${key}": ${count}`);
      const sum = await client.call("aggregate", { stream: "messages", metric: "sum", field: "likes" });
      expect(sum.text).toContain(`sum(messages.likes) = ${sum.structuredContent.value} over 53 records`);
    });
  });
});
