import { type OperationName, operations } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseManifest } from "#contract/manifest/manifest";
import { locationManifest } from "#importers/locations/manifest";
import { claimDueSources } from "#server/owner/schedule/due-sources";

const owntracks = {
  _type: "location",
  tst: 1_793_527_200,
  lat: 48.1351,
  lon: 11.582,
  acc: 12,
  alt: 520,
  vel: 3,
  batt: 80,
  tid: "ad",
  topic: "owntracks/ada/pixel",
  motionactivities: ["walking"],
};
const feature = (minute: number, more = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [11.6, 48.2] },
  properties: {
    timestamp: `2026-11-01T11:${String(minute).padStart(2, "0")}:00+0100`,
    altitude: 500,
    horizontal_accuracy: 5,
    motion: ["driving"],
    device_id: "iphone",
    ...more,
  },
});

describe.each(surfaceEngines)("a push source, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let owner: OwnerApi;
  let phone: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    await owner.connectors.register(parseManifest(locationManifest));
    for (const id of ["phone", "curl"]) await owner.connections.add({ connector_key: "location", connection_id: id });
    ({ token: phone } = await addSource("phone", "location"));
  });
  afterAll(() => vault.drop());

  async function addSource(id: string, accepts: string): Promise<{ readonly token: string }> {
    const issued = await owner.tokens.create({ name: `push ${id}`, may: ["push"], connection_ids: [id] });
    const settings = { accepts, token_id: issued.token_id };
    await owner.sources.add({ source_id: id, kind: "push", connection_id: id, settings });
    return issued;
  }
  const send = async (body: unknown, path = "/v1/push/phone", token: string | null = phone, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await world.call(token, path, { method: "POST", body: text, headers });
    return { status: response.status, answer: (await response.json()) as unknown };
  };
  const listData = async (connection: string, stream: string): Promise<Record<string, unknown>[]> => {
    const found: Record<string, unknown>[] = [];
    for await (const { data } of (await owner.reader()).export({ connection_id: connection, stream })) found.push(data);
    return found;
  };
  const listPoints = () => listData("phone", "points");

  it("[COL-40] reads JSON that curl labels a form", async () => {
    const { token } = await addSource("curl", "location");
    const formType = { "content-type": "application/x-www-form-urlencoded" };
    const one = { lat: 48.3, lon: 11.7, time: "2026-11-01T12:00:00Z" };
    expect(await send(one, "/v1/push/curl", token, formType)).toMatchObject({
      status: 200,
      answer: { records_accepted: 1, records_rejected: 0 },
    });
  });

  it("[COL-40] stores locations of OwnTracks, Overland and GPSLogger as points, once, and answers what each expects", async () => {
    const added = await owner.sources.get("phone");
    expect(added.last_success_at).toBeUndefined();
    expect(added.next_run).toBeUndefined();
    expect(await send(owntracks)).toEqual({ status: 200, answer: [] });
    expect(await send(owntracks)).toEqual({ status: 200, answer: [] });
    expect(await listPoints()).toEqual([
      {
        id: expect.stringMatching(/^h1_/),
        at: "2026-11-01T10:00:00.000Z",
        latitude: 48.1351,
        longitude: 11.582,
        accuracy_m: 12,
        altitude_m: 520,
        source: "owntracks",
        activity: "WALKING",
        device: "pixel",
      },
    ]);
    expect((await owner.sources.get("phone")).last_success_at).toBe("2026-06-01T12:00:00.000Z");
    // Other messages of the app are taken and ignored, else it would send them for ever.
    expect(await send({ _type: "status", iOS: {} })).toEqual({ status: 200, answer: [] });
    expect(await send({ _type: "encrypted", data: "x" })).toMatchObject({
      status: 400,
      answer: { error: { message: expect.stringContaining("encryption key") } },
    });
    expect(
      await send({ locations: [feature(0), feature(1), feature(2, { timestamp: "never" })], current: {} }),
    ).toEqual({
      status: 200,
      answer: { result: "ok" },
    });
    expect(await listPoints()).toHaveLength(3);
    expect(await send({ locations: [] })).toEqual({ status: 200, answer: { result: "ok" } });
    const form = "lat=48.3&lon=11.7&time=2026-11-01T12:00:00Z&acc=7.5&alt=&sat=9&desc=x";
    const formType = { "content-type": "application/x-www-form-urlencoded" };
    expect(await send(form, "/v1/push/phone", phone, formType)).toMatchObject({
      status: 200,
      answer: { object: "push", records_accepted: 1, records_unchanged: 0, records_rejected: 0 },
    });
    const query = "/v1/push/phone?lat=48.3&lon=11.7&time=2026-11-01T12:00:00Z&acc=7.5";
    expect(await send("", query)).toMatchObject({ answer: { records_accepted: 1, records_unchanged: 1 } });
    expect(
      await send([
        { lat: 1, lon: 2, time: 1_793_527_200 },
        { lat: 1, lon: 2, time: 1_793_527_201_000 },
      ]),
    ).toMatchObject({
      answer: { records_accepted: 2 },
    });
    const points = await listPoints();
    expect(points).toHaveLength(6);
    expect(points.map(({ source }) => source).sort()).toEqual([
      "form",
      "form",
      "form",
      "overland",
      "overland",
      "owntracks",
    ]);
    expect(points.find(({ at }) => at === "2026-11-01T10:01:00.000Z")).toMatchObject({
      activity: "DRIVING",
      device: "iphone",
    });
  });

  it("[COL-40] says what is wrong with a location, and stores nothing of it", async () => {
    const before = await listPoints();
    const refuse = async (body: unknown, message: string) =>
      expect(await send(body)).toMatchObject({
        status: 400,
        answer: { error: { message: expect.stringContaining(message) } },
      });
    await refuse({ lat: 91, lon: 2, time: 1 }, "within 90");
    await refuse({ lat: "x", lon: 2, time: 1 }, "must be numbers");
    await refuse({ lat: 1, lon: 2 }, "time is missing");
    await refuse({ hello: 1 }, "expected a location");
    await refuse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "expected a location");
    await refuse("{", "not JSON");
    expect(await send("", "/v1/push/phone?lat=1&lon=2&time=1&speed=3")).toMatchObject({ status: 400 });
    expect(await listPoints()).toEqual(before);
  });

  it("[COL-41] stores records of any connector: one object, a list or lines, and each once", async () => {
    const { token } = await addSource("chat_home", "records");
    const push = (body: unknown) => send(body, "/v1/push/chat_home", token);
    const message = (id: string | undefined, text: string) => ({
      stream: "channels",
      data: { ...(id !== undefined && { id }), title: text },
    });
    const before = (await listData("chat_home", "channels")).length;
    expect(await push(JSON.stringify(message("p1", "one"), null, 2))).toMatchObject({
      status: 200,
      answer: { records_accepted: 1, records_rejected: 0 },
    });
    expect(await push([message("p2", "two"), message(undefined, "no id")])).toMatchObject({
      answer: { records_accepted: 2 },
    });
    expect(await push(message(undefined, "no id"))).toMatchObject({
      answer: { records_accepted: 1, records_unchanged: 1 },
    });
    const lines = [
      message("p3", "three"),
      { stream: "nothing", data: {} },
      { stream: "channels", data: { id: "x" }, op: "delete" },
    ];
    expect(await push(`${lines.map((line) => JSON.stringify(line)).join("\n")}\nnot json\n`)).toMatchObject({
      status: 200,
      answer: {
        records_accepted: 1,
        records_rejected: 3,
        rejections: [
          { input_index: 1, code: "not_found", reason: expect.stringContaining("streams: ") },
          { input_index: 2, code: "invalid_record" },
          { input_index: 3, code: "invalid_record" },
        ],
      },
    });
    expect(await push('{"stream":"channels","data":{"id":"big","title":"x","n":12345678901234567891}}')).toMatchObject({
      status: 400,
      answer: { error: { message: expect.stringContaining("nothing was stored") } },
    });
    expect(await push('{"stream":"channels","data":{"title":"x","n":12345678901234567891}}')).toMatchObject({
      status: 400,
    });
    expect(await push('[{"stream":"channels","data":{"id":"big","n":12345678901234567891}}]')).toMatchObject({
      status: 400,
    });
    const deep = `[{"stream":"channels","data":{"id":"deep","n":${"[".repeat(50_000)}${"]".repeat(50_000)}}}]`;
    expect(await push(deep)).toMatchObject({ status: 400 });
    expect(await push("")).toMatchObject({ status: 400 });
    expect(await listData("chat_home", "channels")).toHaveLength(before + 4);
  });

  it("[COL-42] has a token that can send to its connection, and do nothing else anywhere", async () => {
    const paths: { readonly [N in OperationName]?: string } = {
      push: "/v1/push/chat_work",
      readBlob: "/v1/blobs/blob_sha256_0",
      stream: "/v1/streams/points",
      queryRecords: "/v1/streams/points/records",
      fetch: "/v1/streams/points/records/x",
      aggregate: "/v1/streams/points/aggregate?metric=count",
      search: "/v1/search?q=x",
      readField: "/v1/streams/points/records/x/field-window?field=id",
      ingest: "/v1/ingest/points?connection_id=phone",
      putBlob: "/v1/blobs?connection_id=phone",
      deleteRecord: "/v1/streams/points/records/x?connection_id=phone",
      deleteRecords: "/v1/streams/points/records?connection_id=phone",
    };
    for (const { name, method, path } of Object.values(operations)) {
      const init = { method, ...(method === "POST" && { body: JSON.stringify(owntracks) }) };
      const response = await world.call(phone, paths[name] ?? path, init);
      expect([name, response.status]).toEqual([name, name === "push" ? 404 : 403]);
    }
    const mcp = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
    expect((await world.call(phone, "/mcp", mcp)).status).toBe(403);
    const asked = { method: "POST", body: new URLSearchParams({ token: world.ownerToken }) };
    const introspected = await world.call(phone, "/oauth/introspect", asked);
    expect(await introspected.text()).not.toContain('"active":true');
    for (const path of ["/", "/data", "/settings", "/export", "/agents"])
      expect(await (await world.call(phone, path)).text()).not.toContain("phone");

    // Apps on phones know only a name and a password. Other routes take none.
    const basic = (token: string) => `Basic ${Buffer.from(`ada:${token}`).toString("base64")}`;
    const { status } = await send(owntracks, "/v1/push/phone", null, { authorization: basic(phone) });
    expect(status).toBe(200);
    const wrong = await send(owntracks, "/v1/push/phone", null, { authorization: basic("wrong") });
    expect(wrong.status).toBe(401);
    const streams = await world.call(null, "/v1/streams", { headers: { authorization: basic(world.ownerToken) } });
    expect(streams.status).toBe(401);
    // A token for one source does not reach another one's connection, and a reading token sends nothing.
    expect((await send(owntracks, "/v1/push/chat_home")).status).toBe(404);
    const { token: reading } = await owner.tokens.create({ name: "reader", may: ["read", "ingest", "manage"] });
    expect((await send(owntracks, "/v1/push/phone", reading)).status).toBe(403);
  });

  it("[COL-44] is never due: there is nothing to collect", async () => {
    const year = 366 * 86_400_000;
    expect(await claimDueSources(vault.store, now + year, 10)).toEqual([]);
  });

  it("[COL-43] limits what is sent, refuses while paused, logs each push, and ends with its source", async () => {
    expect((await send(" ".repeat(1024 * 1024 + 1))).status).toBe(413);
    expect(await send(owntracks, "/v1/push/chat_work", world.ownerToken)).toMatchObject({
      status: 404,
      answer: { error: { message: expect.stringContaining("no push source") } },
    });
    await owner.sources.setPaused("phone", true);
    expect(await send(owntracks)).toMatchObject({
      status: 403,
      answer: { error: { message: expect.stringContaining("paused") } },
    });
    await owner.sources.setPaused("phone", false);
    expect((await send(owntracks)).status).toBe(200);
    await vault.store.log.flush();
    const log = await owner.log.read({ limit: 1 });
    expect(log).toMatchObject([{ operation: "push", client: "push phone", status: 200 }]);
    expect(JSON.stringify(log)).not.toContain(phone);
    await owner.sources.remove("phone");
    expect((await send(owntracks)).status).toBe(401);
    expect((await owner.tokens.list()).find(({ name }) => name === "push phone")).toMatchObject({ status: "revoked" });
    expect(await listPoints()).not.toHaveLength(0);
  });
});
