import type { JsonObject } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseManifest } from "@pdpp/contract/manifest";
import type { SingleItem } from "@pdpp/contract/wire";
import { createApp } from "../../../packages/server/src/app.ts";
import { issueGrant, issueOwnerToken } from "../../../packages/server/src/auth/issue.ts";
import { ingest } from "../../../packages/server/src/ingest/ingest.ts";
import { addConnection } from "../../../packages/server/src/owner/connections.ts";
import { createCheckedFetch } from "../web/checked-app.ts";
import type { TestVault } from "./new-vault.ts";

/** A small hand-made world for tests of a single behaviour: two chat accounts and a shop. */

export const origin = "http://127.0.0.1:7663";
export const now = Date.parse("2026-06-01T12:00:00Z");

const range = ["gte", "gt", "lte", "lt"];

export const chatManifest: JsonObject = {
  connector_id: "https://example.org/connectors/chat",
  connector_key: "chat",
  version: "1.0.0",
  display_name: "Chat",
  streams: [
    {
      name: "messages",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id", "sent_at"],
        properties: {
          id: { type: "string" },
          sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          text: { type: ["string", "null"], x_pdpp_role: "body" },
          channel_id: { type: "string" },
          likes: { type: ["integer", "null"] },
          pinned: { type: "boolean" },
          secret: { type: "string" },
          blob_ref: { type: ["object", "null"] },
        },
      },
      views: [{ id: "short", label: "Short", fields: ["id", "text", "secret"] }],
      relationships: [{ name: "channel", stream: "channels", foreign_key: "channel_id", cardinality: "has_one" }],
      query: {
        search: { lexical_fields: ["text"] },
        range_filters: { sent_at: range, likes: range },
        aggregations: {
          count: true,
          sum: ["likes"],
          min: ["likes", "sent_at"],
          max: ["likes", "sent_at"],
          group_by: ["channel_id", "pinned"],
          group_by_time: ["sent_at"],
          count_distinct: ["channel_id"],
        },
        expand: [{ name: "channel" }],
      },
    },
    {
      name: "channels",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, title: { type: "string", x_pdpp_role: "primary-title" } },
      },
      relationships: [{ name: "messages", stream: "messages", foreign_key: "channel_id", cardinality: "has_many" }],
      query: { expand: [{ name: "messages", default_limit: 2, max_limit: 5 }] },
    },
  ],
};

const shopManifest: JsonObject = {
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://example.org/connectors/shop" },
  declaration_version: "7",
  publisher: { id: "https://example.org" },
  display: { name: "Shop" },
  streams: [
    {
      name: "order_lines",
      semantics: "append_only",
      primary_key: ["order_id", "line"],
      cursor_field: "bought_on",
      consent_time_field: "bought_on",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["order_id", "line", "bought_on"],
        properties: {
          order_id: { type: "string" },
          line: { type: "integer" },
          bought_on: { type: "string", format: "date" },
          price: { type: "number", x_pdpp_role: "amount" },
        },
      },
      query: {
        range_filters: { bought_on: range, price: range },
        aggregations: { count: true, sum: ["price"], min: ["price"], max: ["price"], group_by_time: ["bought_on"] },
      },
    },
  ],
};

async function* toLines(records: readonly object[]): AsyncGenerator<Uint8Array> {
  for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
}

export async function putRecords(
  vault: TestVault,
  connectionId: string,
  stream: string,
  records: readonly object[],
  at = now,
) {
  const { findConnection } = await import("../../../packages/server/src/owner/connections.ts");
  const connection = await findConnection(vault.store, 1, connectionId);
  return ingest(vault.store, { ownerNo: 1, connection, stream }, toLines(records), { now: () => at });
}

export const buildMessage = (id: string, minute: number, more: JsonObject = {}): object => ({
  data: {
    id,
    sent_at: new Date(Date.parse("2026-05-01T10:00:00Z") + minute * 60_000).toISOString(),
    text: `message ${id}`,
    channel_id: minute % 2 === 0 ? "general" : "random",
    likes: minute,
    pinned: minute % 3 === 0,
    secret: `CANARY-${id}`,
    ...more,
  },
});

export interface Sample {
  /** Sends a request with this token and validates the response against the contract. */
  call(token: string | null, path: string, init?: RequestInit): Promise<Response>;
  json<T = never>(token: string, path: string): Promise<T>;
  grant(request: GrantRequest): Promise<string>;
  ownerToken: string;
}

/** Registers the sample connectors and adds two chat connections and a shop, with a few records. */
export async function createSample(
  vault: TestVault,
  options: { clientQueries?: boolean; publicUrl?: string; now?: () => number } = {},
): Promise<Sample> {
  const { store } = vault;
  for (const manifest of [chatManifest, shopManifest]) await store.register(parseManifest(manifest), now);
  await addConnection(store, 1, { connectorKey: "chat", id: "chat_home", label: "Home" }, now);
  await addConnection(store, 1, { connectorKey: "chat", id: "chat_work", label: "Work" }, now);
  await addConnection(store, 1, { connectorKey: "shop", id: "shop_1" }, now);
  await putRecords(vault, "chat_home", "channels", [
    { data: { id: "general", title: "General" } },
    { data: { id: "random", title: "Random" } },
  ]);
  await putRecords(
    vault,
    "chat_home",
    "messages",
    Array.from({ length: 30 }, (_, i) => buildMessage(`h${String(i).padStart(2, "0")}`, i)),
  );
  await putRecords(
    vault,
    "chat_work",
    "messages",
    Array.from({ length: 20 }, (_, i) => buildMessage(`w${String(i).padStart(2, "0")}`, i)),
  );
  await putRecords(vault, "shop_1", "order_lines", [
    { data: { order_id: "o/1", line: 1, bought_on: "2026-01-31", price: 0.1 } },
    { data: { order_id: "o/1", line: 2, bought_on: "2026-01-31", price: 0.2 } },
    { data: { order_id: "o/2", line: 1, bought_on: "2026-02-01", price: 12.5 } },
  ]);
  const { token: ownerToken } = await issueOwnerToken(store, 1, "owner's script", now, null);
  const app = createCheckedFetch(createApp({ store, now: () => now, ...options }));
  const call: Sample["call"] = (token, path, init = {}) =>
    app(
      new Request(new URL(path, origin), {
        ...init,
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...(init.headers as object) },
      }),
    );
  return {
    call,
    json: async (token, path) => {
      const response = await call(token, path);
      return (await response.json()) as never;
    },
    grant: async (request) => (await issueGrant(store, 1, request, now)).token,
    ownerToken,
  };
}

export const everything: GrantRequest = {
  client: { name: "test" },
  sources: [{ connector_key: "chat", streams: [{ name: "*" }] }],
};

/** The data of an item that is a record rather than a card or a document. */
export function getRecordData(item: SingleItem): JsonObject {
  if (item.object !== "record") throw new Error(`a ${item.object}, not a record`);
  return item.data;
}
