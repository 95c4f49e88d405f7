import type { JsonObject } from "@pdpp/contract/declaration";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTextKey, formatKey, keyCount } from "./generators/keys.ts";
import { createBlob } from "./generators/values.ts";
import { readJson, readText } from "./loaded-vault.ts";
import { buildPath } from "./requests.ts";
import { type Client, readSettings, Scenario } from "./scenario.ts";
import type { FieldSpec, StreamSpec, VaultSpec, Write } from "./spec.ts";

/** Calls every route that takes an id, with keys that a path, query, shell or database might misread. */

const plain = { nullable: false, required: true, blob: false, range: [], aggregations: [] };
const field = (name: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ name, kind: "text", ...plain, ...more });

const things: StreamSpec = {
  name: "things",
  semantics: "mutable_state",
  primaryKey: ["id"],
  fields: [field("id", { aggregations: ["group_by", "count_distinct"] })],
  views: [],
  relationships: [
    { name: "parts", stream: "parts", foreignKey: "of", cardinality: "has_many", holder: "related", expand: {} },
  ],
  countable: true,
};
const parts: StreamSpec = {
  name: "parts",
  semantics: "mutable_state",
  primaryKey: ["of", "n"],
  fields: [field("of"), field("n", { kind: "integer" })],
  views: [],
  relationships: [
    { name: "whole", stream: "things", foreignKey: "of", cardinality: "has_one", holder: "this", expand: {} },
  ],
  countable: true,
};

const keys = [
  ...Array.from({ length: keyCount }, (_, i) => createTextKey("things", i)),
  ".",
  "..",
  "...",
  "_",
  "%2e%2e",
  "%",
  "/",
  "//",
  ":",
  "?",
  "#",
  " ",
  "\\",
  "a/../b",
  "records",
  "field-window",
  "null",
  "undefined",
  "[]",
  '["a","b"]',
  "__proto__",
  "\u202E",
  "e\u0301",
  "é",
  "🧨".repeat(1000),
  "x".repeat(4096),
];

const upsert = (stream: StreamSpec, data: JsonObject): Write => ({
  connectionId: "one",
  connectorKey: "nasty",
  stream: stream.name,
  op: "upsert",
  key: formatKey(stream, data),
  data,
});

const buildVaultWith = (ids: readonly string[]): VaultSpec => ({
  connectors: [{ key: "nasty", streams: [things, parts] }],
  connections: [{ id: "one", connectorKey: "nasty" }],
  blobs: [createBlob(1)],
  // A part's key is longer than its parent's, so the longest parents have no parts.
  writes: [
    [
      ...ids.map((id) => upsert(things, { id })),
      ...ids.filter((id) => id.length <= 4000).map((id) => upsert(parts, { of: id, n: 1 })),
    ],
  ],
});

describe("ids", () => {
  let scenario: Scenario;
  let client: Client;
  beforeAll(async () => {
    scenario = await Scenario.of(buildVaultWith(keys));
    const streams = [{ name: "things" }, { name: "parts" }];
    client = await scenario.issue({ client: { name: "all" }, sources: [{ connector_key: "nasty", streams }] });
  });
  afterAll(() => scenario?.drop());

  it("[HND-5] [AUT-3] returns every key by every route that takes one", async () => {
    for (const id of keys) {
      const answer = await scenario.check(client, { op: "fetch", stream: "things", record_id: id, expand: ["parts"] });
      expect(readJson(answer).id).toBe(id);
      // The record's own URL leads to it again.
      const { links } = readJson(answer) as unknown as { links: { self: string } };
      expect(readText(await scenario.get(client, links.self))).toBe(readText(answer));
      const part = JSON.stringify([id, "1"]);
      await scenario.check(client, { op: "fetch", stream: "parts", record_id: part, expand: ["whole"] });
      await scenario.check(client, { op: "list", stream: "things", filter: { id }, count: "exact", window: "exact" });
      await scenario.check(client, { op: "list", stream: "parts", filter: { of: id }, expand: ["whole"] });
      await scenario.check(client, { op: "aggregate", stream: "things", metric: "count", filter: { id } });
      await scenario.check(client, { op: "export", after: `one/things:${id}` });
      await scenario.check(client, { op: "export", stream: "parts", after: `one/parts:${part}` });
    }
  });

  it("[HND-5] visits every key once in a list of one-record pages and in a grouping", async () => {
    for (const order of ["asc", "desc"] as const)
      await scenario.check(client, { op: "list", stream: "things", limit: "1", order });
    await scenario.check(client, { op: "aggregate", stream: "things", metric: "count", group_by: "id", limit: "100" });
    await scenario.check(client, { op: "aggregate", stream: "things", metric: "count_distinct", field: "id" });
  });

  it("[AUT-3] lets a grant of single records read exactly those, by their keys", async () => {
    for (const chosen of [keys.slice(0, 1), keys.filter((_, i) => i % 3 === 0), keys.filter((id) => id.length < 3)]) {
      const few = await scenario.issue({
        client: { name: "few" },
        sources: [{ connector_key: "nasty", streams: [{ name: "things", resources: chosen }] }],
      });
      for (const record_id of keys) await scenario.check(few, { op: "fetch", stream: "things", record_id });
      await scenario.check(few, { op: "list", stream: "things", limit: "7", count: "exact" });
      await scenario.check(few, { op: "export" });
      await scenario.check(few, { op: "streams" });
    }
  });

  it("[AUT-4] finds nothing for keys that no record can have, without an error", async () => {
    for (const odd of ["\u0000", "a\u0000b", "\uFFFF\u0000", "\u0001", "x".repeat(20_000)]) {
      await scenario.check(client, { op: "fetch", stream: "things", record_id: odd });
      await scenario.check(client, { op: "list", stream: "things", filter: { id: odd } });
      await scenario.check(client, { op: "aggregate", stream: "things", metric: "count", filter: { id: odd } });
      const blob = await scenario.get(client, buildPath({ op: "blob", blob_id: odd.slice(0, 4000) }));
      expect(blob.status).toBe(404);
      for (const path of [
        "/v1/streams?connection_id=",
        "/v1/export?connection_id=",
        "/v1/streams/things/records?changes_since=",
      ]) {
        const answer = await scenario.get(client, path + encodeURIComponent(odd));
        expect([400, 404]).toContain(answer.status);
      }
    }
    const malformed = await scenario.get(client, "/v1/streams/things/records/%E0%A4%A");
    expect(malformed.status).toBe(400);
  });
});

it("[HND-5] round-trips random keys on both engines", async () => {
  const key = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(".", "/", "%", "2", "e", "F", ":", "?", "#", "&", "+", " ", "[", "]", '"', "\\"),
      minLength: 1,
      maxLength: 8,
    }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 400 }),
  );
  // Ingest rejects NUL and lone surrogates.
  const toKeys = (list: string[]) =>
    [...new Set(list.map((text) => text.toWellFormed().replaceAll("\0", "")))].filter((text) => text !== "");
  await fc.assert(
    fc.asyncProperty(fc.array(key, { minLength: 30, maxLength: 90, size: "max" }), async (list) => {
      const ids = toKeys(list);
      const scenario = await Scenario.of(buildVaultWith(ids));
      try {
        const streams = [{ name: "things" }, { name: "parts" }];
        const client = await scenario.issue({
          client: { name: "all" },
          sources: [{ connector_key: "nasty", streams }],
        });
        for (const record_id of ids)
          await scenario.check(client, { op: "fetch", stream: "things", record_id, expand: ["parts"] });
        await scenario.check(client, { op: "list", stream: "things", limit: "9", order: "asc" });
        await scenario.check(client, { op: "export", after: `one/things:${ids[0]}` });
      } finally {
        await scenario.drop();
      }
    }),
    readSettings(chooseRuns(2, 3)),
  );
});
