import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { type Input, type OperationName, operations } from "@pdpp/contract/operations";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  chatManifest,
  createSample,
  now,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { locationManifest } from "#importers/locations/manifest";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";

/** An input that is declared but ignored is worse than one that is rejected: a filter that does not filter. */

let vault: TestVault;
let world: Sample;
const places = { records: "", changes: "", search: "", groups: "", blob: "" };

const mailManifest: JsonObject = {
  ...chatManifest,
  connector_id: "https://example.org/connectors/mail",
  connector_key: "mail",
  display_name: "Mail",
};
const home = "connection_id=chat_home";
const point = "lat=48.1&lon=11.5&time=2026-11-01T10:00:00Z";

/** A request without the input and the same request with it. Both succeed, with different answers. */
type Example = readonly [without: string, given: string];
const adds = (path: string, input: string): Example => [path, `${path}${path.includes("?") ? "&" : "?"}${input}`];

/** Every declared input of every operation. The compiler reports a missing one. */
type Examples = { readonly [N in OperationName]: { readonly [K in keyof Required<Input<N>>]: Example } };

const listExamples = (): Examples => {
  const list = `/v1/streams/messages/records?${home}`;
  const record = `/v1/streams/messages/records/long?${home}`;
  const field = `/v1/streams/messages/records/long/field-window?${home}&field=text`;
  const found = "/v1/search?q=message";
  const count = `/v1/streams/messages/aggregate?${home}&metric=count`;
  return {
    schema: {
      view: adds("/v1/schema", "view=compact"),
      detail: adds(`/v1/schema?view=compact&stream=messages&${home}`, "detail=full"),
      stream: adds("/v1/schema", "stream=order_lines"),
      connection_id: adds("/v1/schema", home),
    },
    connectors: {},
    streams: { connection_id: adds("/v1/streams", home) },
    stream: {
      stream: [`/v1/streams/messages?${home}`, `/v1/streams/channels?${home}`],
      connection_id: adds("/v1/streams/messages", home),
    },
    queryRecords: {
      stream: [`/v1/streams/messages/records?${home}`, `/v1/streams/channels/records?${home}`],
      connection_id: adds("/v1/streams/messages/records", home),
      limit: adds(list, "limit=2"),
      cursor: adds(`${list}&limit=2`, `cursor=${places.records}`),
      order: adds(list, "order=asc"),
      sort: adds(list, "sort=sent_at"),
      filter: adds(list, "filter[likes]=3"),
      fields: adds(list, "fields=id,likes"),
      view: adds(list, "view=evidence"),
      fields_view: adds(`${list}&view=evidence`, "fields_view=short"),
      expand: adds(list, "expand=channel"),
      expand_limit: adds(`/v1/streams/channels/records?${home}&expand=messages`, "expand_limit[messages]=1"),
      count: adds(list, "count=exact"),
      window: adds(list, "window=exact"),
      changes_since: adds(list, `changes_since=${places.changes}`),
      max_chars: adds(`${list}&view=evidence`, "max_chars=500"),
    },
    fetch: {
      stream: [`/v1/streams/messages/records/general?${home}`, `/v1/streams/channels/records/general?${home}`],
      record_id: [record, `/v1/streams/messages/records/h01?${home}`],
      connection_id: adds("/v1/streams/messages/records/h01", home),
      fields: adds(record, "fields=id,likes"),
      view: adds(record, "view=document"),
      limit_chars: adds(`${record}&view=document`, "limit_chars=100"),
      max_chars: adds(`/v1/streams/messages/records/long?${home}&view=document`, "max_chars=500"),
      after_field: adds(`${record}&view=document`, "after_field=text"),
      versions: adds(record, "versions=2"),
      expand: adds(`/v1/streams/channels/records/general?${home}`, "expand=messages"),
      expand_limit: adds(`/v1/streams/channels/records/general?${home}&expand=messages`, "expand_limit[messages]=1"),
    },
    aggregate: {
      stream: [count, "/v1/streams/order_lines/aggregate?metric=count"],
      connection_id: adds("/v1/streams/messages/aggregate?metric=count", home),
      metric: [`${count}`, `/v1/streams/messages/aggregate?${home}&metric=count_distinct&field=channel_id`],
      field: adds(`/v1/streams/messages/aggregate?${home}&metric=sum`, "field=likes"),
      group_by: adds(count, "group_by=channel_id"),
      group_by_time: adds(`${count}&granularity=day`, "group_by_time=sent_at"),
      granularity: adds(`${count}&group_by_time=sent_at`, "granularity=hour"),
      time_zone: adds(`${count}&group_by_time=sent_at&granularity=day`, "time_zone=Asia/Tokyo"),
      limit: adds(`${count}&group_by=channel_id`, "limit=1"),
      cursor: adds(`${count}&group_by=channel_id&limit=1`, `cursor=${places.groups}`),
      filter: adds(count, "filter[likes]=3"),
      max_chars: adds(`${count}&group_by=channel_id`, "max_chars=1"),
    },
    search: {
      q: [found, "/v1/search?q=h01"],
      streams: adds("/v1/search?q=general", "streams=channels"),
      connection_id: adds(found, home),
      filter: adds(`${found}&streams=messages&${home}`, "filter[likes]=3"),
      since: adds(found, "since=2026-05-01T10:10:00Z"),
      until: adds(found, "until=2026-05-01T10:10:00Z"),
      time: adds("/v1/search?q=general%202026-05-01", "time=words"),
      view: adds(found, "view=evidence"),
      collapse: adds("/v1/search?q=general", "collapse=similar"),
      spread: adds(found, "spread=day"),
      max_chars: adds(found, "max_chars=500"),
      limit: adds(found, "limit=2"),
      cursor: adds(`${found}&limit=2`, `cursor=${places.search}`),
    },
    readField: {
      stream: [
        `/v1/streams/messages/records/general/field-window?${home}&field=id`,
        `/v1/streams/channels/records/general/field-window?${home}&field=id`,
      ],
      record_id: [field, `/v1/streams/messages/records/h01/field-window?${home}&field=text`],
      connection_id: adds("/v1/streams/messages/records/h01/field-window?field=text", home),
      field: [field, `/v1/streams/messages/records/long/field-window?${home}&field=id`],
      offset_chars: adds(field, "offset_chars=10"),
      end_chars: adds(field, "end_chars=10"),
      max_chars: adds(field, "max_chars=10"),
      limit_chars: adds(field, "limit_chars=10"),
      q: adds(field, "q=needle"),
      before_chars: adds(`${field}&q=needle`, "before_chars=3"),
      after_chars: adds(`${field}&q=needle`, "after_chars=3"),
      cursor: adds(field, "cursor=20"),
      version: adds(field, "version=1"),
    },
    readBlob: {
      blob_id: ["/v1/blobs/blob_sha256_0", `/v1/blobs/${places.blob}?${home}`],
      connection_id: adds(`/v1/blobs/${places.blob}`, home),
    },
    export: {
      stream: adds("/v1/export", "stream=channels"),
      connection_id: adds("/v1/export", home),
      after: adds("/v1/export", "after=chat_home/messages:h01"),
    },
    ingest: {
      stream: [`/v1/ingest/channels?${home}`, `/v1/ingest/messages?${home}`],
      connection_id: adds("/v1/ingest/messages?connector_id=chat", home),
      connector_id: adds("/v1/ingest/messages", "connector_id=mail"),
      run_id: adds(`/v1/ingest/messages?${home}`, "run_id=run-7"),
    },
    push: {
      connection_id: [`/v1/push/nowhere?${point}`, `/v1/push/phone?${point}`],
      lat: adds("/v1/push/phone?lon=11.5&time=2026-11-01T10:00:00Z", "lat=48.1"),
      lon: adds("/v1/push/phone?lat=48.1&time=2026-11-01T10:00:00Z", "lon=11.5"),
      time: adds("/v1/push/phone?lat=48.1&lon=11.5", "time=2026-11-01T10:00:00Z"),
      // Each repeats the request before, which changes nothing, and then changes the record.
      acc: adds(`/v1/push/phone?${point}`, "acc=5"),
      alt: adds(`/v1/push/phone?${point}&acc=5`, "alt=500"),
      act: adds(`/v1/push/phone?${point}&acc=5&alt=500`, "act=WALKING"),
      device: adds(`/v1/push/phone?${point}&acc=5&alt=500&act=WALKING`, "device=phone"),
    },
    putBlob: {
      mime_type: adds("/v1/blobs", "mime_type=text/plain"),
      connection_id: adds("/v1/blobs", home),
      connector_id: adds("/v1/blobs", "connector_id=mail"),
      stream: adds("/v1/blobs", "stream=messages"),
      record_key: adds("/v1/blobs?stream=messages", "record_key=h01"),
      json_path: adds("/v1/blobs?stream=messages", "json_path=blob_ref"),
    },
    deleteRecord: {
      stream: [`/v1/streams/channels/records/h01?${home}`, `/v1/streams/messages/records/h01?${home}`],
      record_id: [`/v1/streams/messages/records/none?${home}`, `/v1/streams/messages/records/h02?${home}`],
      connection_id: adds("/v1/streams/messages/records/h03", home),
      connector_id: adds("/v1/streams/messages/records/m00", "connector_id=mail"),
    },
    deleteRecords: {
      stream: [`/v1/streams/nothing/records?${home}`, `/v1/streams/messages/records?${home}`],
      connection_id: adds("/v1/streams/messages/records", "connection_id=chat_work"),
      connector_id: adds("/v1/streams/messages/records", "connector_id=mail"),
    },
  };
};

beforeAll(async () => {
  vault = await createVault("sqlite");
  world = await createSample(vault);
  await vault.store.register(parseManifest(mailManifest), now);
  await addConnection(vault.store, 1, { connectorKey: "mail", id: "mail_1" }, now);
  await vault.store.register(parseManifest(locationManifest), now);
  await addConnection(vault.store, 1, { connectorKey: "location", id: "phone" }, now);
  const { sources } = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
  await sources.add({ source_id: "phone", kind: "push", connection_id: "phone", settings: { accepts: "location" } });
  await putRecords(vault, "mail_1", "messages", [buildMessage("m00", 0), buildMessage("m01", 1)]);
  const stored = await world.call(world.ownerToken, "/v1/blobs", { method: "POST", body: "bytes" });
  const ref = (await stored.json()) as { blob_id: string };
  const long = { text: `${"hay ".repeat(400)}needle${" hay".repeat(400)}`, blob_ref: ref };
  await putRecords(vault, "chat_home", "messages", [buildMessage("long", 40, long)]);
  await putRecords(vault, "chat_home", "messages", [buildMessage("long", 40, { ...long, likes: 41 })]);
  await putRecords(vault, "chat_work", "messages", [buildMessage("pic", 41, { blob_ref: ref })]);
  const getCursor = async (path: string, key = "next_cursor") => {
    const answer = await world.json<Record<string, string>>(world.ownerToken, path);
    return encodeURIComponent(answer[key] ?? expect.fail(`${path} answers without ${key}`));
  };
  Object.assign(places, {
    blob: ref.blob_id,
    records: await getCursor(`/v1/streams/messages/records?${home}&limit=2`),
    changes: await getCursor(
      `/v1/streams/messages/records?${home}&limit=100&changes_since=beginning`,
      "next_changes_since",
    ),
    search: await getCursor("/v1/search?q=message&limit=2"),
    groups: await getCursor(`/v1/streams/messages/aggregate?${home}&metric=count&group_by=channel_id&limit=1`),
  });
});
afterAll(() => vault.drop());

async function readOutcome(operation: OperationName, path: string): Promise<{ status: number; text: string }> {
  const { method } = operations[operation];
  const body = method === "POST" ? { body: `${JSON.stringify(buildMessage("sent", 1))}\n` } : {};
  const response = await world.call(world.ownerToken, path, { method, ...body });
  return { status: response.status, text: (await response.text()).replace(/"request_id":"[^"]*"/, "") };
}

const names = Object.keys(operations) as OperationName[];

describe("[AUT-8] every declared input", () => {
  it.each(names)("is used by %s", async (name) => {
    const ignored: string[] = [];
    for (const [input, [without, given]] of Object.entries<Example>(listExamples()[name])) {
      const before = await readOutcome(name, without);
      const after = await readOutcome(name, given);
      expect([input, after.status, after.text]).toEqual([input, expect.toSatisfy((s) => s < 300), after.text]);
      if (JSON.stringify(before) === JSON.stringify(after)) ignored.push(input);
    }
    expect(ignored).toEqual([]);
  });
});

describe("numeric parameters", () => {
  const numeric = names.flatMap((name) => {
    const { properties = {} } = z.toJSONSchema(operations[name].input, { io: "input", unrepresentable: "any" });
    return Object.entries(properties).flatMap(([param, schema]) => {
      const { type, additionalProperties: items } = Object(schema);
      return [type, Object(items).type].some((each) => ["integer", "number"].includes(each))
        ? [[name, param] as const]
        : [];
    });
  });

  it("includes the known ones", () => {
    expect(numeric.map(([name, param]) => `${name} ${param}`)).toEqual(
      expect.arrayContaining(["queryRecords limit", "queryRecords expand_limit", "aggregate limit", "fetch versions"]),
    );
  });

  it.each(numeric)("[FET-12] rejects a parameter by name when it is not a number: %s %s", async (name, param) => {
    const [, given] = (listExamples()[name] as { readonly [param: string]: Example })[param]!;
    for (const text of ["abc", "", "1e99x", "NaN", "Infinity"]) {
      const path = given.replace(new RegExp(`(${param}(?:\\[\\w+\\])?=)[^&]*`), `$1${text}`);
      const answer = await world.call(world.ownerToken, path, { method: operations[name].method });
      expect([path, answer.status]).toEqual([path, 400]);
      const { error } = (await answer.json()) as { error: { message: string; param: string } };
      expect(error.param.startsWith(param)).toBe(true);
      expect(error.message).toMatch(
        new RegExp(`^${param}.* must be a (whole )?number.*, not ${JSON.stringify(text)}$`),
      );
    }
  });
});

describe.each(surfaceEngines)("deletions by the owner on %s", (engine) => {
  let own: TestVault;
  let brief: Sample;
  beforeAll(async () => {
    own = await createVault(engine);
    brief = await createSample(own);
    await own.store.register(parseManifest(mailManifest), now);
  });
  afterAll(() => own.drop());

  const remove = (path: string) => brief.call(brief.ownerToken, path, { method: "DELETE" });
  const readStatus = async (connection: string) =>
    (await brief.call(brief.ownerToken, `/v1/streams/messages/records/same?connection_id=${connection}`)).status;

  it("[AUT-8] deletes from the connector that the request names, and no other", async () => {
    await putRecords(own, "chat_home", "messages", [buildMessage("same", 1)]);
    expect((await remove("/v1/streams/order_lines/records?connector_id=chat")).status).toBe(404);
    const { data } = await brief.json<{ data: unknown[] }>(brief.ownerToken, "/v1/streams/order_lines/records");
    expect(data).toHaveLength(3);
    const unconnected = await remove(`/v1/streams/messages/records/same?${home}&connector_id=mail`);
    expect([unconnected.status, await readStatus("chat_home")]).toEqual([404, 200]);

    await addConnection(own.store, 1, { connectorKey: "mail", id: "mail_1" }, now);
    await putRecords(own, "mail_1", "messages", [buildMessage("same", 1)]);
    expect((await remove("/v1/streams/messages/records/same")).status).toBe(409);
    expect((await remove("/v1/streams/messages/records/same?connector_id=mail")).status).toBe(204);
    expect([await readStatus("mail_1"), await readStatus("chat_home")]).toEqual([404, 200]);
    const byUri = encodeURIComponent("https://example.org/connectors/mail");
    expect((await remove(`/v1/streams/messages/records?connector_id=${byUri}`)).status).toBe(204);
    expect(await readStatus("chat_home")).toBe(200);
  });
});
