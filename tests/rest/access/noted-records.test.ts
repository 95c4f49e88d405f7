import type { OwnerApi } from "@pdpp/contract/owner";
import type { RecordList, SearchList, SingleRecord } from "@pdpp/contract/wire";
import { createOwner } from "@pdpp/server/owner/owner";
import { listLoggedRecords } from "@pdpp/test-support/vaults/logged-records";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "#server/store/engine/sql";

/** The log lists exactly the records that an answer shows. */

type Item = { readonly id: string; readonly connection_id: string; readonly stream: string };
const formatHandle = ({ id, connection_id, stream }: Item): string =>
  id.includes("/") ? id : `${connection_id}/${stream}:${id}`;

/** Lists every record in a list and its related records. */
const listShown = (items: readonly (Item & Pick<SingleRecord, "expanded">)[]): string[] =>
  items.flatMap((item) => [
    formatHandle(item),
    ...Object.values(item.expanded ?? {}).flatMap((related) =>
      related === null ? [] : related.object === "list" ? related.data.map(formatHandle) : [formatHandle(related)],
    ),
  ]);
const sortHandles = (handles: readonly string[]): string[] => [...new Set(handles)].sort();

describe.each(surfaceEngines)("the records listed in the log on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let owner: OwnerApi;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault, { clientQueries: true });
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    token = await world.grant(everything);
  });
  afterAll(() => vault.drop());

  /** Lists the records that one call returns, from its answer and from its log entry. */
  const compareWithLog = async <T>(path: string, shown: (answer: T) => readonly string[], as = token) => {
    const answer = await world.call(as, path);
    expect([path, answer.status]).toEqual([path, 200]);
    const said = sortHandles(shown((await answer.json()) as T));
    await vault.store.log.flush();
    const [entry] = await owner.log.read({ limit: 1 });
    if (entry === undefined) throw new Error("nothing was noted");
    return { said, noted: await listLoggedRecords(vault.store, entry), entry };
  };
  const listRecords = ({ data }: RecordList) => listShown(data);

  it.each([
    ["a page", "/v1/streams/messages/records?limit=7", 7],
    ["a page of cards", "/v1/streams/messages/records?limit=7&view=evidence", 7],
    ["a page that ends where its room ends", "/v1/streams/messages/records?view=evidence&max_chars=2000&limit=50", 3],
    ["a filter", "/v1/streams/messages/records?filter[likes][gte]=19&connection_id=chat_home", 11],
    ["related records", "/v1/streams/channels/records?expand=messages&expand_limit[messages]=3", 8],
    ["related records without room", "/v1/streams/channels/records?expand=messages&view=evidence&max_chars=600", 2],
    ["one related record", "/v1/streams/messages/records?expand=channel&limit=4&connection_id=chat_home", 6],
    ["changes from the beginning", "/v1/streams/messages/records?changes_since=beginning&limit=9", 9],
  ])("[LOG-8] lists the records of %s", async (_, path, most) => {
    const { said, noted } = await compareWithLog(path, listRecords);
    expect(noted).toEqual(said);
    expect(noted.length).toBeGreaterThan(1);
    expect(noted.length).toBeLessThanOrEqual(most);
  });

  it("[LOG-8] lists one record with its related records, a field window and an earlier version", async () => {
    const listRecord = (answer: SingleRecord) => listShown([answer]);
    const channel = await compareWithLog(
      "/v1/streams/channels/records/general?connection_id=chat_home&expand=messages",
      listRecord,
    );
    expect([channel.noted, channel.noted.length]).toEqual([channel.said, 3]);
    await putRecords(vault, "chat_home", "messages", [buildMessage("h05", 5, { text: "another text" })]);
    const place = "/v1/streams/messages/records/h05";
    for (const path of ["", "/field-window", "/field-window"].map((part, i) =>
      i === 0 ? `${place}?connection_id=chat_home` : `${place}${part}?field=text&connection_id=chat_home&version=${i}`,
    )) {
      const { noted } = await compareWithLog(path, () => []);
      expect(noted).toEqual(["chat_home/messages:h05"]);
    }
  });

  it("[LOG-8] lists hits and the neighbouring records they quote", async () => {
    const listHits = ({ data }: SearchList) =>
      data.flatMap((hit) => [hit.id, ...(hit.beside ?? []).map((beside) => beside.id)]);
    for (const path of ["q=message&limit=5", "q=message&limit=50&max_chars=2000&view=evidence", "q=another%20text"]) {
      const { noted, said } = await compareWithLog(`/v1/search?${path}`, listHits);
      expect(noted).toEqual(said);
      expect(noted.length).toBeGreaterThan(0);
    }
  });

  it("[LOG-8] lists changes since a bookmark, including deletions", async () => {
    const since = "/v1/streams/messages/records?connection_id=chat_work&changes_since";
    const first = await world.json<RecordList>(token, `${since}=beginning&limit=100`);
    await putRecords(vault, "chat_work", "messages", [
      buildMessage("w01", 1, { text: "changed" }),
      buildMessage("new", 2),
    ]);
    await owner.records.delete({ stream: "messages", connection_id: "chat_work", record_id: "w02" });
    const { noted, said, entry } = await compareWithLog(`${since}=${first.next_changes_since}`, listRecords);
    expect(noted).toEqual(said);
    expect(noted).toEqual(["new", "w01", "w02"].map((id) => `chat_work/messages:${id}`));
    expect(entry.records).toBe(3);
  });

  it("[LOG-8] lists for a file the records it belongs to that the grant can see", async () => {
    const stored = await owner.blobs.put(
      { mime_type: "image/png" },
      (async function* () {
        yield Buffer.from("a picture");
      })(),
    );
    const { blob_id, mime_type } = stored;
    const pictures = ["p1", "p2"].map((id, i) => buildMessage(id, 60 + i, { blob_ref: { blob_id, mime_type } }));
    await putRecords(vault, "chat_home", "messages", pictures);
    const resources = { name: "messages", resources: ["p2"] };
    const narrow = await world.grant({ ...everything, sources: [{ connector_key: "chat", streams: [resources] }] });
    for (const [as, ids] of [
      [token, ["p1", "p2"]],
      [narrow, ["p2"]],
    ] as const) {
      const answer = await world.call(as, `/v1/blobs/${stored.blob_id}?connection_id=chat_home`);
      expect(await answer.text()).toBe("a picture");
      await vault.store.log.flush();
      const [entry] = await owner.log.read({ limit: 1 });
      expect(entry).toMatchObject({ operation: "readBlob", records: 0, outcome: "finished" });
      expect(await listLoggedRecords(vault.store, entry!)).toEqual(ids.map((id) => `chat_home/messages:${id}`));
    }
  });

  it("[LOG-8] lists no record for counts, schemas and rejections", async () => {
    for (const path of ["/v1/schema", "/v1/streams", "/v1/streams/messages/aggregate?metric=count"])
      expect((await compareWithLog(path, () => [])).noted).toEqual([]);
    expect((await world.call(token, "/v1/streams/messages/records/none?connection_id=chat_home")).status).toBe(404);
    await vault.store.log.flush();
    const [entry] = await owner.log.read({ limit: 1 });
    expect(await listLoggedRecords(vault.store, entry!)).toEqual([]);
  });

  it("[LOG-8] says when an answer has more records than it lists, and how far it went", async () => {
    const one = await world.call(token, "/v1/export?stream=channels");
    await one.text();
    const many = Array.from({ length: 400 }, (_, i) => buildMessage(`x${i}`, i));
    await putRecords(vault, "chat_home", "messages", many);
    const all = await world.call(token, "/v1/export?stream=messages&connection_id=chat_home");
    const lines = (await all.text()).trim().split("\n").length;
    await vault.store.log.flush();
    const [small, large] = await owner.log.read({ limit: 2 });
    expect(await listLoggedRecords(vault.store, small!)).toEqual(
      ["general", "random"].map((id) => `chat_home/channels:${id}`),
    );
    expect(large).toMatchObject({ operation: "export", records: lines, outcome: "finished" });
    const row = await vault.store.engine.read((on) =>
      on.one<{ versions: string; next_version: number }>(
        sql`SELECT versions, next_version FROM access_log, owner WHERE entry_no = ${large!.entry} AND owner.owner_no = 1`,
      ),
    );
    expect(row?.versions.length).toBeLessThan(1500);
    const [, highest = ""] = row?.versions.split("+") ?? [];
    expect(Number.parseInt(highest, 36)).toBe((row?.next_version ?? 0) - 1);
    expect(await owner.log.verify()).toMatchObject({ valid: true });
  });
});
