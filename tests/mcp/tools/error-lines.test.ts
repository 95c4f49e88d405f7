import { connect, findOfferedCalls, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { describe, expect, it } from "vitest";
import { failures } from "../calls.ts";
import { onEverySurface } from "../every-surface.ts";

const id = "chat_home/messages:h03";
const messages = { stream: "messages", connection_id: "chat_home" };
const count = { stream: "messages", metric: "count" };

/** Failing calls for each tool and each code that its arguments can cause. */
const failing: readonly (readonly [tool: string, args: Record<string, unknown>, code: string])[] = [
  ...failures.map(({ name, arguments: args, code }) => [name, args, code] as const),
  ["schema", { detail: "full" }, "invalid_argument"],
  ["schema", { cursor: "x" }, "invalid_cursor"],
  ["schema", { cursor: "9999" }, "invalid_cursor"],
  ["schema", { stream: "messages", cursor: "9999" }, "invalid_cursor"],
  ["schema", { stream: "messages", connection_id: "chat_home", detail: "full", cursor: "9999" }, "invalid_cursor"],
  ["schema", { stream: "messages", connection_id: "nope" }, "connection_not_found"],
  ["schema", { stream: "nothing", detail: "full" }, "grant_stream_not_allowed"],
  ["query_records", { stream: "nothing" }, "grant_stream_not_allowed"],
  ["query_records", { stream: "messages", connection_id: "nope" }, "connection_not_found"],
  ["query_records", { ...messages, changes_since: "2026-01-01" }, "invalid_cursor"],
  ["query_records", { ...messages, changes_since: "beginning", cursor: "bad" }, "invalid_cursor"],
  ["query_records", { ...messages, changes_since: "beginning", count: "exact" }, "invalid_request"],
  ["query_records", { ...messages, changes_since: "beginning", expand: ["channel"] }, "invalid_expand"],
  ["query_records", { ...messages, filter: { likes: { gte: "many" } } }, "invalid_request"],
  ["query_records", { ...messages, filter: { text: { gte: "a" } } }, "invalid_request"],
  ["query_records", { ...messages, fields: ["nope"] }, "unknown_field"],
  ["query_records", { ...messages, sort: "blob_ref" }, "invalid_sort"],
  ["query_records", { ...messages, sort: 7 }, "invalid_argument"],
  ["query_records", { ...messages, filter: [] }, "invalid_argument"],
  ["query_records", { ...messages, expand: ["channel"], expand_limit: { channel: 2 } }, "invalid_expand"],
  ["query_records", { stream: "documents", filter: { secret: "x" } }, "field_not_granted"],
  ["aggregate", { stream: "nothing", metric: "count" }, "grant_stream_not_allowed"],
  ["aggregate", { ...count, connection_id: "nope" }, "connection_not_found"],
  ["aggregate", { stream: "channels", metric: "count" }, "invalid_request"],
  ["aggregate", { ...count, field: "likes" }, "invalid_request"],
  ["aggregate", { ...count, limit: 5 }, "invalid_request"],
  ["aggregate", { ...count, group_by: "channel_id", cursor: "bad" }, "invalid_cursor"],
  ["aggregate", { ...count, group_by: "nope" }, "unknown_field"],
  ["aggregate", { ...count, group_by_time: "sent_at" }, "invalid_request"],
  ["aggregate", { ...count, filter: { likes: { gte: "many" } } }, "invalid_request"],
  ["search", { query: "boiler", streams: ["nothing"] }, "grant_stream_not_allowed"],
  ["search", { query: "boiler", connection_id: "nope" }, "connection_not_found"],
  ["search", { query: "boiler", cursor: "bad" }, "invalid_cursor"],
  ["search", { query: "boiler", since: "yesterday" }, "invalid_request"],
  ["search", { query: "boiler", filter: { likes: 1 } }, "invalid_request"],
  ["search", { query: "boiler", streams: ["messages"], filter: { nope: 1 } }, "unknown_field"],
  ["fetch", { id: "nothing" }, "invalid_argument"],
  ["fetch", { id: "chat_home/nothing:x" }, "grant_stream_not_allowed"],
  ["fetch", { id: "nope/messages:h03" }, "connection_not_found"],
  ["fetch", { id: "nope/messages:none" }, "connection_not_found"],
  ["fetch", { id, connection_id: "chat_work" }, "invalid_argument"],
  ["fetch", { id, fields: ["nope"] }, "unknown_field"],
  ["fetch", { id: "chat_home/messages:none", fields: ["nope"] }, "unknown_field"],
  ["read_record_field", { id: "nope/messages:h03", field_path: "text" }, "connection_not_found"],
  ["read_record_field", { id: "messages:h03", field_path: "text" }, "ambiguous_connection"],
  ["read_record_field", { id: "chat_home/messages:none", field_path: "text" }, "not_found"],
  ["read_record_field", { id: "chat_home/messages:none", field_path: "nope" }, "unknown_field"],
  ["read_record_field", { id, field_path: "text.deeper" }, "field_not_found"],
  ["read_record_field", { id, field_path: "text", cursor: "bad" }, "invalid_cursor"],
  ["read_record_field", { id: "attic/documents:saga", field_path: "secret" }, "field_not_granted"],
];

/** Invalid limits of relations, and what the error tells the caller to send instead. */
const wrongLimits: readonly (readonly [args: object, words: RegExp])[] = [
  [{ expand_limit: { "expand_limit[kids]": 2 } }, /write the relation's name alone: \{"kids": 2\}/],
  [{ expand: ["messages"], expand_limit: {} }, /expand_limit is empty; leave it out/],
  [{ expand: ["messages"], expand_limit: 2 }, /expand_limit is not an object/],
  [{ expand: ["messages"], expand_limit: { messages: "many" } }, /the limit of "messages" is not a whole number/],
];

describe("error text", () => {
  onEverySurface((on) => {
    it("[TOOL-22] shows how to write expand_limit", async () => {
      for (const [args, words] of wrongLimits) {
        const { text, structuredContent } = await on().client.call("query_records", { stream: "channels", ...args });
        expect([args, structuredContent.error]).toMatchObject([
          args,
          { code: "invalid_argument", param: "expand_limit" },
        ]);
        expect(text).toMatch(words);
        expect(text).toContain('{"expand": ["messages"], "expand_limit": {"messages": 5}}');
      }
    });

    it("[HOST-10] suggests a different call that succeeds", async () => {
      const { client } = on();
      const wrong: unknown[] = [];
      for (const [tool, args, code] of failing) {
        const { text, structuredContent } = await client.call(tool, args);
        if (structuredContent.error.code !== code) wrong.push([tool, args, structuredContent.error.code]);
        const calls = parseOfferedCalls(text);
        expect(calls).toEqual(findOfferedCalls(structuredContent));
        for (const call of calls) {
          const same = call.tool === tool && JSON.stringify(call.arguments) === JSON.stringify(args);
          const followed = await client.follow(call);
          if (same || followed.isError) wrong.push([tool, args, call, same ? "the same" : followed.text]);
        }
      }
      expect(wrong).toEqual([]);
    });

    it("[HOST-10] calls arguments by the tool's own names", async () => {
      const { client } = on();
      for (const [tool, args] of failing) {
        const { text, structuredContent } = await client.call(tool, args);
        const [words = ""] = text.split("\n");
        expect([tool, args, words]).not.toEqual([
          tool,
          args,
          expect.stringMatching(/(?:filter|expand_limit)\[|\w=\w|next_cursor|record_id is/),
        ]);
        const { param } = structuredContent.error;
        const listed = (await client.tools()).find(({ name }) => name === tool)?.inputSchema.properties ?? {};
        const known = [...Object.keys(listed), "sort", "colour"];
        if (param !== undefined) expect([args, known]).toEqual([args, expect.arrayContaining([param.split(".")[0]])]);
      }
    });

    it("[HOST-10] corrects an id with the wrong connection, using the connections that have the record", async () => {
      const { client } = on();
      const { text } = await client.call("fetch", { id: "nope/messages:h03" });
      expect(parseOfferedCalls(text)).toEqual([{ tool: "fetch", arguments: { id: "chat_home/messages:h03" } }]);
      const window = await client.call("read_record_field", { id: "nope/messages:h03", field_path: "text" });
      expect(parseOfferedCalls(window.text)).toEqual([
        { tool: "read_record_field", arguments: { id: "chat_home/messages:h03", field_path: "text" } },
      ]);
    });

    it("[HOST-10] [AMB-2] leads from an id without a connection to the records that have it", async () => {
      const { client } = on();
      const { text } = await client.call("fetch", { id: "messages:h03" });
      const [call] = parseOfferedCalls(text);
      expect(call).toEqual({ tool: "query_records", arguments: { stream: "messages", filter: { id: "h03" } } });
      const { structuredContent } = await client.call("query_records", call?.arguments);
      expect(structuredContent.records.map(({ id }: { id: string }) => id)).toEqual(["chat_home/messages:h03"]);
    });

    it("[HOST-10] starts over when a bookmark was pruned", async () => {
      const { world, surface } = on();
      const client = await connect(surface, world.url, world.token);
      const { text } = await client.call("query_records", { ...messages, changes_since: "2026-01-01" });
      expect(parseOfferedCalls(text)).toEqual([
        { tool: "query_records", arguments: { ...messages, changes_since: "beginning" } },
      ]);
      await client.close();
    });
  });
});
