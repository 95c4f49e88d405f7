import type { AccessDocument } from "@pdpp/contract/owner";
import { formatUri } from "@pdpp/evidence/handles/uri";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { type Connected, connect, listen } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, type McpWorld } from "@pdpp/test-support/mcp/world";
import { listLoggedRecords } from "@pdpp/test-support/vaults/logged-records";
import { createVault, surfaceEngines } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApp } from "#server/app";

/** The access log must match what the model was shown: one entry per call, with the same numbers. */

type Structured = { readonly [key: string]: unknown };

interface Expected {
  readonly operation: string;
  readonly stream: string | null;
  /** The ids of the records that the answer shows. */
  readonly shown: (structured: Structured) => readonly string[];
  /** The connections the answer reads from, if the ids do not show them. */
  readonly connections?: readonly string[];
}

const listIds = (list: unknown): string[] => (list as { id: string }[]).map(({ id }) => id);
/** Expanded related records, two for each channel. */
const listRelated = (list: unknown): string[] =>
  (list as { expanded?: { messages: { records: unknown } } }[]).flatMap(({ expanded }) =>
    listIds(expanded?.messages.records ?? []),
  );
const own = ({ id }: Structured): string[] => [String(id)];
const nothing = (): string[] => [];
/** Neighbouring records that a hit quotes without listing them as results. */
const listNeighbours = ({ results }: Structured): string[] =>
  ((results ?? []) as { beside?: unknown }[]).flatMap(({ beside }) => listIds(beside ?? []));

const calls: readonly [tool: string, args: object, expected: Expected][] = [
  ["schema", {}, { operation: "schema", stream: null, shown: nothing, connections: [] }],
  ["schema", { stream: "messages" }, { operation: "schema", stream: "messages", shown: nothing, connections: [] }],
  ["search", { query: "boiler" }, { operation: "search", stream: null, shown: (s) => listIds(s.results) }],
  ["search", { query: "message", limit: 20 }, { operation: "search", stream: null, shown: (s) => listIds(s.results) }],
  [
    "search",
    { query: "saga bergamot", streams: ["documents"] },
    { operation: "search", stream: "documents", shown: (s) => listIds(s.results) },
  ],
  [
    "query_records",
    { stream: "messages" },
    { operation: "queryRecords", stream: "messages", shown: (s) => listIds(s.records) },
  ],
  [
    "query_records",
    { stream: "documents", limit: 100 },
    { operation: "queryRecords", stream: "documents", shown: (s) => listIds(s.records) },
  ],
  [
    "query_records",
    { stream: "documents" },
    { operation: "queryRecords", stream: "documents", shown: (s) => listIds(s.records) },
  ],
  [
    "query_records",
    { stream: "messages", changes_since: "beginning", limit: 7 },
    { operation: "queryRecords", stream: "messages", shown: (s) => listIds(s.records) },
  ],
  [
    "query_records",
    { stream: "channels", expand: ["messages"] },
    { operation: "queryRecords", stream: "channels", shown: (s) => [...listIds(s.records), ...listRelated(s.records)] },
  ],
  [
    "aggregate",
    { stream: "messages", metric: "count", group_by: "channel_id" },
    { operation: "aggregate", stream: "messages", shown: nothing, connections: ["chat_home", "chat_work"] },
  ],
  [
    "aggregate",
    { stream: "messages", metric: "count", group_by: "channel_id", connection_id: "chat_work", limit: 100 },
    { operation: "aggregate", stream: "messages", shown: nothing, connections: ["chat_work"] },
  ],
  ["fetch", { id: "attic/documents:small" }, { operation: "fetch", stream: "documents", shown: own }],
  ["fetch", { id: "attic/documents:saga" }, { operation: "fetch", stream: "documents", shown: own }],
  ["fetch", { id: "attic/documents:tree" }, { operation: "fetch", stream: "documents", shown: own }],
  [
    "read_record_field",
    { id: "attic/documents:saga", field_path: "content" },
    { operation: "readField", stream: "documents", shown: own },
  ],
  [
    "read_record_field",
    { id: "attic/documents:scroll", field_path: "content", limit_chars: 16_384 },
    { operation: "readField", stream: "documents", shown: own },
  ],
  [
    "read_record_field",
    { id: "attic/documents:saga", field_path: "content", q: "bergamot" },
    { operation: "readField", stream: "documents", shown: own },
  ],
];

describe.each(surfaceEngines)("the access log on %s", (engine) => {
  let world: McpWorld;
  let server: { readonly url: string; close(): Promise<void> };
  const bodies = new Map<string, number[]>();
  /** How often each call reads the vault over stdio: one request is one read. */
  const readsOf = new Map<string, number>();
  let entries: () => Promise<AccessDocument[]>;
  const findEntries = async (requestId: unknown) => (await entries()).filter((entry) => entry.request_id === requestId);

  beforeAll(async () => {
    world = await createMcpWorld(await createVault(engine));
    const { store } = world.vault;
    // More groups than fit one result, so that a page ends early.
    const named = (i: number) => buildMessage(`g${i}`, i, { channel_id: `${i} ${"long ".repeat(60)}` });
    await putRecords(
      world.vault,
      "chat_work",
      "messages",
      Array.from({ length: 90 }, (_, i) => named(i)),
    );
    const owner = createOwner({ store, ownerNo: await findOwner(store), now: () => now });
    entries = async () => {
      await store.log.flush();
      return owner.log.read({ limit: 10_000 });
    };
    const app = createApp({ store, now: () => now });
    // Counts what leaves the server: over stdio what the adapter received, over HTTP what the client received.
    server = await listen(async (request) => {
      const response = await app.fetch(request);
      const body = await response.arrayBuffer();
      const id = response.headers.get("request-id") ?? "";
      bodies.set(id, [...(bodies.get(id) ?? []), body.byteLength]);
      return new Response(response.status === 202 ? null : body, {
        status: response.status,
        headers: response.headers,
      });
    });
  });
  afterAll(async () => {
    await server.close();
    await world.close();
  });

  describe.each(["stdio", "http"] as const)("over %s", (transport) => {
    let client: Connected;
    beforeAll(async () => {
      client = await connect({ transport, era: "modern" }, server.url, world.token);
    });
    afterAll(() => client.close());

    it.each(calls)(
      "[EVI-7] [EVI-8] [LOG-8] logs %s %j as one read with one entry that lists what was shown",
      async (tool, args, expected) => {
        const before = (await entries()).length;
        const read = vi.spyOn(world.vault.store.engine, "read");
        const result = await client.call(tool, args);
        const reads = read.mock.calls.length;
        read.mockRestore();
        expect([result.isError ?? false, result.text]).toEqual([false, result.text]);
        const requestId = String(result._meta?.["pdpp/request_id"]);
        const shown = expected.shown(result.structuredContent);
        const from = new Set(shown.map((id) => id.slice(0, id.indexOf("/"))));
        const found = (await entries()).slice(before);
        expect(
          found.map(({ request_id, operation, stream, status, records, bytes, connection_ids }) => ({
            request_id,
            operation,
            stream,
            status,
            records,
            bytes,
            connections: connection_ids,
          })),
        ).toEqual([
          {
            request_id: requestId,
            operation: expected.operation,
            stream: expected.stream,
            status: 200,
            records: shown.length,
            bytes: bodies.get(requestId)?.at(-1),
            connections: expected.connections ?? [...from].sort(),
          },
        ]);
        const noted = await Promise.all(found.map((entry) => listLoggedRecords(world.vault.store, entry)));
        expect(noted).toEqual([[...new Set([...shown, ...listNeighbours(result.structuredContent)])].sort()]);
        expect(bodies.get(requestId)).toHaveLength(1);
        const call = JSON.stringify([tool, args]);
        if (transport === "stdio") readsOf.set(call, reads);
        else expect(reads).toBe(readsOf.get(call));
      },
    );

    it("[EVI-8] logs a resource as one read with one entry", async () => {
      const record = { connectionId: "attic", stream: "documents", recordId: "small" };
      const before = (await entries()).length;
      await client.resource(formatUri({ kind: "record", name: record }));
      const found = (await entries()).slice(before);
      expect(found).toMatchObject([
        { operation: "fetch", stream: "documents", status: 200, records: 1, connection_ids: ["attic"] },
      ]);
      expect(await Promise.all(found.map((entry) => listLoggedRecords(world.vault.store, entry)))).toEqual([
        ["attic/documents:small"],
      ]);
    });

    it("[EVI-7] [EVI-8] logs a rejected call as one entry, with its status and no records", async () => {
      const result = await client.call("fetch", { id: "attic/documents:none" });
      expect(await findEntries(result._meta?.["pdpp/request_id"])).toMatchObject([
        { operation: "fetch", stream: "documents", status: 404, records: 0, bytes: 0, connection_ids: [] },
      ]);
    });
  });
});
