import { buildUrl } from "@pdpp/contract/address";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OperationName } from "@pdpp/contract/operations";
import { hashToken } from "@pdpp/server/auth/tokens";
import { createVault, type EngineName, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { findTokenByHash, insertGrant, insertToken, listGrantsOfToken } from "#server/store/access/grants";
import { createDice } from "../../model/generators/dice.ts";

/**
 * Two vaults whose manifests differ only outside a grant: in fields, streams, views, relationships and everything
 * declared about them. Every operation is called with many inputs over REST and MCP; none names anything hidden. The
 * answers, including errors, must be equal byte for byte.
 */

const now = Date.parse("2026-06-01T12:00:00Z");
const text = { type: ["string", "null"] };

const fields: JsonObject = {
  id: { type: "string" },
  title: { type: "string", x_pdpp_role: "primary-title" },
  meta: { type: "object", properties: { b: { type: "string" } } },
  amount: { type: "number", minimum: 0, x_pdpp_role: "amount" },
  kind: { type: "string", enum: ["small", "large"] },
  shelf_id: text,
  tag: { $ref: "#/$defs/tag" },
};

const shelves = {
  name: "shelves",
  primary_key: ["id"],
  schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, label: { type: "string" } } },
};

const plain: JsonObject = {
  connector_key: "store",
  version: "1",
  display_name: "Store",
  streams: [
    {
      name: "items",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id", "title"],
        properties: fields,
        $defs: { tag: { type: ["string", "null"], maxLength: 40 } },
      },
      views: [{ id: "short", fields: ["id", "title"] }],
      relationships: [{ name: "shelf", stream: "shelves", foreign_key: "shelf_id", cardinality: "has_one" }],
      query: {
        search: { lexical_fields: ["title"] },
        range_filters: { amount: ["gte", "lt"] },
        aggregations: { count: true, sum: ["amount"], group_by: ["kind"] },
        expand: [{ name: "shelf" }],
      },
    },
    shelves,
    { name: "bare", primary_key: ["id"], schema: { type: "object", properties: { id: { type: "string" } } } },
  ],
};

/** The same with additional declarations outside the grant. */
const busy: JsonObject = {
  connector_key: "store",
  version: "1",
  display_name: "Store",
  streams: [
    {
      name: "items",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "paid_at",
      consent_time_field: "paid_at",
      schema: {
        type: "object",
        required: ["id", "salary", "title"],
        properties: {
          id: fields.id!,
          salary: { type: "number", description: "HIDDEN what they earn", x_pdpp_unit_field: "currency" },
          title: fields.title!,
          "meta.b": { type: "string", enum: ["HIDDEN"] },
          meta: fields.meta!,
          amount: { ...(fields.amount as JsonObject), x_pdpp_unit_field: "currency" },
          currency: { type: "string", enum: ["HIDDEN1", "HIDDEN2"] },
          kind: fields.kind!,
          paid_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          shelf_id: fields.shelf_id!,
          boss_id: text,
          body: { type: "string", x_pdpp_role: "body" },
          tag: fields.tag!,
        },
        $defs: { tag: { type: ["string", "null"], maxLength: 40 }, HIDDEN: { type: "string" } },
        allOf: [{ properties: { salary: { minimum: 1 } } }],
        dependentRequired: { salary: ["currency"] },
      },
      views: [
        { id: "evidence", fields: ["salary"] },
        { id: "short", fields: ["salary", "id", "title"] },
        { id: "payroll", label: "HIDDEN", fields: ["salary", "boss_id"] },
      ],
      relationships: [
        { name: "boss", stream: "people", foreign_key: "boss_id", cardinality: "has_one" },
        { name: "shelf", stream: "shelves", foreign_key: "shelf_id", cardinality: "has_one" },
        { name: "owner_shelf", stream: "shelves", foreign_key: "boss_id", cardinality: "has_one" },
      ],
      query: {
        search: {
          lexical_fields: ["body", "title"],
          context: { by: "paid_at" },
          generated: { field: "currency", values: ["HIDDEN1"] },
        },
        range_filters: { salary: ["gte", "lt"], amount: ["gte", "lt"], paid_at: ["gte"] },
        aggregations: {
          count: true,
          sum: ["salary", "amount"],
          max: ["salary"],
          group_by: ["kind", "currency"],
          group_by_time: ["paid_at"],
        },
        expand: [{ name: "boss" }, { name: "shelf" }, { name: "owner_shelf" }],
      },
    },
    {
      ...shelves,
      schema: {
        type: "object",
        required: ["id"],
        properties: { ...(shelves.schema.properties as JsonObject), worth: { type: "number" } },
      },
      query: { aggregations: { sum: ["worth"] }, range_filters: { worth: ["gt"] } },
    },
    {
      name: "bare",
      primary_key: ["id"],
      schema: { type: "object", properties: { id: { type: "string" }, hush: { type: "string" } } },
      query: { search: { lexical_fields: ["hush"] }, aggregations: { group_by: ["hush"] } },
      views: [{ id: "hushed", fields: ["hush"] }],
      relationships: [{ name: "all", stream: "items", foreign_key: "hush", cardinality: "has_one" }],
    },
    { name: "people", primary_key: ["id"], schema: { type: "object", properties: { id: { type: "string" } } } },
  ],
};

const items = [1, 2, 3, 4].map((n) => ({
  id: `i${n}`,
  title: `item number ${n}`,
  meta: { b: `inner ${n}` },
  amount: n * 2.5,
  kind: n % 2 === 0 ? "small" : "large",
  shelf_id: n < 3 ? "s1" : null,
  tag: "x",
}));

const buildSecrets = (n: number): JsonObject => ({
  salary: 1000 - n,
  "meta.b": "HIDDEN",
  currency: n % 2 === 0 ? "HIDDEN1" : "HIDDEN2",
  paid_at: `2026-01-0${5 - n}T00:00:00Z`,
  boss_id: "p1",
  body: "HIDDEN number",
});

interface World {
  readonly vault: TestVault;
  ask(path: string, init?: RequestInit): Promise<string>;
}

async function createWorld(engine: EngineName, manifest: JsonObject, isBusy: boolean): Promise<World> {
  const vault = await createVault(engine, "a secret for both vaults");
  await vault.store.register(parseManifest(manifest), now);
  for (const id of ["one", "two"]) await addConnection(vault.store, 1, { connectorKey: "store", id }, now);
  for (const id of ["one", "two"]) {
    await putRecords(
      vault,
      id,
      "items",
      items.map((data, n) => ({ data: isBusy ? { ...data, ...buildSecrets(n + 1) } : data })),
      now,
    );
    await putRecords(
      vault,
      id,
      "shelves",
      [{ data: { id: "s1", label: "top", ...(isBusy ? { worth: 7 } : {}) } }],
      now,
    );
    await putRecords(vault, id, "bare", [{ data: { id: "b1", ...(isBusy ? { hush: "HIDDEN" } : {}) } }], now);
  }
  if (isBusy) await putRecords(vault, "one", "people", [{ data: { id: "p1" } }], now);
  const app = createApp({ store: vault.store, now: () => now, onBug: (bug) => Promise.reject(bug) });
  return {
    vault,
    async ask(path, init) {
      const headers = { authorization: `Bearer ${token}`, "request-id": "req_same", ...init?.headers };
      const response = await app.fetch(new Request(`http://127.0.0.1:7663${path}`, { ...init, headers }));
      const said = JSON.stringify([...response.headers].filter(([name]) => name !== "date"));
      return `${response.status} ${said} ${await response.text()}`.replaceAll(/req_[\w-]+/g, "(request)");
    },
  };
}

let token = "";

/** Issues the grant with the same id and token in both vaults. */
async function grant([one, two]: readonly [World, World]): Promise<void> {
  const granted = Object.keys(fields);
  const issued = await issueGrant(
    one.vault.store,
    1,
    {
      client: { name: "client" },
      sources: [
        {
          connector_key: "store",
          streams: [
            { name: "items", fields: granted },
            { name: "shelves", fields: ["id", "label"], connection_ids: ["one"] },
            { name: "bare", fields: ["id"], connection_ids: ["one"] },
          ],
        },
      ],
    },
    now,
  );
  token = issued.token;
  const held = await one.vault.store.engine.read(async (on) => {
    const stored = (await findTokenByHash(on, hashToken(token)))!;
    return { stored, grants: await listGrantsOfToken(on, stored) };
  });
  await two.vault.store.engine.write(async (on) => {
    for (const each of held.grants) await insertGrant(on, 1, each.grant, now, each.expiresAt);
    await insertToken(on, hashToken(token), held.stored);
  });
}

/** Values for each parameter: valid, almost valid and invalid. None of them names anything hidden. */
const words: { readonly [param: string]: readonly Json[] } = {
  stream: ["items", "items", "items", "shelves", "bare", "nosuch"],
  connection_id: ["one", "one", "two", "three"],
  record_id: ["i1", "i2", "i4", "s1", "b1", "nosuch"],
  view: ["compact", "evidence", "document", "short", "nosuch", "full"],
  detail: ["full", "compact"],
  fields: [["id"], ["title", "amount"], ["nosuch"], ["id", "tag"]],
  filter: [
    { kind: "small" },
    { amount: { gte: "3" } },
    { amount: { gt: "3" } },
    { nosuch: "1" },
    { meta: "x" },
    { label: "top" },
  ],
  sort: [["title"], ["-id"], ["nosuch"], ["amount"]],
  order: ["asc", "desc"],
  limit: [1, 3, 500],
  count: ["exact", "none"],
  window: ["exact"],
  expand: [["shelf"], ["nosuch"], ["shelf.items"]],
  changes_since: ["beginning", "2026-01-01"],
  metric: ["count", "sum", "max", "min", "count_distinct"],
  field: ["amount", "title", "kind", "nosuch", "meta", "meta.b", "label", "id", 'meta["b"]'],
  group_by: ["kind", "title", "nosuch", "tag"],
  group_by_time: ["title", "amount"],
  granularity: ["day", "month"],
  q: ["number", "item 2", "HID*", "numb*", "zzz", "top"],
  streams: [["items"], ["shelves"], ["items", "bare"], ["nosuch"]],
  since: ["2026-01-01"],
  until: ["2027-01-01"],
  version: ["1", "9"],
  offset_chars: [0, 2],
  limit_chars: [3, 100],
  after: ["one/items:i1", "one/nosuch:i1"],
  blob_id: ["sha256:00", "nosuch"],
  cursor: ["nosuch"],
  id: ["one/items:i1", "one/bare:b1", "two/shelves:s1", "one/nosuch:i1", "nosuch"],
};

interface VisibilityCase {
  readonly operation: OperationName;
  readonly must: readonly string[];
  readonly may: readonly string[];
}

const rest: readonly VisibilityCase[] = [
  { operation: "schema", must: [], may: ["stream", "connection_id", "detail", "view"] },
  { operation: "connectors", must: [], may: [] },
  { operation: "streams", must: [], may: ["connection_id"] },
  { operation: "stream", must: ["stream"], may: ["connection_id"] },
  {
    operation: "queryRecords",
    must: ["stream"],
    may: [
      "connection_id",
      "fields",
      "view",
      "filter",
      "sort",
      "order",
      "limit",
      "count",
      "window",
      "expand",
      "cursor",
      "changes_since",
    ],
  },
  { operation: "fetch", must: ["stream", "record_id"], may: ["connection_id", "fields", "view", "expand"] },
  {
    operation: "aggregate",
    must: ["stream", "metric"],
    may: ["connection_id", "field", "group_by", "group_by_time", "granularity", "filter", "limit"],
  },
  { operation: "search", must: ["q"], may: ["streams", "connection_id", "filter", "since", "until", "limit", "view"] },
  {
    operation: "readField",
    must: ["stream", "record_id", "field"],
    may: ["connection_id", "version", "offset_chars", "limit_chars", "q"],
  },
  { operation: "readBlob", must: ["blob_id"], may: ["connection_id"] },
  { operation: "export", must: [], may: ["stream", "connection_id", "after"] },
];

const tools: readonly (Omit<VisibilityCase, "operation"> & { readonly tool: string })[] = [
  { tool: "schema", must: [], may: ["stream", "connection_id", "detail", "cursor"] },
  {
    tool: "query_records",
    must: ["stream"],
    may: ["connection_id", "fields", "filter", "order", "limit", "count", "expand", "changes_since"],
  },
  {
    tool: "aggregate",
    must: ["stream", "metric"],
    may: ["connection_id", "field", "group_by", "group_by_time", "granularity", "filter"],
  },
  { tool: "search", must: ["q"], may: ["streams", "connection_id", "filter", "since", "limit"] },
  { tool: "fetch", must: ["id"], may: ["fields", "connection_id"] },
  { tool: "read_record_field", must: ["id", "field"], may: ["version", "offset_chars", "limit_chars", "q"] },
];

function drawInputs({ must, may }: Pick<VisibilityCase, "must" | "may">, many: number): JsonObject[] {
  const made: JsonObject[] = [];
  const drawInput = (names: readonly string[], n: number): JsonObject =>
    Object.fromEntries(
      names.map((name, i) => [name, words[name]![createDice(n * 31 + i).pick([...words[name]!.keys()])]!]),
    );
  // Tries each parameter with each of its values, then mixtures.
  for (const name of [...must, ...may])
    for (const value of words[name]!) made.push({ ...drawInput(must, made.length), [name]: value });
  for (let n = 0; n < many; n += 1) {
    const roll = createDice(1000 + n);
    made.push(drawInput([...must, ...may.filter(() => roll.chance(35))], n));
  }
  return made;
}

/**
 * `aggregate` takes the complete path as the field's name. A caller that names a hidden field learns that it is not
 * granted.
 */
const namesHidden = (operation: string, input: object): boolean =>
  operation === "aggregate" && "field" in input && input.field === "meta.b";

const moments = /((?:cursor|changes_since)[\\":=\s]+)[\w-]{40,}/g;

describe.each(surfaceEngines)("[AUT-4] [AUT-21] declarations outside a grant, on %s", (engine) => {
  it("does not show them in any schema, list or error, over REST and MCP", async () => {
    const worlds = [await createWorld(engine, plain, false), await createWorld(engine, busy, true)] as const;
    try {
      await grant(worlds);
      const many = chooseRuns(5, 400);
      const expectSame = async (path: string, about: unknown, init?: RequestInit) => {
        const [one, two] = await Promise.all(worlds.map((each) => each.ask(path, init)));
        expect(two, `HIDDEN is told: ${JSON.stringify(about)}`).not.toMatch(/HIDDEN(?!\*)/);
        expect([about, two?.replaceAll(moments, "$1(moment)")]).toEqual([
          about,
          one?.replaceAll(moments, "$1(moment)"),
        ]);
        return one?.slice(0, 3);
      };
      const statuses = new Set<string | undefined>();
      for (const asked of rest) {
        for (const input of drawInputs(asked, many).filter((each) => !namesHidden(asked.operation, each)))
          statuses.add(await expectSame(buildUrl(asked.operation, input as never), [asked.operation, input]));
      }
      expect([...statuses].sort()).toEqual(expect.arrayContaining(["200", "400", "403", "404", "409"]));
      for (const { tool, ...asked } of tools) {
        for (const given of drawInputs(asked, many).filter((each) => !namesHidden(tool, each))) {
          const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } };
          await expectSame("/mcp", [tool, given], {
            method: "POST",
            headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
            body: JSON.stringify(message),
          });
        }
      }
    } finally {
      for (const { vault } of worlds) await vault.drop();
    }
  });
});
