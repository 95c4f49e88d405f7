import { createClient } from "@pdpp/contract/client";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  createSample,
  everything,
  getRecordData,
  origin,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Page {
  data: {
    id: string;
    connection_id: string;
    data: Record<string, unknown>;
    deleted?: true;
    expanded?: { [name: string]: unknown };
    record_version: string;
  }[];
  has_more: boolean;
  next_cursor?: string;
  next_changes_since?: string;
  links: { next: string | null };
  meta: { count: { kind: string; value?: number }; warnings: { code: string; detail?: object }[]; window?: object };
}
interface Problem {
  error: {
    code: string;
    param?: string;
    message: string;
    retry_with?: string;
    available_connections?: object[];
    available_connection_count?: number;
  };
}

describe.each(surfaceEngines)("records on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    token = await world.grant(everything);
  });
  afterAll(() => vault.drop());

  const readPage = (path: string, as = token): Promise<Page> => world.json(as, path);
  const readFault = async (path: string, as = token) => {
    const response = await world.call(as, path);
    return { status: response.status, ...((await response.json()) as Problem).error };
  };

  it("pages over all connections of a source in one order, each record once", async () => {
    for (const order of ["asc", "desc"]) {
      const seen: string[] = [];
      for (let path: string | null = `/v1/streams/messages/records?limit=7&order=${order}`; path !== null; ) {
        const next: Page = await readPage(path);
        seen.push(...next.data.map(({ id }) => id));
        path = next.links.next;
      }
      expect(new Set(seen).size).toBe(50);
      expect(seen.slice(0, 4)).toEqual(order === "asc" ? ["h00", "w00", "h01", "w01"] : ["h29", "h28", "h27", "h26"]);
    }
  });

  it("clamps the limit with a warning", async () => {
    const many = await readPage("/v1/streams/messages/records?limit=500");
    expect(many.meta.warnings).toMatchObject([
      { code: "limit_clamped", param: "limit", detail: { requested_limit: 500, max_limit: 100 } },
    ]);
    for (const outside of ["0", "-3"]) {
      const some = await readPage(`/v1/streams/messages/records?limit=${outside}`);
      expect([outside, some.data.length, some.meta.warnings.length]).toEqual([outside, 25, 1]);
    }
    expect((await readPage("/v1/streams/messages/records?limit=2.9")).data).toHaveLength(2);
  });

  it("[FET-4] narrows to exactly the requested fields and keeps the record's identity", async () => {
    const narrow = await readPage("/v1/streams/messages/records?fields=text,likes&limit=1");
    expect(Object.keys(narrow.data[0]!.data).sort()).toEqual(["likes", "text"]);
    const repeated = await readPage("/v1/streams/messages/records?fields=text&fields=likes&limit=1");
    expect(repeated.data).toEqual(narrow.data);
    const view = await readPage("/v1/streams/messages/records?view=short&limit=1");
    expect(Object.keys(view.data[0]!.data).sort()).toEqual(["id", "secret", "text"]);
    expect(await readFault("/v1/streams/messages/records?view=short&fields=text")).toMatchObject({
      status: 400,
      param: "view",
    });
  });

  it("[AUT-4] rejects a field outside the grant everywhere and shows it nowhere", async () => {
    const poor = await world.grant({
      client: { name: "poor" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] }],
    });
    for (const query of ["fields=secret", "filter[secret]=x", "sort=sent_at", "filter[likes][gte]=1"]) {
      expect([query, (await readFault(`/v1/streams/messages/records?${query}`, poor)).code]).toEqual([
        query,
        "field_not_granted",
      ]);
    }
    for (const query of [
      "metric=sum&field=likes",
      "metric=count&group_by=channel_id",
      "metric=count&group_by_time=sent_at&granularity=day",
    ]) {
      expect([query, (await readFault(`/v1/streams/messages/aggregate?${query}`, poor)).code]).toEqual([
        query,
        "field_not_granted",
      ]);
    }
    const listed = await readPage("/v1/streams/messages/records?limit=100&window=exact", poor);
    expect(listed.data.map(({ id }) => id)).toEqual(
      listed.data
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect(listed.meta.window).toEqual({ total: 50 });
    expect(JSON.stringify(listed)).not.toContain("CANARY");
    expect(
      await readPage("/v1/streams/messages/records?view=short&limit=1", poor).then(({ data }) =>
        Object.keys(data[0]!.data),
      ),
    ).toEqual(["id", "text"]);
    expect(await readFault("/v1/streams/messages/records?expand=channel", poor)).toMatchObject({
      status: 403,
      code: "insufficient_scope",
    });
  });

  it("[AUT-3] applies the grant's time bounds and record ids to every read", async () => {
    const bound = await world.grant({
      client: { name: "bound" },
      sources: [
        {
          connector_key: "chat",
          streams: [
            {
              name: "messages",
              connection_ids: ["chat_home"],
              time_range: { since: "2026-05-01T12:05:00+02:00", until: "2026-05-01T10:10:00Z" },
            },
            { name: "channels", resources: ["random"] },
          ],
        },
      ],
    });
    const listed = await readPage("/v1/streams/messages/records?count=exact&order=asc", bound);
    expect(listed.data.map(({ id }) => id)).toEqual(["h05", "h06", "h07", "h08", "h09"]);
    expect(listed.meta.count).toEqual({ kind: "exact", value: 5 });
    expect((await readFault("/v1/streams/messages/records/h04", bound)).code).toBe("not_found");
    expect((await readFault("/v1/streams/messages/records/h10", bound)).code).toBe("not_found");
    expect((await readFault("/v1/streams/channels/records/general?connection_id=chat_home", bound)).code).toBe(
      "not_found",
    );
    const streams: { data: { record_count: number; last_updated: null }[] } = await world.json(
      bound,
      "/v1/streams?connection_id=chat_home",
    );
    expect(streams.data.map(({ record_count, last_updated }) => [record_count, last_updated])).toEqual([
      [5, null],
      [1, null],
    ]);
    const total: { value: number } = await world.json(bound, "/v1/streams/messages/aggregate?metric=sum&field=likes");
    expect(total.value).toBe(5 + 6 + 7 + 8 + 9);
    const expanded = await readPage(
      "/v1/streams/channels/records?expand=messages&expand_limit[messages]=5&connection_id=chat_home",
      bound,
    );
    expect(expanded.data).toHaveLength(1);
    expect((expanded.data[0]!.expanded!.messages as Page).data.map(({ id }) => id)).toEqual(["h09", "h07", "h05"]);
  });

  it("filters exactly and by declared ranges, and explains what is wrong with other filters", async () => {
    const path = "/v1/streams/messages/records?limit=100";
    expect((await readPage(`${path}&filter[likes][gte]=10&filter[likes][lt]=12`)).data).toHaveLength(4);
    expect((await readPage(`${path}&filter[pinned]=true&connection_id=chat_work`)).data).toHaveLength(7);
    expect((await readPage(`${path}&filter[sent_at]=2026-05-01T12:03:00%2B02:00`)).data.map(({ id }) => id)).toEqual(
      ["w03", "h03"].sort().reverse(),
    );
    expect((await readPage(`${path}&filter[id]=h07`)).data).toHaveLength(1);
    expect(await readFault(`${path}&filter[pinned]=maybe`)).toMatchObject({ status: 400, param: "filter[pinned]" });
    expect(await readFault(`${path}&filter[likes]=ten`)).toMatchObject({ status: 400, param: "filter[likes]" });
    expect(await readFault(`${path}&filter[pinned][gte]=true`)).toMatchObject({
      status: 400,
      param: "filter[pinned][gte]",
    });
    expect(await readFault(`${path}&filter[blob_ref]=x`)).toMatchObject({ status: 400, param: "filter[blob_ref]" });
    expect(await readFault(`${path}&filter[nope]=x`)).toMatchObject({ status: 400, code: "unknown_field" });
    const many = Array.from({ length: 21 }, (_, i) => `filter[f${i}]=1`).join("&");
    expect(await readFault(`${path}&${many}`)).toMatchObject({ status: 400, param: "filter" });
  });

  it("sorts by the cursor field, and rejects contradictions", async () => {
    expect((await readPage("/v1/streams/messages/records?sort=-sent_at&limit=1")).data[0]!.id).toBe("h29");
    expect((await readPage("/v1/streams/messages/records?sort=sent_at&limit=1")).data[0]!.id).toBe("h00");
    for (const bad of [
      "sort=blob_ref",
      "sort=id",
      "sort=sent_at,likes",
      "sort=sent_at,-sent_at",
      "sort=sent_at&order=desc",
    ]) {
      expect([bad, (await readFault(`/v1/streams/messages/records?${bad}`)).code]).toEqual([bad, "invalid_sort"]);
    }
  });

  it("rejects a cursor of another query, order or grant", async () => {
    const { next_cursor: cursor } = await readPage("/v1/streams/messages/records?limit=3");
    const other = await world.grant(everything);
    for (const path of [
      `/v1/streams/messages/records?order=asc&cursor=${cursor}`,
      `/v1/streams/messages/records?filter[likes]=1&cursor=${cursor}`,
      `/v1/streams/messages/records?connection_id=chat_home&cursor=${cursor}`,
      `/v1/streams/channels/records?cursor=${cursor}`,
      `/v1/streams/messages/records?cursor=${cursor!.slice(0, -1)}`,
      "/v1/streams/messages/records?cursor=%00%FF",
      "/v1/streams/messages/records?cursor=",
    ]) {
      expect([path, (await readFault(path)).code]).toEqual([path, "invalid_cursor"]);
    }
    expect((await readFault(`/v1/streams/messages/records?limit=3&cursor=${cursor}`, other)).code).toBe(
      "invalid_cursor",
    );
    expect((await readPage(`/v1/streams/messages/records?limit=50&cursor=${cursor}`)).data[0]!.id).toBe("h26");
  });

  it("[PUB-10] expands declared relationships in either direction, within their limits", async () => {
    const channels = await readPage("/v1/streams/channels/records?expand=messages&connection_id=chat_home");
    expect(channels.data.map(({ expanded }) => (expanded!.messages as Page).data.length)).toEqual([2, 2]);
    const one = (await world.json(
      token,
      "/v1/streams/messages/records/h03?expand=channel&connection_id=chat_home",
    )) as Page["data"][number];
    expect(one.expanded!.channel).toMatchObject({ id: "random" });
    const orphan = (await world.json(
      token,
      "/v1/streams/messages/records/w03?expand=channel&connection_id=chat_work",
    )) as Page["data"][number];
    expect(orphan.expanded!.channel).toBeNull();
    for (const bad of [
      "expand=nope",
      "expand=messages.channel",
      "expand=messages&expand_limit[messages]=6",
      "expand=messages&expand_limit[messages]=x",
      "expand_limit[messages]=1",
    ]) {
      expect([bad, (await readFault(`/v1/streams/channels/records?${bad}`)).code]).toEqual([bad, "invalid_expand"]);
    }
    expect((await readFault("/v1/streams/messages/records?expand=channel&expand_limit[channel]=1")).code).toBe(
      "invalid_expand",
    );
  });

  it("[AMB-1] [AMB-2] [AMB-3] asks which of several connections to read a record from, without looking it up", async () => {
    for (const id of ["h01", "no-such-record"]) {
      expect(await readFault(`/v1/streams/messages/records/${id}`)).toMatchObject({
        status: 409,
        code: "ambiguous_connection",
        retry_with: "connection_id",
        available_connection_count: 2,
        available_connections: [
          {
            connector_key: "chat",
            connection_id: "chat_home",
            display_name: "Home",
            grant_id: expect.stringMatching(/^grt_/),
          },
          { connector_key: "chat", connection_id: "chat_work", display_name: "Work" },
        ],
      });
    }
    expect((await readFault("/v1/streams/messages/records/h01?connection_id=chat_work")).code).toBe("not_found");
    expect(await readFault("/v1/streams/messages/records/h01?connection_id=chat_nowhere")).toMatchObject({
      status: 404,
      code: "connection_not_found",
    });
  });

  it("[AMB-1] [AMB-3] asks which grant of a package to use for a stream in two of them, with a limited list of candidates", async () => {
    const packaged = await world.grant({
      client: { name: "pack" },
      sources: [
        { connector_key: "chat", streams: [{ name: "messages", connection_ids: ["chat_home"] }] },
        { connector_key: "chat", streams: [{ name: "messages", connection_ids: ["chat_work"], fields: ["id"] }] },
        { connector_key: "shop", streams: [{ name: "order_lines" }] },
      ],
    });
    expect((await readFault("/v1/streams/messages/records", packaged)).code).toBe("ambiguous_connection");
    expect((await readPage("/v1/streams/order_lines/records", packaged)).data).toHaveLength(3);
    expect(
      (await readPage("/v1/streams/messages/records?connection_id=chat_work&limit=1", packaged)).data[0]!.data,
    ).toEqual({ id: "w19" });
    expect((await readFault("/v1/schema?stream=messages&detail=full", packaged)).code).toBe("ambiguous_schema_detail");
  });

  it("aggregates decimals exactly", async () => {
    const shop = await world.grant({
      client: { name: "shop" },
      sources: [{ connector_key: "shop", streams: [{ name: "*" }] }],
    });
    const readValue = async (query: string) =>
      ((await world.json(shop, `/v1/streams/order_lines/aggregate?${query}`)) as { value: unknown }).value;
    expect(await readValue("metric=sum&field=price&filter[bought_on]=2026-01-31")).toBe(0.3);
    expect(await readValue("metric=max&field=price")).toBe(12.5);
    expect(await readValue("metric=count&filter[price][gt]=1")).toBe(1);
    const months: { groups: object[]; other_count: number } = await world.json(
      shop,
      "/v1/streams/order_lines/aggregate?metric=count&group_by_time=bought_on&granularity=month",
    );
    expect(months.groups).toEqual([
      { key: "2026-01-01", count: 2 },
      { key: "2026-02-01", count: 1 },
    ]);
    const channels: { groups: object[] } = await world.json(
      token,
      "/v1/streams/messages/aggregate?metric=count&group_by=channel_id",
    );
    expect(channels.groups).toEqual([
      { key: "general", count: 25 },
      { key: "random", count: 25 },
    ]);
    for (const bad of [
      "metric=count&field=likes",
      "metric=sum",
      "metric=sum&field=text",
      "metric=count&group_by=pinned&group_by_time=sent_at&granularity=day",
      "metric=count&group_by_time=sent_at",
      "metric=count&granularity=day",
      "metric=count&group_by_time=sent_at&granularity=day&time_zone=Mars/Olympus",
      "metric=count&limit=5",
      "metric=count&group_by=pinned&limit=101",
    ]) {
      expect([bad, (await readFault(`/v1/streams/messages/aggregate?${bad}`)).status]).toEqual([bad, 400]);
    }
  });

  it("returns changes as the grant shows them", async () => {
    const thin = await world.grant({
      client: { name: "thin" },
      sources: [
        {
          connector_key: "chat",
          streams: [{ name: "messages", fields: ["id", "text"], connection_ids: ["chat_work"] }],
        },
      ],
    });
    const walk = async (since: string) => {
      const seen: Page["data"] = [];
      for (let path: string | null = `/v1/streams/messages/records?limit=7&changes_since=${since}`; path !== null; ) {
        const next: Page = await readPage(path, thin);
        seen.push(...next.data);
        path = next.links.next;
        if (path === null) return { seen, bookmark: next.next_changes_since! };
      }
      throw new Error("unreachable");
    };
    const first = await walk("beginning");
    expect(first.seen).toHaveLength(20);
    await putRecords(vault, "chat_work", "messages", [
      buildMessage("w01", 1, { likes: 99 }),
      buildMessage("w02", 2, { text: "edited" }),
      buildMessage("w99", 99),
      { key: "w03", op: "delete" },
      { key: "w98", op: "delete" },
    ]);
    const second = await walk(first.bookmark);
    expect(second.seen.map(({ id, deleted, data }) => [id, deleted ?? data.text])).toEqual([
      ["w02", "edited"],
      ["w99", "message w99"],
      ["w03", true],
    ]);
    expect(second.seen.map(({ record_version }) => record_version)).toEqual(["2", "1", "2"]);
    expect((await walk(second.bookmark)).seen).toEqual([]);
    for (const bad of ["order=asc", "count=exact", "window=exact", "sort=sent_at"]) {
      expect((await readFault(`/v1/streams/messages/records?changes_since=beginning&${bad}`, thin)).status).toBe(400);
    }
    expect((await readFault("/v1/streams/messages/records?changes_since=2026-01-01", thin)).code).toBe(
      "invalid_cursor",
    );
    expect(
      (await readFault(`/v1/streams/messages/records?changes_since=${second.bookmark}&expand=channel`, thin)).code,
    ).toBe("invalid_expand");
  });

  it("returns the same from the typed client as from the routes", async () => {
    const client = createClient({
      url: origin,
      token,
      fetch: (url, init) => world.call(null, String(url), init as RequestInit),
    });
    expect(await client.queryRecords({ stream: "messages", limit: 3, filter: { likes: { gte: "2" } } })).toEqual(
      await readPage("/v1/streams/messages/records?limit=3&filter[likes][gte]=2"),
    );
    await expect(client.fetch({ stream: "messages", record_id: "h01" })).rejects.toMatchObject({
      code: "ambiguous_connection",
    });
  });

  it("[HND-5] accepts every legal key on every route that takes an id", async () => {
    const shop = await world.grant({
      client: { name: "shop" },
      sources: [{ connector_key: "shop", streams: [{ name: "*" }] }],
    });
    const client = createClient({
      url: origin,
      token,
      fetch: (url, init) => world.call(null, String(url), init as RequestInit),
    });
    const keys = [
      "..",
      ".",
      "a/b",
      "a:b",
      "../..",
      "?q#f",
      "100%",
      "%2F",
      'it\'s "so" \\',
      " spaced  out ",
      "👩‍👩‍👧",
      "é".normalize("NFD"),
      "k".repeat(1000),
      "👍".repeat(1000),
      '["a","b"]',
      "_",
      "a\nb",
    ];
    await putRecords(
      vault,
      "chat_work",
      "channels",
      keys.map((id) => ({ data: { id, title: "t" } })),
    );
    for (const id of keys) {
      const record = await client.fetch({ stream: "channels", record_id: id, connection_id: "chat_work" });
      expect([record.id, getRecordData(record).id]).toEqual([id, id]);
      const filtered = await client.queryRecords({ stream: "channels", connection_id: "chat_work", filter: { id } });
      expect(filtered.data.map((found) => found.id)).toEqual([id]);
    }
    const listed = await client.queryRecords({ stream: "channels", connection_id: "chat_work", limit: 100 });
    expect(new Set(listed.data.map(({ id }) => id))).toEqual(new Set(keys));
    const compound = await world.call(shop, `/v1/streams/order_lines/records/${encodeURIComponent('["o/1","2"]')}`);
    expect(((await compound.json()) as { data: object }).data).toMatchObject({ order_id: "o/1", line: 2 });
    for (const id of keys) {
      const gone = await client
        .fetch({ stream: "channels", record_id: id, connection_id: "chat_work" })
        .then(({ links }) => links.self);
      const deleted = await world.call(world.ownerToken, gone, { method: "DELETE" });
      expect([id, deleted.status]).toEqual([id, 204]);
    }
  });
});
