import { createHash } from "node:crypto";
import { createClient } from "@pdpp/contract/client";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  createSample,
  everything,
  now,
  origin,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, removeConnection } from "#server/owner/connections";
import { readAccessLog } from "#server/store/access/log/access-log";

describe.each(surfaceEngines)("blobs, exports and the log on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 31 + (i >> 8)) & 255));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const blobId = `blob_sha256_${sha256}`;

  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    token = await world.grant(everything);
    const stored = await world.call(world.ownerToken, "/v1/blobs?mime_type=image/png", { method: "POST", body: bytes });
    expect(await stored.json()).toEqual({
      object: "blob",
      blob_id: blobId,
      mime_type: "image/png",
      size_bytes: bytes.length,
      sha256,
    });
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("pic", 50, {
        blob_ref: { blob_id: blobId, mime_type: "image/png", size_bytes: bytes.length, sha256 },
      }),
    ]);
  });
  afterAll(() => vault.drop());

  const fetchBlob = (as: string, query = "", headers: Record<string, string> = {}, method = "GET") =>
    world.call(as, `/v1/blobs/${blobId}${query}`, { headers, method });

  it("[BIG-3] serves bytes only through a visible record, complete or in ranges", async () => {
    const record: { data: { blob_ref: { fetch_url: string } } } = await world.json(
      token,
      "/v1/streams/messages/records/pic?connection_id=chat_home",
    );
    const whole = await world.call(token, record.data.blob_ref.fetch_url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(bytes.length),
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "accept-ranges": "bytes",
    });
    expect(whole.headers.get("content-disposition")).toBeNull();
    const head = await fetchBlob(token, "", {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), (await head.arrayBuffer()).byteLength]).toEqual([
      200,
      String(bytes.length),
      0,
    ]);
    for (const [range, first, last] of [
      ["bytes=0-0", 0, 0],
      ["bytes=262143-262144", 262143, 262144],
      ["bytes=524288-", 524288, bytes.length - 1],
      ["bytes=-10", bytes.length - 10, bytes.length - 1],
      ["bytes=100-99999999", 100, bytes.length - 1],
      ["bytes=-99999999", 0, bytes.length - 1],
    ] as const) {
      const part = await fetchBlob(token, "", { range });
      expect([range, part.status, part.headers.get("content-range")]).toEqual([
        range,
        206,
        `bytes ${first}-${last}/${bytes.length}`,
      ]);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(first, last + 1))).toBe(true);
    }
    expect((await fetchBlob(token, "", { range: "bytes=900000-" })).status).toBe(416);
    for (const range of ["pages=1-2", "bytes=5-3", "bytes=-", "bytes=0-1,4-5"])
      expect([range, (await fetchBlob(token, "", { range })).status]).toEqual([range, 200]);
  });

  it("[BIG-3] serves bytes in no other way", async () => {
    const withoutField = await world.grant({
      client: { name: "a" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] }],
    });
    const withoutTime = await world.grant({
      client: { name: "b" },
      sources: [
        { connector_key: "chat", streams: [{ name: "messages", time_range: { until: "2026-05-01T10:30:00Z" } }] },
      ],
    });
    const withoutRecord = await world.grant({
      client: { name: "c" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", resources: ["h01"] }] }],
    });
    const withoutConnection = await world.grant({
      client: { name: "d" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", connection_ids: ["chat_work"] }] }],
    });
    for (const poor of [withoutField, withoutTime, withoutRecord, withoutConnection])
      expect((await fetchBlob(poor)).status).toBe(404);
    expect((await world.call(token, "/v1/blobs/blob_sha256_..%2F..%2Fvault.db")).status).toBe(404);
    expect((await world.call(token, `/v1/blobs/blob_sha256_${"0".repeat(64)}`)).status).toBe(404);
  });

  it("[AMB-1] asks which connection when a blob is in two, and serves unsafe types as downloads", async () => {
    const page = Buffer.from("<script>alert(1)</script>");
    const stored = await world.call(world.ownerToken, "/v1/blobs?mime_type=text/html", { method: "POST", body: page });
    const ref = (await stored.json()) as { blob_id: string };
    for (const connection of ["chat_home", "chat_work"])
      await putRecords(vault, connection, "messages", [buildMessage("html", 51, { blob_ref: ref as never })]);
    expect((await world.call(token, `/v1/blobs/${ref.blob_id}`)).status).toBe(409);
    const narrowed = await world.call(token, `/v1/blobs/${ref.blob_id}?connection_id=chat_work`);
    expect([narrowed.status, narrowed.headers.get("content-disposition")]).toEqual([200, "attachment"]);
    expect(narrowed.headers.get("content-security-policy")).toContain("sandbox");
    await putRecords(vault, "chat_work", "messages", [{ key: "html", op: "delete" }]);
    expect((await world.call(token, `/v1/blobs/${ref.blob_id}`)).status).toBe(200);
  });

  it("deletes bytes with their last record and never reuses a removed connection's id", async () => {
    const own = await createVault(engine);
    try {
      const brief = await createSample(own);
      const client = await brief.grant(everything);
      const ref = (await (
        await brief.call(brief.ownerToken, "/v1/blobs", { method: "POST", body: "some bytes" })
      ).json()) as { blob_id: string };
      await putRecords(own, "chat_work", "messages", [buildMessage("pic", 1, { blob_ref: ref as never })]);
      const readBlob = () => brief.call(client, `/v1/blobs/${ref.blob_id}`);
      expect((await readBlob()).status).toBe(200);
      const later = now + 2 * 3_600_000;
      await removeConnection(own.store, 1, "chat_work", later);
      expect((await readBlob()).status).toBe(404);
      await expect(new Response(own.store.blobs.read(1, ref.blob_id, 0, 3)).text()).rejects.toThrow();
      await expect(addConnection(own.store, 1, { connectorKey: "chat", id: "chat_work" }, later)).rejects.toMatchObject(
        { code: "connection_exists" },
      );
      expect((await brief.call(client, "/v1/streams?connection_id=chat_work")).status).toBe(404);
    } finally {
      await own.drop();
    }
  });

  it("[BIG-5] exports every record once, and resumes after any of them", async () => {
    const client = createClient({
      url: origin,
      token,
      fetch: (url, init) => world.call(null, String(url), init as RequestInit),
    });
    const handles: string[] = [];
    for await (const { connection_id, stream, id } of client.export({}))
      handles.push(`${connection_id}/${stream}:${id}`);
    expect(new Set(handles).size).toBe(handles.length);
    const streams: { data: { record_count: number }[] } = await world.json(token, "/v1/streams");
    expect(handles.length).toBe(streams.data.reduce((sum, { record_count }) => sum + record_count, 0));
    for (const at of [0, 1, 20, handles.length - 1]) {
      const rest: string[] = [];
      for await (const { connection_id, stream, id } of client.export({ after: handles[at]! }))
        rest.push(`${connection_id}/${stream}:${id}`);
      expect(rest).toEqual(handles.slice(at + 1));
    }
    await expect(client.export({ after: "nowhere" })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "invalid_cursor",
    });
    expect((await world.call(token, "/v1/export?stream=order_lines")).status).toBe(403);
  });

  it("[EVI-7] logs every authorized read with what it returned, but never the data", async () => {
    const own = await world.grant({ client: { name: "logged" }, sources: everything.sources });
    await (
      await world.call(own, "/v1/streams/messages/records?limit=3", { headers: { "request-id": "log-1" } })
    ).text();
    await (
      await world.call(own, "/v1/streams/messages/records/h01?connection_id=chat_home", {
        headers: { "request-id": "log-2" },
      })
    ).text();
    await (await world.call(own, "/v1/streams/messages/records/h01", { headers: { "request-id": "log-3" } })).text();
    await (await fetchBlob(own, "", { "request-id": "log-4" })).arrayBuffer();
    await (await world.call(own, "/v1/export?stream=channels", { headers: { "request-id": "log-5" } })).text();
    await vault.store.log.flush();
    const entries = await vault.store.engine.read((on) => readAccessLog(on, 1, { limit: 100 }));
    const mine = entries.filter(({ client }) => client === "logged");
    expect(mine.map((e) => [e.requestId, e.operation, e.stream, e.status, e.records, e.connectionIds.join()])).toEqual([
      ["log-1", "queryRecords", "messages", 200, 3, "chat_home"],
      ["log-2", "fetch", "messages", 200, 1, "chat_home"],
      ["log-3", "fetch", "messages", 409, 0, ""],
      ["log-4", "readBlob", "messages", 200, 0, "chat_home"],
      ["log-5", "export", "channels", 200, 2, "chat_home"],
    ]);
    expect(mine[3]!.bytes).toBe(bytes.length);
    expect(JSON.stringify(mine)).not.toContain("CANARY");
    expect(new Set(mine.flatMap(({ grantIds }) => grantIds)).size).toBe(1);
  });

  it("ingests over HTTP, reports each bad line, keeps the rest and changes nothing when repeated", async () => {
    const buildLine = (id: string) => JSON.stringify(buildMessage(id, 60));
    const lines = [
      buildLine("i1"),
      "",
      "{not json",
      buildLine("i2"),
      '{"data":[]}',
      '{"key":"x","data":{"id":"y","sent_at":"2026-01-01T00:00:00Z"}}',
      '{"data":{"id":"i3"}}',
      '{"data":{"id":"i4","sent_at":"yesterday"}}',
      '{"data":{"id":"i5\\u0000","sent_at":"2026-01-01T00:00:00Z"}}',
      '{"data":{"id":"i6","sent_at":"2026-01-01T00:00:00Z","likes":12345678901234567891}}',
    ];
    const send = () =>
      world.call(world.ownerToken, "/v1/ingest/messages?connection_id=chat_work", {
        method: "POST",
        body: Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), Buffer.from([0xff, 0xfe, 10])]),
      });
    const report = (await (await send()).json()) as {
      records_accepted: number;
      records_rejected: number;
      rejections: { line: number; code: string }[];
    };
    expect([report.records_accepted, report.records_rejected]).toEqual([2, 8]);
    expect(report.rejections.map(({ line, code }) => [line, code])).toEqual([
      [3, "malformed_ndjson"],
      [5, "invalid_record"],
      [6, "invalid_record_identity"],
      [7, "schema_violation"],
      [8, "schema_violation"],
      [9, "invalid_text"],
      [10, "number_not_exact"],
      [11, "invalid_utf8"],
    ]);
    expect(await (await send()).json()).toMatchObject({ records_accepted: 2, records_unchanged: 2 });
  });

  it("[AUT-12] rejects a line that names a different stream or connection than its target", async () => {
    const formatLine = (more: object) => JSON.stringify({ ...buildMessage("placed", 61), ...more });
    const lines = [
      formatLine({ stream: "channels" }),
      formatLine({ connection_id: "chat_home" }),
      formatLine({ connector_instance_id: "chat_home" }),
      formatLine({ stream: 7 }),
      formatLine({ stream: "messages", connection_id: "chat_work", connector_instance_id: "chat_work" }),
    ];
    const path = "/v1/ingest/messages?connection_id=chat_work";
    const sent = await world.call(world.ownerToken, path, { method: "POST", body: lines.join("\n") });
    const report = (await sent.json()) as { records_accepted: number; rejections: { code: string; reason: string }[] };
    expect([report.records_accepted, report.rejections.map(({ code }) => code)]).toEqual([
      1,
      ["invalid_record", "invalid_record", "invalid_record", "invalid_record"],
    ]);
    expect(report.rejections[0]?.reason).toContain('"channels"');
    expect(report.rejections[1]?.reason).toContain('"chat_work"');
  });

  it("rejects an ingest without a target", async () => {
    const missing = await world.call(world.ownerToken, "/v1/ingest/nope?connection_id=chat_work", {
      method: "POST",
      body: "{}",
    });
    expect(missing.status).toBe(404);
    const nowhere = await world.call(world.ownerToken, "/v1/ingest/messages", { method: "POST", body: "{}" });
    expect(nowhere.status).toBe(400);
    const several = await world.call(world.ownerToken, "/v1/ingest/messages?connector_id=chat", {
      method: "POST",
      body: "{}",
    });
    expect(several.status).toBe(409);
  });
});
