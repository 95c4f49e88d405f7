import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OwnerApi, RecordReaders } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, origin, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import type { AccessEntry } from "#server/store/access/log/log-entry";
import { raw } from "#server/store/engine/sql";

/** The owner looks up who read a record, and which records a client read. */

const minute = 60_000;

/** Everything in the log's table and journals. */
async function logText({ store, dataDir }: TestVault): Promise<string> {
  const rows = await store.engine.read((on) => on.all(raw("SELECT * FROM access_log")));
  const folder = join(dataDir, "log");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  return [JSON.stringify(rows), ...files.map(({ name, parentPath }) => readFileSync(join(parentPath, name)))].join(
    "\n",
  );
}

describe.each(surfaceEngines)("the readers of a record on %s", (engine) => {
  let vault: TestVault;
  let owner: OwnerApi;
  let clock = now;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => clock });
  });
  afterAll(() => vault.drop());

  const connectAgent = async (name: string) => {
    const { token, grants } = await owner.grants.issue({ ...everything, client: { name } });
    return { token, grantId: grants[0]?.grant_id ?? "" };
  };
  /** Reads one minute after the previous read. */
  const get = async (token: string, path: string): Promise<void> => {
    clock += minute;
    const app = createApp({ store: vault.store, now: () => clock });
    const answer = await app.fetch(new Request(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } }));
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  };
  const formatRecordUrl = (id: string, connection = "chat_home") =>
    `/v1/streams/messages/records/${id}?connection_id=${connection}`;
  const listReaders = (record_id: string, before?: number): Promise<RecordReaders> =>
    owner.log.listReaders({ connection_id: "chat_home", stream: "messages", record_id, before }, 10);
  const formatTime = (time: number) => new Date(time).toISOString();

  it("[LOG-9] names who read a record, how often and when last, at any version", async () => {
    const [claude, other] = [await connectAgent("Claude"), await connectAgent("Other")];
    expect(await listReaders("h07")).toMatchObject({ readers: [], more: 0, next: null, since: null });
    await get(claude.token, formatRecordUrl("h07"));
    await putRecords(vault, "chat_home", "messages", [buildMessage("h07", 7, { text: "an unusual word" })]);
    await get(claude.token, "/v1/search?q=unusual");
    const claudeLast = clock;
    await get(other.token, "/v1/streams/messages/records?limit=100&connection_id=chat_home");
    const otherLast = clock;
    await get(other.token, formatRecordUrl("h08"));
    // The same key in another connection is a different record.
    await get(claude.token, formatRecordUrl("w07", "chat_work"));
    await get(claude.token, "/v1/streams/messages/aggregate?metric=count");
    const { readers } = await listReaders("h07");
    expect(readers).toEqual([
      { client: "Other", grant_ids: [other.grantId], times: 1, last_at: formatTime(otherLast) },
      { client: "Claude", grant_ids: [claude.grantId], times: 2, last_at: formatTime(claudeLast) },
    ]);
    const one = { connection_id: "chat_home", stream: "messages", record_id: "h07" };
    expect(await owner.log.listReaders(one, 1)).toMatchObject({ readers: [{ client: "Other" }], more: 1 });
    await expect(listReaders("never")).rejects.toMatchObject({ code: "not_found" });
    await expect(owner.log.listReaders({ ...one, connection_id: "nowhere" }, 1)).rejects.toMatchObject({
      code: "connection_not_found",
    });
  });

  it("[LOG-9] reports that a partial list or an older entry may have included the record", async () => {
    const many = Array.from({ length: 400 }, (_, i) => buildMessage(`x${String(i).padStart(3, "0")}`, i));
    await putRecords(vault, "chat_home", "messages", many);
    const copier = await connectAgent("Copier");
    await get(copier.token, "/v1/export?stream=messages&connection_id=chat_home");
    const exported = clock;
    const perhaps = { times: 1, last_at: formatTime(exported) };
    const listReadsBy = async (id: string, client: string) =>
      (await listReaders(id)).readers.filter((reader) => reader.client === client);
    expect(await listReadsBy("h07", "Copier")).toMatchObject([{ times: 1 }]);
    expect(await listReadsBy("x399", "Copier")).toEqual([
      { client: "Copier", grant_ids: [copier.grantId], times: 0, perhaps },
    ]);
    // A later record, or one of another stream or connection, cannot have been included.
    await putRecords(vault, "chat_home", "messages", [buildMessage("later", 1)]);
    expect(await listReadsBy("later", "Copier")).toEqual([]);
    const elsewhere = [
      { connection_id: "chat_home", stream: "channels", record_id: "general" },
      { connection_id: "chat_work", stream: "messages", record_id: "w03" },
    ];
    for (const place of elsewhere)
      expect((await owner.log.listReaders(place, 10)).readers.map(({ client }) => client)).not.toContain("Copier");
    const old: AccessEntry = {
      ownerNo: 1,
      at: clock,
      requestId: "old",
      client: "Old",
      grantIds: ["grt_old"],
      operation: "fetch",
      connectionIds: ["chat_home"],
      stream: "messages",
      status: 200,
      records: 1,
      bytes: 10,
    };
    vault.store.log.note(old);
    vault.store.log.note({ ...old, client: "Refused", status: 404, records: 0 });
    const clients = (await listReaders("later")).readers.map(({ client }) => client);
    expect(clients).toEqual(["Old"]);
    expect(await listReadsBy("later", "Old")).toMatchObject([{ times: 0, perhaps: { times: 1 } }]);
  });

  it("[LOG-10] lists the records read under a grant, most recent first, in their current state", async () => {
    const { token, grantId } = await connectAgent("Lister");
    const readUnder = (limit = 10) => owner.log.listRecordsRead(grantId, limit);
    expect(await readUnder()).toMatchObject({ records: [], gone: 0, unlisted: 0, has_more: false, next: null });
    await get(token, formatRecordUrl("h10"));
    await get(token, formatRecordUrl("h11"));
    const eleven = clock;
    await get(token, formatRecordUrl("h10"));
    const ten = clock;
    await putRecords(vault, "chat_home", "messages", [buildMessage("h10", 10, { text: "what it says now" })]);
    await get(token, "/v1/streams/channels/records/general?connection_id=chat_home");
    expect((await readUnder()).records).toMatchObject([
      { id: "chat_home/channels:general", title: "General", connection_id: "chat_home", stream: "channels", times: 1 },
      { id: "chat_home/messages:h10", times: 2, last_at: formatTime(ten) },
      { id: "chat_home/messages:h11", times: 1, last_at: formatTime(eleven) },
    ]);
    await get(token, formatRecordUrl("h10"));
    expect((await readUnder(1)).records).toMatchObject([{ id: "chat_home/messages:h10", times: 3 }]);
    expect((await readUnder(1)).has_more).toBe(true);
    await get(token, "/v1/export?stream=messages");
    expect(await readUnder(3)).toMatchObject({ unlisted: 1, has_more: true });
    await expect(owner.log.listRecordsRead("grt_none", 5)).rejects.toMatchObject({ code: "not_found" });
  });

  it("[LOG-10] lists the reads of a package like those of its grants", async () => {
    const sources = [...everything.sources, { connector_key: "shop", streams: [{ name: "*" }] }];
    const { token, package_id: id = "", grants } = await owner.grants.issue({ client: { name: "Pack" }, sources });
    await get(token, formatRecordUrl("h12"));
    for (const asked of [id, ...grants.map(({ grant_id }) => grant_id)])
      expect((await owner.log.listRecordsRead(asked, 5)).records).toMatchObject([{ id: "chat_home/messages:h12" }]);
  });

  it("[LOG-11] keeps nothing in the log about a record that was deleted, pruned or removed with its source", async () => {
    await owner.connections.add({ connector_key: "chat", connection_id: "chat_gone" });
    const { token, grantId } = await connectAgent("Remembers");
    const buildSecret = (id: string) => buildMessage(id, 1, { text: `zqxtext of ${id}`, secret: "zqxsecret" });
    await putRecords(vault, "chat_home", "messages", [buildSecret("zqxkey-1"), buildSecret("zqxkey-2")], clock);
    await putRecords(vault, "chat_gone", "messages", [buildSecret("zqxkey-3")], clock);
    await get(token, "/v1/search?q=zqxtext");
    await get(token, formatRecordUrl("zqxkey-1"));
    expect((await owner.log.listRecordsRead(grantId, 10)).records).toHaveLength(3);
    expect(await logText(vault)).toContain("Remembers");
    // The agent's own words are kept for now.
    expect(await logText(vault)).toContain("zqxtext");
    expect(await logText(vault)).not.toMatch(/zqx(key|secret)/i);
    for (const id of ["zqxkey-1", "zqxkey-2"])
      await owner.records.delete({ stream: "messages", connection_id: "chat_home", record_id: id });
    expect(await owner.log.listRecordsRead(grantId, 10)).toMatchObject({
      records: [{ id: "chat_gone/messages:zqxkey-3" }],
      gone: 2,
    });
    expect((await listReaders("zqxkey-1")).readers[0]).toMatchObject({ client: "Remembers", times: 2 });
    clock += 7_200_000;
    await owner.records.prune(clock);
    await owner.connections.remove("chat_gone");
    expect(await owner.log.listRecordsRead(grantId, 10)).toMatchObject({ records: [], gone: 3 });
    await expect(listReaders("zqxkey-1")).rejects.toMatchObject({ code: "not_found" });
    expect(await owner.log.verify()).toMatchObject({ valid: true });
    expect(await logText(vault)).not.toMatch(/zqx(text|key|secret)/i);
  });

  it("[LOG-9, LOG-10] searches part of a long log, and continues from there", async () => {
    const { token, grantId } = await connectAgent("Early");
    await get(token, formatRecordUrl("h20"));
    const read: AccessEntry = {
      ownerNo: 1,
      at: clock + 1,
      requestId: "many",
      client: "Busy",
      grantIds: ["grt_busy"],
      operation: "schema",
      connectionIds: [],
      stream: null,
      status: 200,
      records: 0,
      bytes: 10,
    };
    for (let n = 0; n < 20_000; n += 1) vault.store.log.note(read);
    const newest = await listReaders("h20");
    expect(newest).toMatchObject({ readers: [], next: expect.any(Number), since: formatTime(clock + 1) });
    const [before] = (await listReaders("h20", newest.next ?? 0)).readers;
    expect(before).toMatchObject({ client: "Early", times: 1 });
    const under = await owner.log.listRecordsRead(grantId, 5);
    expect(under).toMatchObject({ records: [], since: formatTime(clock + 1) });
    expect((await owner.log.listRecordsRead(grantId, 5, under.next ?? 0)).records).toMatchObject([
      { id: "chat_home/messages:h20" },
    ]);
  });
});
