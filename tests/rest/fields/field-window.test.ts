import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@pdpp/contract/client";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseManifest } from "@pdpp/contract/manifest";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { FieldWindow } from "@pdpp/contract/wire";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";
import type { RewritingTask } from "@pdpp/test-support/processes/rewriting-process";
import type { MemoryReport, MemoryTask } from "@pdpp/test-support/processes/window-memory";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { notesManifest } from "@pdpp/test-support/vaults/notes-manifest";
import { createSample, getRecordData, now, origin, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, removeConnection } from "#server/owner/connections";
import { pruneRecords } from "#server/owner/records";
import { raw } from "#server/store/engine/sql";
import { findIntegrityFaults } from "../../store/integrity.ts";

const locateScript = (name: string): string =>
  fileURLToPath(new URL(`../../support/processes/${name}`, import.meta.url));

type GrantStreamRequest = GrantRequest["sources"][number]["streams"][number];
type Selector = Omit<Input<"readField">, "stream" | "record_id" | "field">;

const awkward = "👩‍👩‍👧‍👦 e\u0301\u0323 🇩🇪🇫🇷 नमस्ते สวัสดี \u200d\r\n العربية 𝄞 ";
const splitCodePoints = (text: string): string[] => Array.from(text);
const longBody = `${"Lorem ipsum dolor. ".repeat(5000)}${awkward.repeat(2000)}the End of it`;

describe.each(surfaceEngines)("field windows on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  let client: ReadApi;

  const issueGrant = (stream: Partial<GrantStreamRequest> = {}): Promise<string> =>
    world.grant({
      client: { name: "reader" },
      sources: [{ connector_key: "notes", streams: [{ name: "notes", ...stream }] }],
    });
  const createClientFor = (as: string): ReadApi =>
    createClient({ url: origin, token: as, fetch: (url, init) => world.call(as, String(url), init as RequestInit) });
  const write = (notes: readonly JsonObject[], at = now) =>
    putRecords(
      vault,
      "notes_1",
      "notes",
      notes.map((data) => ({ data })),
      at,
    );
  const read = (id: string, field: string, selector: Selector = {}, as = client): Promise<FieldWindow> =>
    as.readField({ stream: "notes", record_id: id, field, ...selector });
  const readFault = (id: string, field: string, selector: Selector = {}, as = client) =>
    read(id, field, selector, as).then(
      ({ window }) => ({ code: "none", param: "", message: window.text, status: 200 }),
      ({ code, details, message, status }) => ({ code, param: details.param, message, status }),
    );
  const readRaw = async (query: string, as = token) => {
    const response = await world.call(as, `/v1/streams/notes/records/n1/field-window${query}`);
    const { error } = (await response.json()) as { error?: { code: string; param?: string } };
    return [response.status, error?.code, error?.param];
  };

  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await vault.store.register(parseManifest(notesManifest), now);
    await addConnection(vault.store, 1, { connectorKey: "notes", id: "notes_1", label: "Notebook" }, now);
    token = await issueGrant();
    client = createClientFor(token);
    await write([
      { id: "n1", at: "2026-05-01T10:00:00Z", body: "a short note", count: 3, "a.b": "dotted", secret: "CANARY" },
      {
        id: "n2",
        at: "2026-05-02T10:00:00Z",
        body: longBody,
        count: null,
        tree: { a: [{ "b.c": "first\n" }, { "": "empty key" }], long: [awkward.repeat(4000)], flag: false },
        "a.b": "dotted",
        secret: { inner: "CANARY" },
      },
      { id: "n3", at: null, body: "" },
    ]);
  });
  afterAll(() => vault.drop());

  it("[WIN-1] [WIN-5] [EVI-7] shows a small text at once, with its provenance", async () => {
    const found = await read("n1", "body");
    expect(found).toMatchObject({
      object: "field_window",
      stream: "notes",
      record_id: "n1",
      connector_key: "notes",
      connection_id: "notes_1",
      connector_instance_id: "notes_1",
      display_name: "Notebook",
      record_version: "1",
      event_time: "2026-05-01T10:00:00Z",
      emitted_at: new Date(now).toISOString(),
      field: { path: "body", type: "string" },
      window: {
        text: "a short note",
        start_chars: 0,
        end_chars: 12,
        limit_chars: 4096,
        total_chars: 12,
        complete: true,
        has_more: false,
        next_offset_chars: null,
        previous_offset_chars: null,
        match_start_chars: null,
        match_end_chars: null,
        next_cursor: null,
        previous_cursor: null,
      },
      next: null,
      previous: null,
      links: { self: found.url, next: null, previous: null },
      meta: { warnings: [] },
    });
    expect(found.url).toBe("/v1/streams/notes/records/n1/field-window?field=body");
    expect((await read("n3", "body")).window).toMatchObject({ text: "", total_chars: 0, complete: true });
    const head = await world.call(token, found.url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("[WIN-3] [HND-7] rebuilds a text exactly by walking forwards and backwards", async () => {
    const texts = [
      ["body", longBody],
      ["tree.long[0]", awkward.repeat(4000)],
    ] as const;
    for (const [field, text] of texts) {
      for (const limit of [4096, 16384, 9999]) {
        const windows = [await read("n2", field, { limit_chars: limit })];
        for (let next = windows[0]!.next; next !== null; next = windows.at(-1)!.next) {
          expect([next.operation, next.method]).toEqual(["readField", "GET"]);
          windows.push(await world.json(token, next.url));
        }
        expect(windows.map(({ window }) => window.text).join("")).toBe(text);
        expect(windows.every(({ window }) => window.total_chars === splitCodePoints(text).length)).toBe(true);
        const last = windows.at(-1)!;
        const back = [last];
        for (let previous = last.previous; previous !== null; previous = back[0]!.previous) {
          back.unshift(await world.json(token, previous.url));
        }
        expect(back.map(({ window }) => window.text).join("")).toBe(text);
      }
    }
  });

  it("[WIN-3] rebuilds a text exactly by offsets, and by offsets as cursors", async () => {
    for (const param of ["offset_chars", "cursor"] as const) {
      let rebuilt = "";
      for (let at: number | null = 0; at !== null; ) {
        const { window } = await read("n2", "body", { [param]: String(at), limit_chars: 16384 });
        expect(window.start_chars).toBe(at);
        rebuilt += window.text;
        at = window.next_offset_chars;
      }
      expect(rebuilt).toBe(longBody);
    }
  });

  it("[WIN-2] cuts exactly the requested range, in code points", async () => {
    const all = splitCodePoints(longBody);
    for (const [offset, limit] of [
      [0, 1],
      [94_999, 3],
      [95_000, 200],
      [all.length - 5, 50],
      [8191, 2],
      [8192, 1],
    ] as const) {
      // biome-ignore format: one line
      const { window } = await read("n2", "body", { offset_chars: offset, limit_chars: limit });
      expect(window.text).toBe(all.slice(offset, window.end_chars).join(""));
      expect(window.end_chars - offset).toBeGreaterThan(0);
      expect(window.end_chars - offset).toBeLessThanOrEqual(limit);
    }
    const tail = await read("n2", "body", { offset_chars: all.length - 13 });
    expect(tail.window).toMatchObject({ text: "the End of it", complete: false, has_more: false, next_cursor: null });
    expect(tail.window.previous_offset_chars).toBeGreaterThan(all.length - 13 - 4096 - 1);
    const beyond = await read("n2", "body", { offset_chars: 999999999 });
    expect(beyond.window).toMatchObject({ text: "", start_chars: all.length, end_chars: all.length, has_more: false });
    expect((await read("n1", "body", { offset_chars: 2 })).window).toMatchObject({ previous_offset_chars: 0 });
  });

  it("[WIN-2] [LAD-8] starts at the first match of q, with context around it", async () => {
    const start = splitCodePoints(longBody).length - 13;
    for (const q of ["THE end", "ënd OF", "the end of it"]) {
      const { window } = await read("n2", "body", { q, before_chars: 10, after_chars: 3 });
      const shown = splitCodePoints(longBody).slice(window.match_start_chars!, window.match_end_chars!).join("");
      expect(shown.toLowerCase()).toBe(q.toLowerCase().replace("ë", "e"));
      expect(window.match_start_chars).toBeGreaterThanOrEqual(start);
      expect(window.match_start_chars! - window.start_chars).toBeLessThanOrEqual(10);
      expect(window.end_chars).toBe(Math.min(start + 13, window.match_end_chars! + 3));
    }
    const usual = await read("n2", "body", { q: "DOLOR", limit_chars: 2000 });
    expect(usual.window).toMatchObject({ start_chars: 0, match_start_chars: 12, match_end_chars: 17, end_chars: 1216 });
    expect(usual.window.next_offset_chars).toBe(1216);
    const onward: FieldWindow = await world.json(token, usual.next!.url);
    expect(onward.window).toMatchObject({ start_chars: 1216, limit_chars: 2000 });
    const nested = await read("n2", "tree.long[0]", { q: "नमस्ते" });
    const at = nested.window.match_start_chars!;
    expect(splitCodePoints(awkward).slice(at, nested.window.match_end_chars!).join("")).toBe("नमस्ते");
    expect(await readFault("n2", "body", { q: "nowhere" })).toMatchObject({
      status: 404,
      code: "query_not_found",
      param: "q",
    });
    expect(await readFault("n1", "body", { q: "nowhere" })).toMatchObject({
      status: 404,
      code: "query_not_found",
      param: "q",
    });
  });

  it("[WIN-6] reads nested texts, and any JSON value as text", async () => {
    const readText = async (id: string, field: string) => {
      const found = await read(id, field);
      return [found.field.path, found.field.type, found.window.text];
    };
    expect(await readText("n2", 'tree.a[0]["b.c"]')).toEqual(['tree.a[0]["b.c"]', "string", "first\n"]);
    expect(await readText("n2", '["tree"]["a"][1][""]')).toEqual(['tree.a[1][""]', "string", "empty key"]);
    expect(await readText("n2", "a.b")).toEqual(["a.b", "string", "dotted"]);
    expect(await readText("n2", "tree.a")).toEqual(["tree.a", "array", '[{"b.c":"first\\n"},{"":"empty key"}]']);
    expect(await readText("n2", "tree.flag")).toEqual(["tree.flag", "boolean", "false"]);
    expect(await readText("n2", "count")).toEqual(["count", "null", "null"]);
    expect(await readText("n1", "count")).toEqual(["count", "number", "3"]);
    const { tree } = getRecordData(await client.fetch({ stream: "notes", record_id: "n2" }));
    let rebuilt = "";
    for (let page: FieldWindow | null = await read("n2", "tree", { limit_chars: 16384 }); page !== null; ) {
      rebuilt += page.window.text;
      page = page.next && (await world.json(token, page.next.url));
    }
    expect(JSON.parse(rebuilt)).toEqual(tree);
  });

  it("[WIN-1] lowers a limit that is too high, with a warning", async () => {
    const many = await read("n2", "body", { limit_chars: 16385 });
    expect(many.window).toMatchObject({ limit_chars: 16_384, end_chars: 16_384 });
    expect(many.meta.warnings).toMatchObject([{ code: "limit_clamped", param: "limit_chars" }]);
    expect((await read("n2", "body", { limit_chars: 16384 })).meta.warnings).toEqual([]);
  });

  it("[WIN-2] rejects contradictory parameters by name", async () => {
    for (const [query, param] of [
      ["q=a&offset_chars=0", "offset_chars"],
      ["q=a&cursor=5", "cursor"],
      ["q=", "q"],
      ["before_chars=1", "before_chars"],
      ["offset_chars=1&after_chars=1", "after_chars"],
      ["cursor=1&offset_chars=1", "offset_chars"],
      ["q=a&before_chars=8193", "before_chars"],
      ["q=a&after_chars=8193", "after_chars"],
      ["limit_chars=0", "limit_chars"],
      ["limit_chars=-1", "limit_chars"],
      ["limit_chars=1.5", "limit_chars"],
      ["offset_chars=x", "offset_chars"],
      ["offset_chars=", "offset_chars"],
    ] as const) {
      expect([query, ...(await readRaw(`?field=body&${query}`))]).toEqual([query, 400, "invalid_window", param]);
    }
    for (const query of ["", "?field=", "?field=body..x", "?field=%5B0%5D", "?field=tree[", "?field=body%00", "?q=a"]) {
      expect([query, ...(await readRaw(query))]).toEqual([query, 400, "invalid_field_path", "field"]);
    }
    expect(await readRaw("?field=body&nonsense=1")).toEqual([400, "invalid_request", "nonsense"]);
  });

  it("[WIN-4] accepts a cursor only for the same field, record, version and limit", async () => {
    const { window } = await read("n2", "body", { limit_chars: 100 });
    const cursor = window.next_cursor!;
    expect((await read("n2", "body", { cursor })).window).toMatchObject({ start_chars: window.end_chars });
    expect((await read("n2", "body", { cursor, limit_chars: 100, version: "1" })).window.limit_chars).toBe(100);
    expect(await readFault("n2", "body", { cursor, limit_chars: 99 })).toMatchObject({
      code: "invalid_window",
      param: "limit_chars",
    });
    expect(await readFault("n2", "body", { cursor, version: "2" })).toMatchObject({
      code: "invalid_window",
      param: "version",
    });
    for (const [id, field] of [
      ["n1", "body"],
      ["n2", "tree"],
      ["n2", "tree.long[0]"],
    ] as const) {
      // biome-ignore format: one line
      expect(await readFault(id, field, { cursor })).toMatchObject({ status: 400, code: "invalid_cursor" });
    }
    expect(await readFault("n2", "body", { cursor }, createClientFor(await issueGrant()))).toMatchObject({
      code: "invalid_cursor",
    });
    expect(await readFault("n2", "body", { cursor: "nonsense" })).toMatchObject({ code: "invalid_cursor" });
  });

  it("[AUT-3] [AUT-4] [FET-11] shows nothing outside the grant and does not reveal whether it exists", async () => {
    const poor = createClientFor(await issueGrant({ fields: ["id", "body"] }));
    for (const field of ["secret", "secret.inner", 'secret["inner"]', "a.b", "tree.long[0]", "undeclared", "at"]) {
      for (const id of ["n1", "n2", "missing"]) {
        const refused = await readFault(id, field, { q: "CANARY" }, poor);
        const hidden = !["undeclared", "a.b"].includes(field);
        expect([field, refused.status, refused.code]).toEqual(
          hidden ? [field, 403, "field_not_granted"] : [field, 400, "unknown_field"],
        );
        expect(refused.message).not.toContain("CANARY");
      }
    }
    expect(await read("n1", "body", {}, poor)).not.toHaveProperty("event_time");
    const bound = createClientFor(await issueGrant({ time_range: { since: "2026-05-02T00:00:00Z" } }));
    expect((await read("n2", "body", {}, bound)).window.total_chars).toBeGreaterThan(0);
    const named = createClientFor(await issueGrant({ resources: ["n1"] }));
    expect((await read("n1", "body", {}, named)).window.text).toBe("a short note");
    const hidden = [
      await readFault("n1", "body", {}, bound),
      await readFault("n3", "body", {}, bound),
      await readFault("n2", "body", {}, named),
      await readFault("n2", "body", { version: "1" }, named),
      await readFault("missing", "body"),
    ];
    for (const refused of hidden) expect(refused).toEqual({ ...hidden[0], code: "not_found", status: 404 });
    expect(await readFault("n1", "tree")).toMatchObject({ status: 404, code: "field_not_found", param: "field" });
    expect(await readFault("n2", "body.deeper")).toMatchObject({ status: 404, code: "field_not_found" });
    expect(await readFault("n2", "tree.a[7]")).toMatchObject({ status: 404, code: "field_not_found" });
    const other = await world.call(token, "/v1/streams/messages/records/h01/field-window?field=text");
    expect(other.status).toBe(403);
    const owner = await world.call(world.ownerToken, "/v1/streams/messages/records/h01/field-window?field=text");
    expect(((await owner.json()) as { error: { code: string } }).error.code).toBe("ambiguous_connection");
  });

  it("[WIN-4] continues on the version it started with, and answers stale_window when that is gone", async () => {
    for (const size of [10, 20_000]) {
      const id = `changing${size}`;
      const note = (word: string): JsonObject => ({ id, at: "2026-05-03T00:00:00Z", body: word.repeat(size) });
      const at = Date.now();
      await write([note("first 🎈 ")], at - 3000);
      const begun = await read(id, "body", { limit_chars: 40 });
      const versions = [0, 1, 2, 3].map((n) => String(Number(begun.record_version) + n));
      const [first, next, last, none] = versions as [string, string, string, string];
      await write([note("second 🎈 ")], at - 2000);
      await write([note("third 🎈 ")], at - 1000);
      const second: FieldWindow = await world.json(token, begun.next!.url);
      expect(second.record_version).toBe(first);
      expect(begun.window.text + second.window.text).toBe(
        splitCodePoints("first 🎈 ".repeat(size)).slice(0, second.window.end_chars).join(""),
      );
      expect((await read(id, "body", { version: next, q: "second" })).record_version).toBe(next);
      expect((await read(id, "body")).record_version).toBe(last);
      for (const version of [none, "0", "-1", "abc", "1e0", "99999999999999999999"]) {
        expect(await readFault(id, "body", { version })).toMatchObject({
          status: 409,
          code: "stale_window",
          param: "version",
        });
      }
      await pruneRecords(vault.store, 1, at - 1500);
      const stale = await readFault(id, "body", { cursor: begun.window.next_cursor! });
      expect(stale).toMatchObject({ status: 409, code: "stale_window", param: "cursor" });
      expect(stale.message).toContain("Start over without cursor and version");
      expect((await read(id, "body", { version: next })).window.text).toContain("second");
      expect((await read(id, "body", { version: last })).window.text).toContain("third");
    }
  });

  it("[AUT-3] [WIN-4] shows an earlier version only if the grant allows both it and the current record", async () => {
    const pad = "x ".repeat(40_000);
    for (const [id, body] of [
      ["small", "BEFORE"],
      ["large", `BEFORE ${pad}`],
    ] as const) {
      // biome-ignore format: one line
      await write([{ id, at: "2026-04-01T00:00:00Z", body, secret: "CANARY" }]);
      await write([{ id, at: "2026-06-01T00:00:00Z", body: `${body} AFTER`, secret: "CANARY" }]);
      const late = createClientFor(
        await issueGrant({ fields: ["id", "at", "body"], time_range: { since: "2026-05-01T00:00:00Z" } }),
      );
      const early = createClientFor(await issueGrant({ time_range: { until: "2026-05-01T00:00:00Z" } }));
      const second = (await read(id, "body")).record_version;
      const first = String(Number(second) - 1);
      // This grant sees it as the first version, since the record became visible when its time changed.
      expect((await read(id, "body", { q: "AFTER" }, late)).record_version).toBe(first);
      const hidden = await readFault(id, "body", { version: second }, late);
      const unknown = await readFault(id, "body", { version: "7" }, late);
      expect(hidden).toEqual({ ...unknown, message: unknown.message.replace("version 7", `version ${second}`) });
      expect(hidden.code).toBe("stale_window");
      expect(await readFault(id, "secret", { version: first }, late)).toMatchObject({ code: "field_not_granted" });
      expect(await readFault(id, "body", { version: first }, early)).toMatchObject({ code: "not_found" });
      expect((await read(id, "body", { version: first })).window.text).toContain("BEFORE");
    }
  });

  it("[AUT-3] removes all versions of a deleted record", async () => {
    await write([{ id: "doomed", at: "2026-05-03T00:00:00Z", body: longBody }]);
    const { next, record_version: first } = await read("doomed", "body");
    const addToVersion = (n: number) => String(Number(first) + n);
    await putRecords(vault, "notes_1", "notes", [{ key: "doomed", op: "delete" }]);
    const response = await world.call(token, next!.url);
    expect(response.status).toBe(404);
    expect(await readFault("doomed", "body", { version: first })).toMatchObject({ code: "not_found" });
    await write([{ id: "doomed", at: "2026-05-03T00:00:00Z", body: "again" }]);
    expect(await read("doomed", "body")).toMatchObject({ record_version: addToVersion(2), window: { text: "again" } });
    expect(await readFault("doomed", "body", { version: addToVersion(1) })).toMatchObject({ code: "stale_window" });
  });

  it("[HND-5] reads and walks records with any key", async () => {
    const keys = [
      "..",
      ".",
      "a/b",
      "a:b",
      "?q#f",
      "%2F",
      'it\'s "so" \\',
      " spaced ",
      "👩‍👩‍👧",
      "k".repeat(1000),
      "a.b[0]",
      "_",
    ];
    await write(keys.map((id) => ({ id, at: null, body: `${id}!`.repeat(30), tree: { [id]: id } })));
    for (const id of keys) {
      const text = `${id}!`.repeat(30);
      let rebuilt = "";
      for (let page: FieldWindow | null = await read(id, "body", { limit_chars: 16384 }); page !== null; ) {
        expect(page.record_id).toBe(id);
        rebuilt += page.window.text;
        page = page.next && (await world.json(token, page.next.url));
      }
      expect(rebuilt).toBe(text);
      const nested = await read(id, `tree[${JSON.stringify(id)}]`);
      expect([nested.window.text, (await read(id, nested.field.path)).window.text]).toEqual([id, id]);
    }
  });

  it("deletes long texts with their version", async () => {
    const { store } = vault;
    const countHeld = () =>
      store.engine.read(async (on) => {
        const countRows = async (table: string) =>
          (await on.one<{ n: number }>(
            raw(`SELECT count(*) AS n FROM ${table} WHERE connection_no =
          (SELECT connection_no FROM connection WHERE connection_id = 'notes_2')`),
          ))!.n;
        return [await countRows("long_record"), await countRows("long_text")];
      });
    await addConnection(store, 1, { connectorKey: "notes", id: "notes_2" }, now);
    const texts = ["x".repeat(70_000), "y".repeat(70_000)];
    for (const body of texts) await putRecords(vault, "notes_2", "notes", [{ data: { id: "big", body } }], now - 9000);
    expect(await countHeld()).toEqual([2, 18]);
    await putRecords(vault, "notes_2", "notes", [{ data: { id: "big", body: texts[1] } }]);
    expect(await countHeld()).toEqual([2, 18]);
    await pruneRecords(store, 1, now - 1);
    expect(await countHeld()).toEqual([1, 9]);
    await removeConnection(store, 1, "notes_2", now);
    expect(await countHeld()).toEqual([0, 0]);
    expect(await findIntegrityFaults(store)).toEqual([]);
  });

  it("[WIN-4] [accept 3] never mixes versions of a record that another process writes", async () => {
    const task: RewritingTask = {
      location: { dataDir: vault.dataDir, ...(vault.databaseUrl ? { databaseUrl: vault.databaseUrl } : {}) },
      connectionId: "notes_1",
      recordId: "busy",
      times: 120,
      lengths: [3000, 30_000, 500, 12_000],
    };
    await write([{ id: "busy", at: "2026-05-01T10:00:00Z", body: "w0 ".repeat(3000), tree: {} }]);
    const child = spawn(process.execPath, [locateScript("rewriting-process.ts"), JSON.stringify(task)], {
      env: compileCacheEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let writing = true;
    const done = new Promise<number | null>((resolve) =>
      child.on("exit", (code) => {
        writing = false;
        resolve(code);
      }),
    );
    await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), done]);
    const versions = new Set<string>();
    let overtaken = 0;
    while (writing) {
      const pages = [await read("busy", "body", { limit_chars: 16384 })];
      for (let next = pages[0]!.next; next !== null; next = pages.at(-1)!.next)
        pages.push(await world.json(token, next.url));
      const text = pages.map(({ window }) => window.text).join("");
      expect(new Set(pages.map(({ record_version }) => record_version)).size).toBe(1);
      expect(splitCodePoints(text).length).toBe(pages[0]!.window.total_chars);
      expect(new Set(text.trim().split(" ")).size).toBe(1);
      versions.add(pages[0]!.record_version);
      const found = await read("busy", "body", { version: pages[0]!.record_version, q: text.slice(0, 4).trim() });
      expect(found.window.match_start_chars).toBe(0);
      if ((await read("busy", "tree")).record_version !== pages[0]!.record_version) overtaken += 1;
    }
    expect(await done).toBe(0);
    expect(versions.size).toBeGreaterThan(3);
    expect(overtaken).toBeGreaterThan(0);
  });

  const megabytes = chooseRuns(8, 50);
  it(`[WIN-1] reads a window of ${megabytes} MB of text with kilobytes of memory`, async () => {
    const words = Array.from({ length: megabytes * 100_000 }, (_, i) =>
      `${(i * 2654435761) % 9973}`.padEnd(10, "ü "),
    ).join("");
    const body = `${words}the very last`;
    await write([{ id: "huge", at: null, tree: { long: body } }]);
    const task: MemoryTask = {
      location: { dataDir: vault.dataDir, ...(vault.databaseUrl ? { databaseUrl: vault.databaseUrl } : {}) },
      token,
      now,
      input: { stream: "notes", record_id: "huge", field: "tree.long" },
      chars: body.length,
      // On SQLite, until its page cache is full.
      warmUp: engine === "sqlite" ? chooseRuns(3000, 8000) : chooseRuns(500, 2000),
      last: "very last",
    };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        "--expose-gc",
        "--max-old-space-size=40",
        "--max-semi-space-size=2",
        locateScript("window-memory.ts"),
        JSON.stringify(task),
      ],
      { env: compileCacheEnv },
    );
    const report = JSON.parse(stdout) as MemoryReport;
    expect(report.heapGrowth).toBeLessThan(4 * 1024 ** 2);
    expect(report.rssGrowth).toBeLessThan(8 * 1024 ** 2);
    expect(report.foundAt).toBe(body.length - 9);
    expect(report.searchRssGrowth).toBeLessThan(64 * 1024 ** 2);
  });
});
