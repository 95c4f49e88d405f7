import type { JsonObject } from "@pdpp/contract/declaration";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Link {
  relationship: string;
  stream: string;
  count: number;
  has_more?: boolean;
  read: { operation: string; method: string; url: string };
}
type Item = { related?: Link[] } & JsonObject;

const general = "/v1/streams/channels/records/general?connection_id=chat_home";
const first = "/v1/streams/messages/records/h01?connection_id=chat_home";

describe.each(surfaceEngines)("related records on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await putRecords(vault, "chat_home", "channels", [{ data: { id: "silent", title: "Nobody writes here" } }]);
    await putRecords(vault, "chat_home", "messages", [buildMessage("lost", 50, { channel_id: "gone" })]);
  });
  afterAll(() => vault.drop());

  const get = (path: string, as = world.ownerToken): Promise<Item> => world.json(as, path);
  const listLinks = async (path: string, as = world.ownerToken): Promise<Link[]> => (await get(path, as)).related ?? [];
  const issueGrant = (...streams: object[]) =>
    world.grant({ client: { name: "agent" }, sources: [{ connector_key: "chat", streams } as never] });
  const getCount = async (url: string, as = world.ownerToken): Promise<unknown> => {
    const { meta } = (await get(`${url}&count=exact`, as)) as { meta: { count: { value: number } } } & JsonObject;
    return meta.count.value;
  };

  it.each(["", "&view=evidence", "&view=document"])(
    "[EVI-40] names a record's related records, with a count and a call that reads just those (%s)",
    async (view) => {
      const [link, ...others] = await listLinks(`${general}${view}`);
      expect(others).toEqual([]);
      expect(link).toMatchObject({ relationship: "messages", stream: "messages", read: { operation: "queryRecords" } });
      expect(link?.count).toBeGreaterThan(5);
      expect(await getCount(link!.read.url)).toBe(link!.count);
    },
  );

  it("[EVI-40] names the record it belongs to", async () => {
    const [link, ...others] = await listLinks(first);
    expect(others).toEqual([]);
    expect(link).toMatchObject({ relationship: "channel", stream: "channels", count: 1, read: { operation: "fetch" } });
    expect(await get(link!.read.url)).toMatchObject({ object: "record", stream: "channels", id: "random" });
  });

  it("[EVI-40] names nothing when there are no related records or the other record does not exist", async () => {
    expect(await get("/v1/streams/channels/records/silent?connection_id=chat_home")).not.toHaveProperty("related");
    expect(await get("/v1/streams/messages/records/lost?connection_id=chat_home")).not.toHaveProperty("related");
  });

  it("[EVI-40] [FET-2] names nothing when fields were requested", async () => {
    for (const query of ["fields=id", "fields=id&view=document", "fields=id&view=evidence"])
      expect(await get(`${first}&${query}`)).not.toHaveProperty("related");
    expect(await get("/v1/streams/messages/records/h01?connection_id=chat_home&view=short")).not.toHaveProperty(
      "related",
    );
  });

  it("[EVI-40] [AUT-4] counts only what the grant shows, and names no stream or key outside it", async () => {
    const narrow = await issueGrant(
      { name: "channels" },
      { name: "messages", time_range: { since: "2026-05-01T10:10:00Z" } },
    );
    const [link] = await listLinks(general, narrow);
    const [all] = await listLinks(general);
    expect(link!.count).toBeLessThan(all!.count);
    expect(await getCount(link!.read.url, narrow)).toBe(link!.count);
    const named = await issueGrant({ name: "channels" }, { name: "messages", resources: ["h02", "w02"] });
    expect((await listLinks(general, named)).map(({ count }) => count)).toEqual([1]);
    expect(await listLinks(general, await issueGrant({ name: "channels" }))).toEqual([]);
    const keyless = await issueGrant({ name: "channels" }, { name: "messages", fields: ["id", "text"] });
    expect(await listLinks(general, keyless)).toEqual([]);
    expect(await listLinks(first, keyless)).toEqual([]);
    const other = await issueGrant({ name: "channels", resources: ["general"] }, { name: "messages" });
    expect(await listLinks(first, other)).toEqual([]);
  });

  it("[EVI-40] counts up to ten thousand", async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => buildMessage(`m${i}`, 60, { channel_id: "silent" }));
    for (let i = 0; i < many.length; i += 1000)
      await putRecords(vault, "chat_home", "messages", many.slice(i, i + 1000));
    const [link] = await listLinks("/v1/streams/channels/records/silent?connection_id=chat_home");
    expect([link!.count, link!.has_more]).toEqual([10_000, true]);
  });
});
