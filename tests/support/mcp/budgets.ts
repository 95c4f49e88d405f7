import type { JsonObject } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseManifest } from "@pdpp/contract/manifest";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createApp } from "../../../packages/server/src/app.ts";
import { issueGrant } from "../../../packages/server/src/auth/issue.ts";
import { addConnection } from "../../../packages/server/src/owner/connections.ts";
import type { TestVault } from "../vaults/new-vault.ts";
import { now, putRecords } from "../vaults/sample.ts";
import { type Connected, connect, listen, type Result } from "./clients.ts";

/** Measures result sizes over the longest possible records and the widest possible grants. */

export interface Measurement {
  readonly what: string;
  readonly limit: number;
  readonly measured: number;
}

/** Maximum size of the serialized tool list, which every host sends with every conversation. */
export const toolListChars = 9600;

const text = { type: ["string", "null"] };
const buildStream = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  semantics: "mutable_state",
  primary_key: ["id"],
  selection: { fields: true, resources: true },
  schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, ...properties } },
  ...more,
});

const numberNames = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}_${String(i).padStart(3, "0")}`);

const buildConnector = (key: string, streams: JsonObject[]): JsonObject => ({
  connector_key: key,
  version: "1",
  display_name: `The ${key} connector`,
  streams,
});

const range = ["gte", "gt", "lte", "lt"];
const wideFields = numberNames(40, "a_field_with_a_longish_name");
const longFields = numberNames(16, "field");

const manifests: JsonObject[] = [
  buildConnector(
    "fifty",
    numberNames(50, "stream").map((name) => buildStream(name, { title: text })),
  ),
  buildConnector(
    "fivehundred",
    numberNames(500, "stream_with_name").map((name) => buildStream(name, { title: text })),
  ),
  buildConnector("wide", [
    buildStream("wide", Object.fromEntries(wideFields.map((name) => [name, { type: "number" }])), {
      query: {
        range_filters: Object.fromEntries(wideFields.map((name) => [name, range])),
        aggregations: { count: true, sum: wideFields, min: wideFields, max: wideFields, group_by: wideFields },
      },
    }),
  ]),
  buildConnector("long", [
    buildStream(
      "long",
      {
        ...Object.fromEntries(longFields.map((name) => [name, text])),
        title: { ...text, x_pdpp_role: "primary-title" },
        body: { ...text, x_pdpp_role: "body" },
        tree: { type: ["object", "array", "null"] },
        kind: { type: "string" },
      },
      {
        query: {
          search: { lexical_fields: ["title", "body"] },
          aggregations: { count: true, group_by: ["kind", "id"] },
        },
      },
    ),
  ]),
  buildConnector("family", [
    buildStream(
      "parents",
      {},
      {
        relationships: [{ name: "children", stream: "children", foreign_key: "parent_id", cardinality: "has_many" }],
        query: { expand: [{ name: "children", default_limit: 10, max_limit: 50 }] },
      },
    ),
    buildStream("children", { parent_id: { type: "string" } }),
  ]),
  buildConnector("hits", [
    buildStream(
      "hits",
      { body: { ...text, x_pdpp_role: "body" } },
      { query: { search: { lexical_fields: ["body"] } } },
    ),
  ]),
];

/** Texts that are long in different ways: as they are, when escaped, or in tokens. */
const writings = [
  'Say "hello" to the \\world\\ of "quotes". ',
  "\u0001\u0002\u0003\u001f\u007f\u0085\u2028\u2029",
  "👩‍👩‍👧‍👦🎂🇩🇪🤷🏽‍♀️ ",
  "明日、東京タワーに行きましょう。",
  "\n\t\r\n",
  "x9Q-7f_2.",
  "የሰው ልጅ ሁሉ ሲወለድ ነጻና ",
  "One line of plain prose that goes on and on without an end. ",
];
const repeatWriting = (i: number, chars: number): string => {
  const part = writings[i % writings.length]!;
  return part.repeat(Math.ceil(chars / part.length));
};
const buildLongId = (i: number): string => {
  const start = `${i}-"\\/:🎂 `;
  return start + (i % 2 === 0 ? '"é🎂\\ ' : "x").repeat(1000).slice(0, 1000 - start.length);
};

const buildLongRecord = (i: number): JsonObject => ({
  id: buildLongId(i).toWellFormed().replaceAll("\ufffd", "?"),
  ...Object.fromEntries(longFields.map((name, n) => [name, repeatWriting(i + n, 3000)])),
  title: repeatWriting(i, 900),
  body: `${repeatWriting(i, 20_000)} needle ${repeatWriting(i + 1, 20_000)}`,
  tree: Array.from({ length: 400 }, (_, n) => ({ n, 'k"ey': repeatWriting(n, 40), deep: { deeper: [n, [n]] } })),
  kind: repeatWriting(i, 300).slice(0, 1000),
});

export interface BudgetWorld {
  clientFor(key: string): Promise<Connected>;
  close(): Promise<void>;
}

export async function createBudgetWorld(vault: TestVault): Promise<BudgetWorld> {
  const { store } = vault;
  for (const manifest of manifests) await store.register(parseManifest(manifest), now);
  const keys = ["fifty", "fivehundred", "wide", "long", "family", "hits"];
  for (const key of keys) await addConnection(store, 1, { connectorKey: key, id: `${key}_1`, label: `My ${key}` }, now);
  for (let i = 0; i < 24; i += 1) await putRecords(vault, "long_1", "long", [{ data: buildLongRecord(i) }]);
  await putRecords(vault, "family_1", "parents", [{ data: { id: "p" } }, { data: { id: "q" } }]);
  for (const parent of ["p", "q"])
    await putRecords(
      vault,
      "family_1",
      "children",
      Array.from({ length: 50 }, (_, i) => ({ data: { id: `${parent}${buildLongId(i * 2 + 1)}`, parent_id: parent } })),
    );
  await putRecords(
    vault,
    "hits_1",
    "hits",
    Array.from({ length: 12 }, (_, i) => ({
      data: {
        id: `hit-${i}`,
        body: `${"Words before it. ".repeat(40)}the needle "${i}"${" words after it.".repeat(40)}`,
      },
    })),
  );
  const served = await listen(createApp({ store, now: () => now }).fetch);
  const clients: Connected[] = [];
  return {
    async clientFor(key) {
      const request: GrantRequest = {
        client: { name: key },
        sources: [{ connector_key: key, streams: [{ name: "*" }] }],
      };
      const { token } = await issueGrant(store, 1, request, now);
      const client = await connect({ transport: "http", era: "modern" }, served.url, token);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      await served.close();
      await vault.drop();
    },
  };
}

const measureRaw = ({ text: _, ...result }: Result): number => JSON.stringify(result).length;
const formatStructured = ({ structuredContent }: Result): string => JSON.stringify(structuredContent);

/** Measures every size limit. */
export async function measureBudgets(world: BudgetWorld): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  const note = (what: string, limit: number, value: number): void => {
    measured.push({ what, limit, measured: value });
  };
  const all: Result[] = [];
  const callTool = async (client: Connected, tool: string, args: object = {}): Promise<Result> => {
    const result = await client.call(tool, args);
    if (result.isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${result.text}`);
    all.push(result);
    return result;
  };
  const [fifty, fivehundred, wide, long, hits] = [
    await world.clientFor("fifty"),
    await world.clientFor("fivehundred"),
    await world.clientFor("wide"),
    await world.clientFor("long"),
    await world.clientFor("hits"),
  ];
  note("tools/list", toolListChars, JSON.stringify({ tools: await long.tools() }).length);
  note("instructions", 800, long.instructions!.length);
  note("schema(), 50 streams, raw", 8000, measureRaw(await callTool(fifty, "schema")));
  const index = await callTool(fivehundred, "schema");
  note("schema(), 500 streams, text", 16_000, index.text.length);
  note("schema(), 500 streams, structured", 24_000, formatStructured(index).length);
  const detail = { stream: "wide", connection_id: "wide_1" };
  note("schema(stream, connection_id), 40 fields, raw", 8000, measureRaw(await callTool(wide, "schema", detail)));
  await callTool(wide, "schema", { ...detail, detail: "full" });
  const found = await callTool(long, "search", { query: "needle" });
  note("search, longest records, raw", 8000, measureRaw(found));
  const family = await world.clientFor("family");
  const parents = { stream: "parents", expand: ["children"] };
  const expanded = await callTool(family, "query_records", parents);
  const [parent] = expanded.structuredContent.records;
  const all50 = parent.expanded.children.next;
  if (all50?.tool !== "query_records") throw new Error("a truncated expansion has no continuation");
  note("query_records, expanded to the longest ids, raw", 8000, measureRaw(expanded));
  await callTool(family, "query_records", { ...parents, limit: 100, expand_limit: { children: 50 } });
  let most = 0;
  let page = await callTool(long, "query_records", { stream: "long" });
  const ids: string[] = [];
  for (;;) {
    most = Math.max(most, measureRaw(page));
    ids.push(...page.structuredContent.records.map(({ id }: { id: string }) => id));
    if (page.structuredContent.next === undefined) break;
    page = await long.follow(page.structuredContent.next);
  }
  if (new Set(ids).size !== 24) throw new Error(`paging found ${new Set(ids).size} of 24 records`);
  note("query_records, longest records, raw", 8000, most);
  const groups = await callTool(long, "aggregate", { stream: "long", metric: "count", group_by: "kind" });
  const byId = await callTool(long, "aggregate", { stream: "long", metric: "count", group_by: "id" });
  note("aggregate, longest groups, raw", 8000, Math.max(measureRaw(groups), measureRaw(byId)));
  const windows: Result[] = [];
  const documents: Result[] = [];
  for (const id of ids.slice(0, 8)) {
    for (const path of ["body", "tree", "field_000", "field_003"])
      windows.push(await callTool(long, "read_record_field", { id, field_path: path }));
    windows.push(await callTool(long, "read_record_field", { id, field_path: "body", q: "needle" }));
    documents.push(await callTool(long, "fetch", { id }));
  }
  note("read_record_field, longest records, raw", 8000, Math.max(...windows.map(measureRaw)));
  note("fetch, longest records, raw", 24_000, Math.max(...documents.map(measureRaw)));
  const ten = await callTool(hits, "search", { query: "needle", limit: 10 });
  if (ten.structuredContent.results.filter(({ preview }: { preview?: string }) => preview).length !== 10)
    throw new Error("expected ten hits with evidence");
  note("search, 10 proven hits, text", 6000, ten.text.length);
  note("search, 10 proven hits, structured", 10_000, formatStructured(ten).length);
  for (const id of ids.slice(0, 8)) {
    await callTool(long, "read_record_field", { id, field_path: "body", limit_chars: 16_384 });
    await callTool(long, "read_record_field", { id, field_path: "tree", limit_chars: 16_384 });
    await callTool(long, "read_record_field", {
      id,
      field_path: "body",
      q: "needle",
      before_chars: 8192,
      after_chars: 8192,
    });
    await callTool(long, "fetch", { id, fields: longFields });
  }
  await callTool(long, "search", { query: "needle", limit: 100 });
  await callTool(hits, "search", { query: "needle", limit: 100 });
  await callTool(long, "query_records", { stream: "long", limit: 100 });
  await callTool(long, "query_records", { stream: "long", limit: 100, changes_since: "beginning" });
  await callTool(long, "aggregate", { stream: "long", metric: "count", group_by: "id", limit: 100 });
  const findMaximum = (of: (result: Result) => number) => Math.max(...all.map(of));
  note(
    "any result, text, bytes",
    30_000,
    findMaximum((result) => Buffer.byteLength(result.text)),
  );
  note(
    "any result, structured, bytes",
    30_000,
    findMaximum((result) => Buffer.byteLength(formatStructured(result))),
  );
  note(
    "any result, text, tokens (o200k)",
    8000,
    findMaximum((result) => countTokens(result.text)),
  );
  note(
    "any result, structured, tokens (o200k)",
    8000,
    findMaximum((result) => countTokens(formatStructured(result))),
  );
  note(
    "any result, longest line",
    16_000,
    findMaximum((result) => Math.max(...result.text.split("\n").map((line) => line.length))),
  );
  return measured;
}
