import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant, issueOwnerToken } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { createReader } from "#server/read/reader";
import { createExplainingStore, type Explained, listIndexConditions, planFaults } from "./explain.ts";
import { now, ownerNo, put } from "./sample.ts";

const range = ["gte", "gt", "lte", "lt"];
const text = { type: "string" };
const time = { type: "string", format: "date-time" };

/** Every capability. */
const manifest: JsonObject = {
  connector_key: "diary",
  version: "1",
  streams: [
    {
      name: "notes",
      primary_key: ["id"],
      cursor_field: "at",
      consent_time_field: "at",
      schema: {
        type: "object",
        required: ["id", "at"],
        properties: {
          id: text,
          at: time,
          kind: text,
          size: { type: ["integer", "null"] },
          price: { type: ["number", "null"] },
          flag: { type: "boolean" },
          day: { type: ["string", "null"], format: "date" },
          author: { type: ["string", "null"] },
          folder_id: text,
          blob_ref: { type: ["object", "null"] },
        },
      },
      relationships: [
        { name: "folder", stream: "folders", foreign_key: "folder_id", cardinality: "has_one" },
        { name: "comments", stream: "comments", foreign_key: "note_id", cardinality: "has_many" },
      ],
      query: {
        range_filters: { at: range, size: range, price: range, day: range },
        aggregations: {
          count: true,
          sum: ["size", "price"],
          min: ["size", "at"],
          max: ["size", "day"],
          group_by: ["kind", "flag", "folder_id"],
          group_by_time: ["at", "day"],
          count_distinct: ["kind", "folder_id"],
        },
        expand: [{ name: "folder" }, { name: "comments" }],
      },
    },
    { name: "folders", primary_key: ["id"], schema: { type: "object", properties: { id: text, name: text } } },
    {
      name: "comments",
      primary_key: ["id"],
      cursor_field: "at",
      schema: { type: "object", properties: { id: text, note_id: text, at: { ...time, type: ["string", "null"] } } },
    },
  ],
};

const connections = ["home", "work", "club"];
const perConnection = 1500;
const blobId = (n: number) => `blob_sha256_${n}`;
const day = (n: number) => new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);

const note = (n: number): JsonObject => ({
  id: `n${n}`,
  at: new Date(Date.UTC(2024, 0, 1) + n * 3_600_000).toISOString(),
  kind: `k${n % 40}`,
  size: n % 10 === 0 ? null : n % 700,
  price: (n % 900) + 0.25,
  flag: n % 50 === 0,
  day: n % 20 === 0 ? null : day(n % 1000),
  author: n % 3 === 0 ? null : `a${n % 90}`,
  folder_id: `f${n % 30}`,
  blob_ref: n % 5 === 0 ? { blob_id: blobId(n) } : null,
});

interface Case {
  readonly title: string;
  /** Fields that must use their index. Under a client's grant, which has a time range, another index may be better. */
  readonly by?: readonly string[];
  /** Rows come from the index in order, without sorting. */
  readonly ordered?: boolean;
  /** Each part comes from an index in order; only the first rows of the parts are merged. */
  readonly merged?: boolean;
  /** On SQLite, the parts are read from an index alone. */
  readonly covered?: boolean;
  run(api: ReadApi): Promise<unknown>;
}

const stream = "notes";
const here = { stream, connection_id: "home" };

const exact: Record<string, string> = {
  kind: "k7",
  size: "77",
  price: "77.25",
  flag: "true",
  day: "2020-03-01",
  author: "a7",
  folder_id: "f7",
  at: "2024-02-01T00:00:00Z",
  id: "n77",
};
const ranges: Record<string, object> = {
  size: { gte: "695" },
  price: { gt: "895" },
  day: { lte: "2020-01-04" },
  at: { lt: "2024-01-02" },
};

const cases: Case[] = [
  { title: "the default list", ordered: true, run: (api) => api.queryRecords(here) },
  { title: "the list the other way", ordered: true, run: (api) => api.queryRecords({ ...here, order: "asc" }) },
  {
    title: "a list at a deep cursor",
    by: ["at"],
    ordered: true,
    run: async (api) => {
      let cursor: string | undefined;
      for (let n = 0; n < 3; n += 1)
        cursor = (await api.queryRecords({ ...here, limit: 100, ...(cursor ? { cursor } : {}) })).next_cursor;
    },
  },
  ...Object.entries(exact).map(
    ([field, value]): Case => ({
      title: `a list with exact filter ${field}`,
      by: [field],
      ordered: field !== "id",
      run: (api) => api.queryRecords({ ...here, filter: { [field]: value } }),
    }),
  ),
  ...Object.entries(ranges).map(
    ([field, operand]): Case => ({
      title: `a list with range filter ${field}`,
      by: [field],
      run: (api) => api.queryRecords({ ...here, filter: { [field]: operand } }),
    }),
  ),
  ...["author", "price", "day", "kind", "flag"].flatMap((field): Case[] =>
    ["", "-"].map((way) => ({
      title: `[CSL-120] a list sorted by ${way}${field}, and its next page`,
      by: [field],
      merged: true,
      run: async (api) => {
        const first = await api.queryRecords({ ...here, sort: [`${way}${field}`] });
        await api.queryRecords({ ...here, sort: [`${way}${field}`], cursor: first.next_cursor! });
      },
    })),
  ),
  {
    title: "[CSL-120] a list sorted by a field without the records that lack it",
    ordered: true,
    run: (api) => api.queryRecords({ ...here, sort: ["-author"] }),
  },
  {
    title: "a list over three connections",
    merged: true,
    covered: true,
    run: (api) => api.queryRecords({ stream, limit: 50 }),
  },
  {
    title: "a filtered list over three connections",
    by: ["kind"],
    run: (api) => api.queryRecords({ stream, filter: { kind: "k7" } }),
  },
  {
    title: "a list of a stream without order",
    ordered: true,
    run: (api) => api.queryRecords({ ...here, stream: "folders" }),
  },
  { title: "a list of a stream with missing times", run: (api) => api.queryRecords({ ...here, stream: "comments" }) },
  {
    title: "[AGG-1] groups over three connections, each by its index",
    covered: true,
    run: (api) => api.aggregate({ stream, metric: "count", group_by: "kind" }),
  },
  ...Object.entries(exact).map(
    ([field, value]): Case => ({
      title: `count with exact filter ${field}`,
      by: [field],
      run: (api) => api.aggregate({ stream, metric: "count", filter: { [field]: value } }),
    }),
  ),
  ...Object.entries(ranges).map(
    ([field, operand]): Case => ({
      title: `count with range filter ${field}`,
      by: [field],
      run: (api) => api.aggregate({ stream, metric: "count", filter: { [field]: operand } }),
    }),
  ),
  {
    title: "an exact count and window of a list",
    run: (api) => api.queryRecords({ stream, count: "exact", window: "exact", filter: { kind: "k7" } }),
  },
  ...["kind", "flag", "folder_id"].flatMap((field): Case[] => [
    { title: `groups by ${field}`, run: (api) => api.aggregate({ stream, metric: "count", group_by: field }) },
    {
      title: `filtered groups by ${field}`,
      by: ["size"],
      run: (api) => api.aggregate({ stream, metric: "count", group_by: field, filter: { size: "77" } }),
    },
  ]),
  ...["at", "day"].map(
    (field): Case => ({
      title: `groups by time of ${field}`,
      by: [field],
      run: (api) => api.aggregate({ stream, metric: "count", group_by_time: field, granularity: "month", limit: 100 }),
    }),
  ),
  { title: "min", by: ["size"], run: (api) => api.aggregate({ stream, metric: "min", field: "size" }) },
  { title: "min of the sort field", run: (api) => api.aggregate({ ...here, metric: "min", field: "at" }) },
  { title: "max", by: ["day"], run: (api) => api.aggregate({ ...here, metric: "max", field: "day" }) },
  {
    title: "sum of whole numbers",
    by: ["size"],
    run: (api) => api.aggregate({ stream, metric: "sum", field: "size" }),
  },
  { title: "sum of decimals", by: ["price"], run: (api) => api.aggregate({ ...here, metric: "sum", field: "price" }) },
  { title: "count_distinct", run: (api) => api.aggregate({ stream, metric: "count_distinct", field: "folder_id" }) },
  { title: "expand has_one", run: (api) => api.queryRecords({ ...here, expand: ["folder"] }) },
  {
    title: "expand has_many",
    by: ["note_id"],
    run: (api) => api.queryRecords({ ...here, expand: ["comments"], expand_limit: { comments: 3 } }),
  },
  {
    title: "expand over three connections",
    by: ["note_id"],
    run: (api) => api.queryRecords({ stream, expand: ["comments", "folder"] }),
  },
  {
    title: "get by key",
    by: ["id"],
    run: (api) => api.fetch({ ...here, record_id: "n777", expand: ["comments", "folder"] }),
  },
  {
    title: "changes",
    run: async (api) => {
      const first = await api.queryRecords({ stream, changes_since: "beginning", limit: 100 });
      await api.queryRecords({ stream, changes_since: "beginning", limit: 100, cursor: first.next_cursor! });
    },
  },
  {
    title: "changes since a bookmark",
    run: async (api) => {
      let page = await api.queryRecords({ stream: "folders", connection_id: "work", changes_since: "beginning" });
      while (page.next_cursor)
        page = await api.queryRecords({
          stream: "folders",
          connection_id: "work",
          changes_since: "beginning",
          cursor: page.next_cursor,
        });
      await api.queryRecords({ stream: "folders", connection_id: "work", changes_since: page.next_changes_since! });
    },
  },
  {
    title: "a blob",
    run: async (api) => {
      await expect(api.readBlob({ blob_id: blobId(5), connection_id: "home" })).rejects.toMatchObject({
        code: "blob_not_found",
      });
    },
  },
  { title: "streams", run: (api) => api.streams({}) },
  { title: "schema", run: (api) => api.schema({}) },
  {
    title: "export",
    ordered: true,
    run: async (api) => {
      for await (const _ of api.export({ stream, connection_id: "club" }));
    },
  },
];

/** Autovacuum does this after a while; index-only scans depend on it. */
async function vacuum({ databaseUrl }: TestVault): Promise<void> {
  if (databaseUrl === undefined) return;
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const unseen =
    "SELECT relname FROM pg_class WHERE relname LIKE 'r\\_%' AND relkind = 'r' AND relallvisible < relpages";
  // A concurrent snapshot, such as autovacuum's, can delay it for a moment.
  for (let left = 1, tries = 0; left > 0 && tries < 20; tries += 1) {
    await client.query("VACUUM ANALYZE");
    left = (await client.query(unseen)).rows.length;
  }
  await client.end();
}

describe.each(engineNames)("finds the rows of every read by index on %s", (engine) => {
  let vault: TestVault;
  let seen: Explained[];
  const readers = new Map<string, ReadApi>();
  const columns = new Map<string, string>();

  beforeAll(async () => {
    vault = await createVault(engine);
    const plain = vault.store;
    await plain.register(parseManifest(manifest), now);
    for (const id of connections) await addConnection(plain, ownerNo, { connectorKey: "diary", id }, now);
    for (const id of connections) {
      await put(
        plain,
        id,
        Array.from({ length: perConnection }, (_, n) => note(n)),
        now,
        "notes",
      );
      await put(
        plain,
        id,
        Array.from({ length: 200 }, (_, n) => ({ id: `c${n}`, note_id: `n${n * 7}`, at: n % 9 === 0 ? null : day(n) })),
        now,
        "comments",
      );
      await put(
        plain,
        id,
        Array.from({ length: 100 }, (_, n) => ({ id: `f${n}`, name: `${n}` })),
        now,
        "folders",
      );
      await put(
        plain,
        id,
        Array.from({ length: 100 }, (_, n) => ({ id: `f${n}`, name: `${n} again` })),
        now,
        "folders",
      );
    }
    await vacuum(vault);
    const explained = createExplainingStore(plain);
    seen = explained.seen;
    for (const { streams } of (await plain.catalog()).connectors.values()) {
      for (const { columns: held } of streams.values())
        for (const [field, { column }] of held) if (!columns.has(field)) columns.set(field, column);
    }
    const { token } = await issueOwnerToken(plain, ownerNo, "owner", now, null);
    readers.set(
      "owner",
      createReader({ store: explained.store, scope: await authenticate(explained.store, token, now) }),
    );
    const timed = [{ name: "notes", time_range: { since: "2024-01-05" } }, { name: "comments" }, { name: "folders" }];
    const grant = await issueGrant(
      plain,
      ownerNo,
      { client: { name: "x" }, sources: [{ connector_key: "diary", streams: timed }] },
      now,
    );
    readers.set(
      "client",
      createReader({ store: explained.store, scope: await authenticate(explained.store, grant.token, now) }),
    );
  });
  afterAll(() => vault.drop());

  it("for a token and its grants", () => {
    expect(seen.length).toBeGreaterThan(1);
    for (const statement of seen) expect(planFaults(statement), statement.text).toEqual([]);
  });

  describe.each(["owner", "client"])("of the %s", (who) => {
    it.each(cases)("$title", async ({ run, by = [], ordered, merged, covered }) => {
      seen.length = 0;
      await run(readers.get(who)!);
      expect(seen.length).toBeGreaterThan(0);
      for (const statement of seen)
        expect(planFaults(statement), `${statement.text}\n\n${statement.plan.join("\n")}`).toEqual([]);
      if (who === "client") return;
      const plans = seen.map(({ text, plan }) => `${text}\n${plan.join("\n")}`).join("\n\n");
      for (const field of by) {
        const column = new RegExp(`\\b${columns.get(field)}\\b`);
        expect(
          seen.flatMap(listIndexConditions).some((condition) => column.test(condition)),
          `${field} (${columns.get(field)}) in\n${plans}`,
        ).toBe(true);
      }
      for (const { plan } of merged ? seen : []) {
        // The rows of the page are looked up after the merge, and ordered once more.
        const sorts = plan.some((line) => line.startsWith("SEARCH held USING INTEGER PRIMARY KEY")) ? 2 : 1;
        const found = plan.filter((line) => /TEMP B-TREE|Sort Key/.test(line));
        expect(found.length, plan.join("\n")).toBeLessThanOrEqual(sorts);
      }
      if (covered && engine === "sqlite") expect(plans).toMatch(/(SEARCH r_\d+ USING COVERING INDEX.*){3}/s);
      if (ordered) expect(plans).not.toMatch(/TEMP B-TREE|Sort Key/);
    });
  });

  it("finds the rows that writes replace by index", async () => {
    const { store, seen: writes } = createExplainingStore(vault.store);
    await put(store, "home", [{ ...note(5), kind: "new" }, { gone: "n6" }, { ...note(7) }], now, "notes");
    await put(store, "home", [note(6)], now, "notes");
    expect(writes.length).toBeGreaterThan(5);
    for (const statement of writes)
      expect(planFaults(statement), `${statement.text}\n\n${statement.plan.join("\n")}`).toEqual([]);
  });
});
