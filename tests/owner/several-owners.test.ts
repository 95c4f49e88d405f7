import { operations } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSignInCode } from "#server/auth/sessions";
import { createOwner } from "#server/owner/owner";
import { addOwner, findOwner, listOwners, removeOwner } from "#server/owner/owners";
import { raw } from "#server/store/engine/sql";
import { callback, origin, type Stage, someText, stage } from "../oauth/agent.ts";

/** The first owner has the sample vault. The second has connections and records with the same names. */

const streamLines = async function* (...records: object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"));
};
const buildMine = (id: string, minute: number) =>
  buildMessage(id, minute, { text: `second ${id}`, secret: `SECOND-${id}` });
/** Data that belongs to the first owner only. */
const firsts = /message [hw]|CANARY|"Home"|chat_work|shop_1|o\/1|First agent|first purpose|only-the-first/;

describe.each(surfaceEngines)("two owners of one vault, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let on: Stage;
  let first: OwnerApi;
  let second: OwnerApi;
  let secondNo: number;
  let blobId: string;
  const bytes = Buffer.from("only-the-first has these bytes");

  beforeAll(async () => {
    vault = await createVault(engine);
    const { store } = vault;
    world = await createSample(vault);
    on = stage(vault);
    first = createOwner({ store, ownerNo: 1, now: on.now });
    ({ blob_id: blobId } = await first.blobs.put({ mime_type: "text/plain" }, pickOne(bytes)));
    const withFile = buildMessage("h98", 98, {
      text: "message only-the-first",
      blob_ref: { blob_id: blobId, mime_type: "text/plain", size_bytes: bytes.length, sha256: blobId.slice(12) },
    });
    await first.records.ingest({ stream: "messages", connection_id: "chat_home" }, streamLines(withFile));
    await addOwner(store, "second", on.now());
    secondNo = await findOwner(store, "second");
    second = createOwner({ store, ownerNo: secondNo, now: on.now });
    await second.connections.add({ connector_key: "chat", connection_id: "chat_home", display_name: "Mine" });
    await second.records.ingest(
      { stream: "messages", connection_id: "chat_home" },
      streamLines(buildMine("h00", 0), buildMine("h01", 1), buildMine("s02", 2)),
    );
    await second.records.ingest(
      { stream: "channels", connection_id: "chat_home" },
      streamLines({ data: { id: "general" } }),
    );
  });
  afterAll(() => vault.drop());

  const callAs = async (token: string, path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await on.fetch(new Request(`${origin}${path}`, { ...init, headers }));
    return { status: response.status, text: await response.text() };
  };
  const whole = { connector_key: "chat", streams: [{ name: "messages" }, { name: "channels" }] };
  const issueSecondTokens = async (): Promise<string[]> => {
    const granted = await second.grants.issue({ client: { name: "Second agent" }, sources: [whole] });
    const owners = await second.tokens.create({ name: "mine" });
    const agent = await on.register();
    const owner = on.owner();
    const page = await owner.open(agent.authorizeUrl());
    const consent = await owner.send(page, { code: await createSignInCode(vault.store, secondNo, on.now()) });
    expect(consent.html).not.toMatch(firsts);
    const back = new URL((await owner.send(consent, { ...someText, act: "allow" })).url);
    expect(back.href.startsWith(callback)).toBe(true);
    const exchanged = await agent.exchange(back.searchParams.get("code") ?? "");
    const { access_token } = (await exchanged.json()) as { access_token: string };
    return [granted.token, owners.token, access_token];
  };

  it("[OWN-1] shows the second owner's records and no others in every read by the second", async () => {
    const reads = Object.values(operations).filter(({ method }) => method === "GET");
    const names = { stream: "messages", id: "h00", record_id: "h00", blob_id: blobId };
    const fillPath = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: keyof typeof names) => names[name] ?? name);
    const queries = [
      "",
      "?connection_id=chat_home",
      "?limit=100&count=exact",
      "?q=message+only-the-first&field=text&metric=count",
    ];
    for (const token of await issueSecondTokens()) {
      for (const { path } of reads) {
        for (const query of queries) {
          const { text } = await callAs(token, `/v1${fillPath(path)}`.replace("/v1/v1", "/v1") + query);
          expect(text).not.toMatch(firsts);
        }
      }
      const listed = await callAs(token, "/v1/streams/messages/records?limit=100&count=exact");
      expect(listed.text.match(/second [hs]\d\d/g)?.sort()).toEqual(["second h00", "second h01", "second s02"]);
      expect(JSON.parse(listed.text).meta.count).toEqual({ kind: "exact", value: 3 });
      const found = await callAs(token, "/v1/search?q=only-the-first");
      expect([found.status, JSON.parse(found.text).data]).toEqual([200, []]);
      expect((await callAs(token, "/v1/search?q=second")).text).toContain("s02");
      for (const path of [
        "/v1/streams/messages/records/h98",
        "/v1/streams/messages/records/w00",
        `/v1/blobs/${blobId}`,
      ])
        expect((await callAs(token, path)).status).toBe(404);
      expect((await callAs(token, "/v1/streams/messages/records?connection_id=chat_work")).status).toBe(404);
      expect((await callAs(token, "/v1/streams/order_lines/records")).status).toBeGreaterThanOrEqual(403);
    }
  });

  it("[OWN-1] gives the second owner nothing of the first by the first's cursors and bookmarks", async () => {
    const theirs = await world.grant(everything);
    const list = JSON.parse(
      (await callAs(theirs, "/v1/streams/messages/records?limit=2&connection_id=chat_home")).text,
    );
    const changes = await callAs(
      theirs,
      "/v1/streams/messages/records?connection_id=chat_home&limit=100&changes_since=beginning",
    );
    const bookmark = JSON.parse(changes.text).next_changes_since;
    const search = JSON.parse((await callAs(theirs, "/v1/search?q=message&limit=1")).text);
    for (const token of await issueSecondTokens()) {
      for (const path of [
        `/v1/streams/messages/records?limit=2&connection_id=chat_home&cursor=${encodeURIComponent(list.next_cursor)}`,
        `/v1/streams/messages/records?connection_id=chat_home&changes_since=${encodeURIComponent(bookmark)}`,
        `/v1/search?q=message&limit=1&cursor=${encodeURIComponent(search.next_cursor)}`,
      ])
        expect((await callAs(token, path)).text).not.toMatch(firsts);
    }
  });

  it("[OWN-1] shows the second owner's records and no others in every tool of the second", async () => {
    const [granted = "", , consented = ""] = await issueSecondTokens();
    const agent = on.as("", "");
    const calls: [string, object][] = [
      ["schema", {}],
      ["schema", { stream: "messages", detail: "full" }],
      ["query_records", { stream: "messages", limit: 100 }],
      ["search", { query: "message only-the-first" }],
      ["aggregate", { stream: "messages", metric: "count", group_by: "channel_id" }],
      ["fetch", { id: "chat_home/messages:h00" }],
      ["fetch", { id: "chat_home/messages:h98" }],
      ["fetch", { id: "chat_work/messages:w00" }],
      ["read_record_field", { id: "chat_home/messages:h00", field_path: "text" }],
      ["read_record_field", { id: "chat_home/messages:h98", field_path: "text" }],
    ];
    for (const token of [granted, consented]) {
      let said = "";
      for (const [name, args] of calls) {
        const text = await (await agent.mcp(token, "tools/call", { name, arguments: args })).text();
        // Answers echo the arguments, which are not records.
        const asked = Object.values(args).flatMap((value) => [String(value), ...String(value).split(/[ /:]/)]);
        said += asked.reduce((rest, word) => rest.replaceAll(word, ""), text);
      }
      expect(said).toContain("second");
      expect(said).not.toMatch(firsts);
    }
  });

  it("[OWN-1] does not let the second owner write, delete or revoke anything of the first", async () => {
    const [, owners = ""] = await issueSecondTokens();
    const before = await (await first.reader()).queryRecords({
      stream: "messages",
      connection_id: "chat_home",
      limit: 100,
      count: "exact",
    });
    const { token, grants } = await first.grants.issue({
      ...everything,
      client: { name: "First agent" },
      purpose: "first purpose",
    });
    const body = `${JSON.stringify(buildMine("h05", 5))}\n`;
    const writes: [string, RequestInit, number[]][] = [
      ["/v1/ingest/messages?connection_id=chat_work", { method: "POST", body }, [404]],
      ["/v1/ingest/messages?connection_id=chat_home", { method: "POST", body }, [200]],
      ["/v1/streams/messages/records/h05?connection_id=chat_home", { method: "DELETE" }, [204]],
      ["/v1/streams/messages/records/h98?connection_id=chat_home", { method: "DELETE" }, [404]],
      ["/v1/streams/messages/records?connection_id=chat_work", { method: "DELETE" }, [404]],
    ];
    for (const [path, init, statuses] of writes) expect(statuses).toContain((await callAs(owners, path, init)).status);
    for (const attempt of [
      () => second.grants.revoke(grants[0]?.grant_id ?? ""),
      () => second.grants.get(grants[0]?.grant_id ?? ""),
      () => second.connections.remove("chat_work"),
      () => second.log.read({ grant: grants[0]?.grant_id ?? "", limit: 1 }),
    ])
      await expect(attempt()).rejects.toMatchObject({ name: "PdppError" });
    expect((await callAs(token, "/v1/streams")).status).toBe(200);
    const after = await (await first.reader()).queryRecords({
      stream: "messages",
      connection_id: "chat_home",
      limit: 100,
      count: "exact",
    });
    expect(after.meta).toEqual(before.meta);
    await vault.store.log.flush();
    const [ours, theirs] = [await second.log.read({ limit: 500 }), await first.log.read({ limit: 500 })];
    // The second owner's agents asked for what is the first's, in these words.
    expect(JSON.stringify(ours.map(({ request: _, ...entry }) => entry))).not.toMatch(firsts);
    expect(JSON.stringify(theirs)).not.toMatch(/Second agent|only-the-first/);
    expect(
      JSON.stringify([await second.grants.list(), await second.tokens.list(), await second.connections.list()]),
    ).not.toMatch(firsts);
  });

  it("[OWN-1] [OWN-2] shows each owner their own pages when two share a browser", async () => {
    const { grants } = await first.grants.issue({ ...everything, client: { name: "First agent" } });
    const browser = on.owner();
    const signIn = async (ownerNo: number) =>
      browser.send(await browser.open(`${origin}/sign-in`), {
        code: await createSignInCode(vault.store, ownerNo, on.now()),
      });
    const agent = await on.register();
    const allow = async () => browser.send(await browser.open(agent.authorizeUrl()), { ...someText, act: "allow" });
    const tokens: string[] = [];
    for (const ownerNo of [1, secondNo, 1]) {
      await signIn(ownerNo);
      const answered = await allow();
      const exchanged = await agent.exchange(new URL(answered.url).searchParams.get("code") ?? "");
      expect(exchanged.status).toBe(200);
      tokens.push(((await exchanged.json()) as { access_token: string }).access_token);
    }
    // The first owner's second decision replaced only their own first one.
    const texts = await Promise.all(
      tokens.map(async (token) => (await callAs(token, "/v1/streams/messages/records")).text),
    );
    expect(texts.map((text) => [/message h/.test(text), /second h/.test(text)])).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ]);
    await signIn(secondNo);
    for (const path of ["/agents", "/browsers"])
      expect((await browser.open(`${origin}${path}`)).html).not.toMatch(firsts);
    const theirs = await browser.open(`${origin}/agents/${grants[0]?.grant_id}`);
    expect([theirs.status, firsts.test(theirs.html)]).toEqual([404, false]);
  });

  it("[OWN-3] removes everything of a removed owner and leaves the other intact", async () => {
    const { store } = vault;
    await addOwner(store, "third", on.now());
    const thirdNo = await findOwner(store, "third");
    const third = createOwner({ store, ownerNo: thirdNo, now: on.now });
    await third.connections.add({ connector_key: "chat", connection_id: "chat_home" });
    await third.blobs.put({ mime_type: "text/plain" }, pickOne(Buffer.from("third")));
    await third.records.ingest({ stream: "messages", connection_id: "chat_home" }, streamLines(buildMine("t01", 1)));
    const { token } = await third.grants.issue({ client: { name: "x" }, sources: [whole] });
    const opened = await third.tokens.create({ name: "x" });
    const code = await third.signIn.newCode();
    const before = await first.connections.list();
    await removeOwner(store, "third", on.now());
    for (const each of [token, opened.token]) expect((await callAs(each, "/v1/streams")).status).toBe(401);
    const visitor = on.owner();
    expect((await visitor.send(await visitor.open(`${origin}/sign-in`), { code })).status).toBe(403);
    const tables = await listTablesWithOwners(vault, engine);
    expect(tables).toContain("token");
    const left: string[] = [];
    for (const table of tables) {
      const rows = await store.engine.read((db) => db.all(raw(`SELECT * FROM ${table} WHERE owner_no = ${thirdNo}`)));
      if (rows.length > 0) left.push(table);
    }
    // The log stays, and an owner number is never reused.
    expect(left.sort()).toEqual(["access_log", "access_log_chain", "owner"]);
    expect(await first.connections.list()).toEqual(before);
    expect((await listOwnerNames(store)).includes("third")).toBe(false);
    await addOwner(store, "third", on.now());
    const again = createOwner({ store, ownerNo: await findOwner(store, "third"), now: on.now });
    expect([
      await again.grants.list(),
      (await again.log.read({ limit: 100 })).filter(({ kind }) => kind !== "refusal").map(({ operation }) => operation),
    ]).toEqual([[], ["owner.add"]]);
    await removeOwner(store, "third", on.now());
  });
});

const listOwnerNames = async (store: TestVault["store"]): Promise<string[]> =>
  (await listOwners(store)).map(({ name }) => name);

async function listTablesWithOwners({ store }: TestVault, engine: string): Promise<string[]> {
  const names = await store.engine.read((db) =>
    db.all<{ name: string }>(
      raw(
        engine === "sqlite"
          ? "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'owner_no' WHERE m.type = 'table'"
          : "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'owner_no' AND table_schema = current_schema()",
      ),
    ),
  );
  return names.map(({ name }) => name);
}

async function* pickOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
