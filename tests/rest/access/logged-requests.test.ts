import type { LoggedRequest } from "@pdpp/contract/logged-request";
import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "#server/store/engine/sql";
import { dumpEverything } from "../../store/vault.ts";

describe.each(engineNames)("what was asked, in the log on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let owner: OwnerApi;
  let token: string;
  let clock = now;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault, { now: () => clock });
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => clock });
    token = await world.grant(everything);
  });
  afterAll(() => vault.drop());

  const findNewest = async (): Promise<AccessDocument> => {
    await vault.store.log.flush();
    const [entry] = await owner.log.read({ limit: 1 });
    return entry!;
  };
  /** Sends a request and returns its log entry. */
  const send = async (path: string, bearer = token, init: RequestInit = {}): Promise<AccessDocument> => {
    await (await world.call(bearer, path, init)).arrayBuffer();
    return findNewest();
  };
  const readAsked = async (path: string): Promise<LoggedRequest | null | undefined> => (await send(path)).request;

  it("[LOG-13] describes every operation with its arguments", async () => {
    const messages = "/v1/streams/messages";
    const work = "connection_id=chat_work";
    const cases: readonly [string, LoggedRequest["operation"], LoggedRequest["arguments"]][] = [
      ["/v1/schema?view=compact", "schema", { view: "compact" }],
      ["/v1/search?q=boiler%20invoice&streams=messages", "search", { q: "boiler invoice", streams: ["messages"] }],
      [
        `${messages}/records?${work}&filter[likes][gte]=2&sort=-sent_at&fields=id,text&limit=3`,
        "queryRecords",
        {
          stream: "messages",
          connection_id: "chat_work",
          filter: { likes: { gte: "2" } },
          sort: ["-sent_at"],
          fields: ["id", "text"],
          limit: 3,
        },
      ],
      [
        `${messages}/records/w01?${work}&fields=id`,
        "fetch",
        { stream: "messages", connection_id: "chat_work", fields: ["id"] },
      ],
      [
        `${messages}/records/w01/field-window?${work}&field=text&offset_chars=2`,
        "readField",
        { stream: "messages", connection_id: "chat_work", field: "text", offset_chars: 2 },
      ],
      [
        `${messages}/aggregate?metric=count&group_by=channel_id&connection_id=chat_home`,
        "aggregate",
        { stream: "messages", metric: "count", group_by: "channel_id", connection_id: "chat_home" },
      ],
      ["/v1/export?stream=channels", "export", { stream: "channels" }],
    ];
    for (const [path, operation, asked] of cases)
      expect(await send(path)).toMatchObject({ operation, status: 200, request: { operation, arguments: asked } });
    expect((await readAsked(`${messages}/records/w01?${work}`))?.arguments).not.toHaveProperty("record_id");
  });

  it("[LOG-13] describes rejected requests, without unknown parameters", async () => {
    const narrow = {
      client: { name: "Narrow" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id"] }] }],
    };
    const bearer = await world.grant(narrow);
    const rejected: readonly [string, number, LoggedRequest["arguments"]][] = [
      ["/v1/streams/messages/records?fields=secret", 403, { stream: "messages", fields: ["secret"] }],
      ["/v1/streams/messages/records/xqunknown?connection_id=chat_home", 404, { record_id: "xqunknown" }],
      ["/v1/streams/messages/records?colour=xqred&limit=3", 400, { stream: "messages", limit: 3 }],
      ["/v1/streams/messages/records?limit=3&limit=4", 400, { limit: 3 }],
      ["/v1/streams/order_lines/records", 403, { stream: "order_lines" }],
    ];
    for (const [path, status, asked] of rejected)
      expect(await send(path, bearer)).toMatchObject({ status, request: { arguments: asked } });
    expect(await dumpEverything(vault)).not.toContain("xqred");
    expect(await send("/v1/streams/messages/records/w01", bearer, { method: "DELETE" })).toMatchObject({
      kind: "refusal",
      request: { operation: "deleteRecord", arguments: { record_id: "w01" } },
    });
  });

  it("[LOG-15] describes no request whose token is refused, and nothing that the owner's programs write", async () => {
    const { token: ended, grants } = await owner.grants.issue({ ...everything, client: { name: "Ended" } });
    await owner.grants.revoke(grants[0]?.grant_id ?? "");
    expect(await send("/v1/search?q=xqended", ended)).not.toHaveProperty("request");
    expect(await send("/v1/search?q=xqguess", `pdpp_client_${"g".repeat(43)}`)).not.toHaveProperty("request");
    await putRecords(vault, "chat_work", "messages", [buildMessage("xqkey", 1)]);
    const path = "/v1/streams/messages/records/xqkey?connection_id=chat_work";
    expect(await send(path, world.ownerToken, { method: "DELETE" })).not.toHaveProperty("request");
    expect(await send("/v1/search?q=mine", world.ownerToken)).toMatchObject({ request: { arguments: { q: "mine" } } });
  });

  it("[LOG-15] never stores tokens, cursors, bookmarks or headers", async () => {
    const page: { next_cursor: string } = await world.json(token, "/v1/streams/messages/records?limit=2");
    const changes: { next_changes_since: string } = await world.json(
      token,
      "/v1/streams/messages/records?changes_since=beginning&limit=100&connection_id=chat_home",
    );
    const found: { next_cursor: string } = await world.json(token, "/v1/search?q=message&limit=1");
    const window: { window: { next_cursor: string } } = await world.json(
      token,
      "/v1/streams/messages/records/h01/field-window?connection_id=chat_home&field=text&limit_chars=3",
    );
    const sealed = [page.next_cursor, changes.next_changes_since, found.next_cursor, window.window.next_cursor];
    expect(sealed.map((each) => typeof each)).toEqual(sealed.map(() => "string"));
    const paths = [
      `/v1/streams/messages/records?limit=2&cursor=${page.next_cursor}`,
      `/v1/streams/messages/records?changes_since=${changes.next_changes_since}&connection_id=chat_home`,
      `/v1/search?q=message&limit=1&cursor=${found.next_cursor}`,
      `/v1/streams/messages/records/h01/field-window?connection_id=chat_home&field=text&cursor=${window.window.next_cursor}`,
      `/v1/export?after=chat_home/messages:h01`,
      // Misplaced on purpose.
      `/v1/search?q=${token}`,
      `/v1/search?q=${world.ownerToken}x`,
      `/v1/search?q=x&access_token=${token}`,
      `/v1/streams/messages/records?filter[text]=${token}`,
      `/v1/streams/${token}/records`,
    ];
    const headers = { "x-canary": "xqheader", cookie: "session=xqcookie" };
    const entries = [];
    for (const path of paths) entries.push(await send(path, token, { headers }));
    expect(entries.map(({ request }) => request?.continued)).toEqual([true, undefined, true, true, true, ...Array(5)]);
    const everythingStored = await dumpEverything(vault);
    for (const secret of [...sealed, token, world.ownerToken, "xqheader", "xqcookie"])
      expect(everythingStored).not.toContain(secret);
    expect(everythingStored).toContain("[token]");
  });

  it("[LOG-13] bounds hostile text", async () => {
    const hostile = `<script>alert(1)</script>\u202egnp.exe\u2066 ${"word ".repeat(3000)}`;
    const entry = await send(`/v1/search?q=${encodeURIComponent(hostile)}`);
    expect(entry).toMatchObject({ status: 200, request: { shortened: true } });
    expect(JSON.stringify(entry.request).length).toBeLessThanOrEqual(2000);
    const tooLong = await send(`/v1/search?q=${"x".repeat(1_000_000)}`);
    expect(tooLong).toMatchObject({ status: 400, request: { operation: "search", shortened: true } });
    expect(JSON.stringify(tooLong.request).length).toBeLessThanOrEqual(2000);
    expect(await owner.log.verify()).toMatchObject({ valid: true });
  });

  it("[LOG-16] deletes what was asked of a removed source, found or not, and nothing else", async () => {
    await owner.connections.add({ connector_key: "chat", connection_id: "chat_gone" });
    await putRecords(vault, "chat_gone", "messages", [buildMessage("g1", 1, { text: "xqfound words" })]);
    const bearer = await world.grant(everything);
    const gone = [
      await send("/v1/search?q=xqfound", bearer),
      await send("/v1/search?q=xqmissing&connection_id=chat_gone", bearer),
      await send("/v1/streams/messages/records/xqnone?connection_id=chat_gone", bearer),
    ];
    const other = await send("/v1/search?q=xqother&connection_id=chat_home");
    expect(await dumpEverything(vault)).toMatch(/xqfound/);
    await owner.connections.remove("chat_gone");
    for (const { entry } of gone) expect((await owner.log.get(entry)).entry.request).toBeNull();
    expect((await owner.log.get(other.entry)).entry.request?.arguments).toMatchObject({ q: "xqother" });
    expect(await owner.log.verify()).toMatchObject({ valid: true });
    expect(await dumpEverything(vault)).not.toMatch(/xqfound|xqmissing|xqnone/);
  });

  it("[LOG-16] prunes what was asked with the log, also from the files", async () => {
    await send("/v1/search?q=xqpruned");
    clock += 3_600_000;
    await owner.log.prune(clock);
    expect(await owner.log.verify()).toMatchObject({ valid: true });
    expect(await dumpEverything(vault)).not.toContain("xqpruned");
  });

  it("[LOG-13] survives an unreadable request in the table, and names its entry", async () => {
    const { entry } = await send("/v1/search?q=boiler");
    await vault.store.engine.write((on) =>
      on.run(sql`UPDATE access_log SET request = ${"hacked"} WHERE entry_no = ${entry}`),
    );
    expect((await owner.log.get(entry)).entry.request).toBeNull();
    expect(await owner.log.verify()).toMatchObject({ valid: false, fault: { entry } });
  });
});
