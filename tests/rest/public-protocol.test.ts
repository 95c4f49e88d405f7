import type { FullSchema, StreamMetadata } from "@pdpp/contract/wire";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApp } from "#server/app";

/** Requirements of the latest public protocol for the server over HTTP. */

let vault: TestVault;
let world: Sample;
beforeAll(async () => {
  vault = await createVault("sqlite");
  world = await createSample(vault);
});
afterAll(() => vault.drop());

const publicUrl = "https://vault.example.org";

const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
  createApp({ store: vault.store, publicUrl }).fetch(new Request(`${publicUrl}${path}`, { headers }));

it("[PUB-1] links to the icon by the public URL in pages and metadata, but not in records", async () => {
  const icon = `<${publicUrl}/icon.svg>; rel="icon"; type="image/svg+xml"`;
  const linked = [
    await ask("/", { accept: "text/html" }),
    await ask("/"),
    await ask("/sign-in", { accept: "text/html" }),
    await ask("/.well-known/oauth-protected-resource"),
    await ask("/.well-known/oauth-protected-resource/mcp"),
    await ask("/.well-known/oauth-authorization-server"),
  ];
  for (const { headers } of linked) expect(headers.get("link")).toBe(icon);
  expect((await ask("/v1/streams")).headers.get("link")).toBeNull();
});

it("[PUB-2] names the MCP endpoint by the public URL in both protected-resource documents", async () => {
  for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
    expect(await (await ask(path)).json()).toMatchObject({
      pdpp_core_query_base: `${publicUrl}/v1`,
      pdpp_agent_discovery: {
        mcp: {
          endpoint: `${publicUrl}/mcp`,
          transport: "streamable_http",
          no_owner_token: true,
          authorization: {
            authorization_servers: [publicUrl],
            resource_metadata: `${publicUrl}/.well-known/oauth-protected-resource/mcp`,
          },
        },
        cli: { bin_name: "pdpp", run_command: `pdpp connect ${publicUrl}`, no_owner_token: true },
      },
    });
  }
});

interface Page {
  readonly data: readonly { readonly id: string; readonly data: Readonly<Record<string, unknown>> }[];
  readonly meta: { readonly count: { readonly kind: string }; readonly warnings: readonly unknown[] };
}

const findMessages = ({ connectors }: FullSchema): StreamMetadata | undefined =>
  connectors[0]?.streams.find(({ name }) => name === "messages");

it("[PUB-4] sorts, pages and counts lists as the schema says", async () => {
  const token = await world.grant(everything);
  const list = (more: string) =>
    world.json<Page>(token, `/v1/streams/messages/records?connection_id=chat_home&${more}`);
  const described = findMessages(await world.json<FullSchema>(token, "/v1/schema"));
  expect(described).toMatchObject({
    sortable_fields: ["sent_at", "text", "channel_id", "likes", "pinned", "secret"],
    default_order: { field: "sent_at", direction: "desc" },
    pagination: { cursor: true, default_limit: 25, max_limit: 100 },
    count: ["none", "estimated", "exact"],
  });
  const { sortable_fields: fields, default_order: order, pagination, count } = described!;
  const usual = await list("");
  expect(usual.data).toHaveLength(pagination!.default_limit);
  expect(await list(`sort=-${order!.field}`)).toMatchObject({ data: usual.data });
  for (const field of fields!) {
    const { data } = await list(`sort=${field}&limit=${pagination!.max_limit}`);
    const values = data.map((record) => record.data[field] as string | number | boolean);
    expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
  }
  for (const grade of count!) {
    const { meta } = await list(`count=${grade}&limit=${pagination!.max_limit}`);
    expect([grade === "none", meta.warnings]).toEqual([meta.count.kind === "none", []]);
  }
});

it("[PUB-4] neither sorts by a field outside the grant nor names it", async () => {
  const token = await world.grant({
    client: { name: "test" },
    sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] }],
  });
  const described = findMessages(await world.json<FullSchema>(token, "/v1/schema"));
  expect(described).toMatchObject({ sortable_fields: [], default_order: { field: null, direction: "desc" } });
  expect(JSON.stringify(described)).not.toContain("sent_at");
  const { data } = await world.json<Page>(token, "/v1/streams/messages/records?connection_id=chat_home&limit=100");
  expect(data.map(({ id }) => id)).toEqual(
    data
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
});

it.each([
  "/v1/streams/messages?connection_id=chat_home",
  "/v1/streams/messages/aggregate?metric=count&group_by=pinned&connection_id=chat_home",
])("[PUB-5] returns %s in the public envelope, and its keys at the top level as before", async (path) => {
  const token = await world.grant(everything);
  const { object, data, links, meta, ...top } = await world.json<{
    data: object;
    links: object;
    meta: object;
    object: string;
  }>(token, path);
  expect(object).toBe(path.includes("aggregate") ? "aggregation" : "stream_metadata");
  expect(links).toMatchObject({ self: expect.stringContaining("/v1/streams/messages") });
  expect(meta).toMatchObject({ warnings: [] });
  expect(data).toEqual(top);
  expect(Object.keys(data)).toContain(path.includes("aggregate") ? "groups" : "field_capabilities");
});

it("[PUB-6] [PUB-7] has recall and the first id to fetch in search metadata", async () => {
  const token = await world.grant(everything);
  interface Found {
    readonly data: readonly { readonly id: string }[];
    readonly meta: { readonly count: number; readonly recall: object; readonly first_fetch_id?: string };
  }
  const found = await world.json<Found>(token, "/v1/search?q=message&limit=3");
  const { count, recall, first_fetch_id } = found.meta;
  expect(recall).toMatchObject({ complete: true, ranking_scope: "all_matches", ranked_candidate_count: count });
  expect(first_fetch_id).toBe(found.data[0]?.id);
  expect((await world.json<Found>(token, "/v1/search?q=zzyzx")).meta).not.toHaveProperty("first_fetch_id");
});
