import type { StreamDeclaration } from "@pdpp/contract/declaration";
import {
  type Call,
  type Connected,
  connect,
  findOfferedCalls,
  listen,
  parseOfferedCalls,
} from "@pdpp/test-support/mcp/clients";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { loadDemo } from "#server/demo/load-demo";

const now = Date.parse("2026-11-01T00:00:00Z");

describe("ambiguous connections in the demo vault", () => {
  let vault: TestVault;
  let served: Awaited<ReturnType<typeof listen>>;
  let client: Connected;
  let streams: StreamDeclaration[];
  beforeAll(async () => {
    vault = await createVault("sqlite");
    const token = await loadDemo(vault.store, now);
    served = await listen(createApp({ store: vault.store, now: () => now }).fetch);
    client = await connect({ transport: "http", era: "modern" }, served.url, token);
    const { connectors } = await vault.store.catalog();
    streams = [...connectors.values()].flatMap((connector) =>
      [...connector.streams.values()].map(({ declaration }) => declaration),
    );
  });
  afterAll(async () => {
    await client.close();
    await served.close();
    await vault.drop();
  });

  /** The calls a model could send with a field of the stream without naming a connection. */
  function listAmbiguousCalls({ name: stream, fields, relationships }: StreamDeclaration): Call[] {
    const related = relationships.map(
      ({ name }): Call => ({ tool: "query_records", arguments: { stream, expand: [name] } }),
    );
    const each = fields.flatMap(({ name, kind }): Call[] => {
      if (kind !== "text") return [];
      const filter = { [name]: "x" };
      return [
        { tool: "query_records", arguments: { stream, filter } },
        { tool: "query_records", arguments: { stream, fields: [name] } },
        { tool: "query_records", arguments: { stream, filter, changes_since: "beginning" } },
        { tool: "aggregate", arguments: { stream, metric: "count", filter } },
        { tool: "aggregate", arguments: { stream, metric: "count", group_by: name } },
        { tool: "fetch", arguments: { id: `${stream}:x`, fields: [name] } },
        { tool: "read_record_field", arguments: { id: `${stream}:x`, field_path: name } },
      ];
    });
    return [...related, ...each];
  }

  it("[AMB-5] offers only calls that succeed and read the connection they name", async () => {
    const failed: unknown[] = [];
    const asked = new Map<string, Call>();
    for (const call of streams.flatMap(listAmbiguousCalls)) asked.set(JSON.stringify(call), call);
    let [ambiguous, followed] = [0, 0];
    const done = new Map<string, boolean>();
    for (const call of asked.values()) {
      const { structuredContent, text } = await client.follow(call);
      if (structuredContent.error?.code !== "ambiguous_connection") continue;
      ambiguous += 1;
      expect(parseOfferedCalls(text)).toEqual(findOfferedCalls(structuredContent));
      for (const offer of parseOfferedCalls(text)) {
        followed += 1;
        const key = JSON.stringify(offer);
        if (!done.has(key)) done.set(key, (await client.follow(offer)).isError !== true);
        if (!done.get(key)) failed.push([call, offer]);
      }
    }
    expect(failed).toEqual([]);
    expect([ambiguous > 60, followed > 150]).toEqual([true, true]);
  });

  it("[AMB-5] names the connections that cannot answer, and why", async () => {
    const { text, structuredContent } = await client.call("query_records", {
      stream: "messages",
      filter: { from_name: "Jonas" },
    });
    expect(parseOfferedCalls(text).map(({ arguments: args }) => args.connection_id)).toEqual([
      "cin_mail_ada",
      "cin_mail_work",
    ]);
    expect(text).toMatch(/^Cannot answer this: .*cin_chat_ada.* \(stream messages has no field "from_name"\)$/m);
    expect(structuredContent.error.available_connection_count).toBe(2);
  });

  it("[AMB-5] reports a field that no source has as unknown", async () => {
    const { structuredContent } = await client.call("query_records", {
      stream: "messages",
      filter: { from_nmae: "x" },
    });
    expect(structuredContent.error).toMatchObject({ code: "unknown_field", param: "filter.from_nmae" });
  });

  it("[AGG-7] counts over every connection that has the field in one call", async () => {
    const asked = { stream: "messages", metric: "count", filter: { has_attachments: true } };
    const ambiguous = await client.call("aggregate", asked);
    const [all, ...each] = parseOfferedCalls(ambiguous.text);
    expect(all).toEqual({ tool: "aggregate", arguments: { ...asked, connection_id: "*" } });
    const together = await client.follow(all!);
    const apart = await Promise.all(each.map((call) => client.follow(call)));
    const sum = apart.reduce((total, { structuredContent }) => total + structuredContent.value, 0);
    expect(together.structuredContent.value).toBe(sum);
    expect(together.text.split("\n")[0]).toBe(`count(messages) = ${sum} in ${each.length} connections`);
    expect(together.structuredContent.by_connection).toEqual(
      each.map((call, i) => ({
        connection_id: call.arguments.connection_id,
        value: apart[i]?.structuredContent.value,
        filtered_record_count: apart[i]?.structuredContent.value,
      })),
    );
    expect(together.text).toMatch(/^Left out: .*cin_chat_ada.*has no field "has_attachments"/m);
  });

  it("[AGG-7] rejects groups across all connections", async () => {
    const { structuredContent } = await client.call("aggregate", {
      stream: "messages",
      metric: "count",
      group_by: "from_name",
      connection_id: "*",
    });
    expect(structuredContent.error).toMatchObject({ code: "invalid_request", param: "connection_id" });
  });

  it("[AGG-7] [PAG-9] suggests similar values when a count across all connections is zero", async () => {
    const asked = { stream: "messages", metric: "count", filter: { from_name: "Jonas" }, connection_id: "*" };
    const { text, structuredContent } = await client.call("aggregate", asked);
    expect(structuredContent.value).toBe(0);
    expect(text).toMatch(/^Filters match exactly, and no record has from_name "Jonas"/m);
    expect(parseOfferedCalls(text)).toEqual(findOfferedCalls(structuredContent));
    for (const call of parseOfferedCalls(text)) expect((await client.follow(call)).isError).toBeUndefined();
  });

  it("[PAG-9] [PAG-10] suggests the full name and a search for a first name", async () => {
    const asked = { stream: "messages", connection_id: "cin_chat_ada", filter: { sender_name: "Jonas" } };
    const { text, structuredContent } = await client.call("query_records", asked);
    expect(structuredContent.records).toEqual([]);
    expect(text.split("\n")[1]).toBe(
      'Filters match exactly, and no record has sender_name "Jonas"; close values: "Jonas Brambleby".',
    );
    const [again, search] = parseOfferedCalls(text);
    expect(findOfferedCalls(structuredContent)).toEqual([again, search]);
    expect((await client.follow(again!)).structuredContent.records.length).toBeGreaterThan(0);
    expect(search).toEqual({
      tool: "search",
      arguments: { query: "Jonas", streams: ["messages"], connection_id: "cin_chat_ada" },
    });
    expect((await client.follow(search!)).isError).toBeUndefined();
  });
});
