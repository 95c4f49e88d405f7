import { findOfferedCalls, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { chatManifest } from "@pdpp/test-support/vaults/sample";
import { describe, expect, it } from "vitest";
import { onEverySurface } from "../every-surface.ts";

describe("schema", () => {
  onEverySurface((on) => {
    it("[SCH-1] [SCH-2] [SCH-12] is an index of every stream under its connector, with one call for each name and no fields", async () => {
      const { text, structuredContent } = await on().client.call("schema");
      const lines = text.split("\n");
      expect(lines).toContain('archive "Archive", connection attic "Attic", 2 streams: documents, plain');
      expect(lines).toContain(
        'chat "Chat", connections chat_home "Home", chat_work "Work", 2 streams: messages, channels',
      );
      for (const stream of ["documents", "plain", "messages", "channels"])
        expect(lines.filter((line) => line === `-> schema {"stream":"${stream}"}`)).toHaveLength(1);
      expect(text + JSON.stringify(structuredContent)).not.toMatch(/sent_at|field_capabilities|likes/);
      expect(structuredContent.data).toMatchObject({ detail: "index", stream_count: 4, complete: true });
    });

    it("[SCH-13] rejects a cursor that is malformed or past the end, and says what to call", async () => {
      for (const [args, again] of [
        [{ cursor: "9999" }, "-> schema {}"],
        [{ cursor: "-1" }, "-> schema {}"],
        [{ stream: "messages", cursor: "9999" }, '-> schema {"stream":"messages"}'],
      ] as const) {
        const { isError, text, structuredContent } = await on().client.call("schema", args);
        expect([isError, structuredContent.error]).toMatchObject([true, { code: "invalid_cursor", param: "cursor" }]);
        expect(text).toMatch(/copy the cursor from a -> line, or call schema without one/);
        expect(text.split("\n").at(-1)).toBe(again);
      }
    });

    it("[SCH-15] names stream and connection_id when full detail lacks them", async () => {
      const { text } = await on().client.call("schema", { detail: "full" });
      expect(text).toContain('schema {"stream": NAME, "connection_id": ID, "detail": "full"}');
    });

    it("[SCH-3] shows a stream's fields, filters and aggregations for every connection that has it", async () => {
      const { text } = await on().client.call("schema", { stream: "messages" });
      for (const word of ["chat_home", "chat_work", '"likes": t=integer,eq,r=gte|gt|lte|lt,a=sum|min|max'])
        expect(text).toContain(word);
      expect(text).toContain('"text": t=text,role=body,eq,lex');
    });

    it("[SCH-4] shows a stream of one connection alone, with everything that can be done", async () => {
      const { text, structuredContent } = await on().client.call("schema", {
        stream: "documents",
        connection_id: "attic",
      });
      for (const word of [
        "connector_key archive",
        'stream documents "Documents"',
        'connection_id attic "Attic"',
        'sort: order "asc" or "desc" by written_at',
        "projection: fields",
        'count: "exact"',
        "search: lexical",
        "expand: none",
        "a=group_by",
      ])
        expect(text).toContain(word);
      expect(text).not.toContain('secret": t=text,eq');
      const narrowed = await on().client.call("schema", { stream: "messages", connection_id: "chat_work" });
      expect(narrowed.text + JSON.stringify(narrowed.structuredContent)).not.toContain("chat_home");
      expect(structuredContent.data.connectors).toHaveLength(1);
    });

    it("[SCH-5] explains its flags, and calls built from them are valid", async () => {
      const { client } = on();
      const { text } = await client.call("schema", { stream: "messages", connection_id: "chat_home" });
      const [legend] = text.split("\n").filter((line) => line.startsWith("Flags: "));
      const used = text.matchAll(/^"\w+": (.*)$/gm);
      const flags = new Set([...used].flatMap(([, flags]) => flags!.split(",").map((flag) => flag.replace(/=.*/, ""))));
      expect(flags.size).toBeGreaterThan(4);
      for (const flag of flags) expect(legend).toMatch(new RegExp(`[ ;]${flag}(=|=false)? `));
      const [, ops] = /^"likes": .*r=([a-z|]+)/m.exec(text)!;
      const [, sums] = /^"likes": .*a=([a-z|]+)/m.exec(text)!;
      const [, relation] = /expand: \["(\w+)"\]/.exec(text)!;
      const stream = { stream: "messages", connection_id: "chat_home" };
      for (const operator of ops!.split("|")) {
        const filtered = await client.call("query_records", {
          ...stream,
          filter: { likes: { [operator]: 3 } },
          count: "exact",
        });
        expect(filtered.isError).toBeUndefined();
        expect(filtered.structuredContent.count.value).toBeGreaterThan(0);
      }
      for (const metric of sums!.split("|"))
        expect((await client.call("aggregate", { ...stream, metric, field: "likes" })).isError).toBeUndefined();
      for (const args of [
        { order: "asc" },
        { fields: ["text"] },
        { expand: [relation!] },
        { filter: { pinned: true } },
      ])
        expect([args, (await client.call("query_records", { ...stream, ...args })).isError]).toEqual([args, undefined]);
    });

    it("[SCH-5] shows the limits of a relation", async () => {
      const { client } = on();
      const { text } = await client.call("schema", { stream: "channels" });
      expect(text).toContain('expand: ["messages"] of messages, expand_limit {"messages": 1 to 5}');
      const stream = { stream: "channels", expand: ["messages"] };
      expect(
        (await client.call("query_records", { ...stream, expand_limit: { messages: 5 } })).isError,
      ).toBeUndefined();
      expect((await client.call("query_records", { ...stream, expand_limit: { messages: 6 } })).isError).toBe(true);
    });

    it("[SCH-7] asks which source before it shows full detail of a stream in several sources", async () => {
      const { client } = on();
      const { isError, text, structuredContent } = await client.call("schema", { stream: "messages", detail: "full" });
      expect(isError).toBe(true);
      expect(structuredContent.error).toMatchObject({
        code: "ambiguous_schema_detail",
        retry_with: "connection_id",
        available_connection_count: 2,
      });
      expect(text).not.toContain("sent_at");
      for (const call of parseOfferedCalls(text)) {
        const full = await client.follow(call);
        expect(full.isError).toBeUndefined();
        expect(full.structuredContent.data.stream.granted_connections).toHaveLength(1);
      }
    });

    it("[SCH-7] [SCH-8] returns as full detail only that stream's document, with no row twice", async () => {
      const { text, structuredContent } = await on().client.call("schema", {
        stream: "messages",
        connection_id: "chat_home",
        detail: "full",
      });
      const { data } = structuredContent;
      expect(data).toMatchObject({
        object: "schema",
        detail: "full",
        connector_key: "chat",
        stream: { name: "messages" },
      });
      expect(Object.keys(data.stream.field_capabilities)).toHaveLength(8);
      expect(JSON.stringify(structuredContent).match(/"exact_filter"/g)).toHaveLength(8);
      expect(text.match(/^field "/gm)).toHaveLength(8);
      expect(text).not.toContain('channels","primary_key');
    });

    it("[SCH-11] says whether counts, sums and groups are declared, and what records are sorted by", async () => {
      const { client } = on();
      const said = async (stream: string) => {
        const { text, structuredContent } = await client.call("schema", { stream });
        const { sort, aggregate } = structuredContent.data.connectors[0].streams[0];
        return { line: text.split("\n").find((line) => line.startsWith("sort: ")), sort, aggregate };
      };
      const messages = await said("messages");
      expect(messages.line).toContain("aggregate: count, sum, min, max, group_by, group_by_time, count_distinct;");
      expect(messages.aggregate).toHaveLength(7);
      const channels = await said("channels");
      expect(channels).toMatchObject({ sort: "(record id)", aggregate: [] });
      expect(channels.line).toContain('sort: order "asc" or "desc" by record id;');
      expect(channels.line).toContain("aggregate: none;");
      const ids = async (order: string) => {
        const { structuredContent } = await client.call("query_records", { stream: "channels", order });
        return structuredContent.records.map(({ id }: { id: string }) => id);
      };
      expect(await ids("asc")).toEqual((await ids("desc")).toReversed());
      const count = await client.call("aggregate", { stream: "channels", metric: "count" });
      expect(count.isError).toBe(true);
    });

    it("[SCH-8] includes everything the schema and the query declare in full detail, in both forms", async () => {
      const { client, world } = on();
      const asked = { stream: "messages", connection_id: "chat_home" };
      const { text, structuredContent } = await client.call("schema", { ...asked, detail: "full" });
      const declared = chatManifest.streams?.[0 as never] as unknown as {
        schema: { properties: object };
        query: object;
      };
      const { data } = structuredContent;
      const { properties, ...shape } = declared.schema;
      expect(data).toMatchObject({ complete: true, stream: { query: declared.query, schema: shape } });
      expect(Object.keys(data.stream.field_capabilities)).toEqual(Object.keys(properties));
      for (const line of ['schema.required: ["id","sent_at"]', 'query.aggregations.sum: ["likes"]', "schema.type: "])
        expect(text).toContain(line);
      const { connectors } = await world.json<{ connectors: { streams: object[] }[] }>(
        world.token,
        "/v1/schema?stream=messages&connection_id=chat_home&detail=full",
      );
      expect(data.stream).toEqual({ ...connectors[0]?.streams[0], schema: shape });
    });

    it("[SCH-9] shows the next cursor, the bookmark and the count in the text", async () => {
      const { client } = on();
      const page = await client.call("query_records", { stream: "messages", limit: 2, count: "exact" });
      const { value } = page.structuredContent.count;
      expect(page.text).toContain(`of ${value} in all`);
      expect(parseOfferedCalls(page.text)).toContainEqual(page.structuredContent.next);
      const changes = await client.call("query_records", {
        stream: "channels",
        connection_id: "chat_home",
        changes_since: "beginning",
      });
      expect(changes.text).toContain(changes.structuredContent.next_changes_since);
      expect(parseOfferedCalls(changes.text)).toContainEqual(changes.structuredContent.next_changes);
      const later = await client.follow(changes.structuredContent.next_changes);
      expect([later.isError, later.structuredContent.records]).toEqual([undefined, []]);
    });

    it("[HND-1] has an index in which every call works", async () => {
      const { client } = on();
      const { text, structuredContent } = await client.call("schema");
      expect(new Set(parseOfferedCalls(text).map((call) => JSON.stringify(call)))).toEqual(
        new Set(findOfferedCalls(structuredContent).map((call) => JSON.stringify(call))),
      );
      for (const call of parseOfferedCalls(text)) {
        const detail = await client.follow(call);
        expect(detail.isError).toBeUndefined();
        for (const deeper of parseOfferedCalls(detail.text))
          expect((await client.follow(deeper)).isError).toBeUndefined();
      }
    });
  });
});
