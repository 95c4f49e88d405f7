import type { FieldWindow, SingleItem } from "@pdpp/contract/wire";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe.each(surfaceEngines)("versions of a record on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  const record = "/v1/streams/messages/records/v?connection_id=chat_home";
  const states = [
    { text: "one", secret: "a", likes: 1 },
    { text: "one", secret: "b", likes: 1 },
    { text: "two", secret: "b", likes: 2 },
    { text: "two", secret: "c", likes: 2 },
    { text: "three", secret: "c", likes: 2 },
  ];
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    for (const [i, state] of states.entries())
      await putRecords(vault, "chat_home", "messages", [buildMessage("v", 61, state)], now + i * 1000);
  });
  afterAll(() => vault.drop());

  const listVersions = async (token: string, most: number) => {
    const item = await world.json<SingleItem>(token, `${record}&versions=${most}`);
    return item.meta.versions ?? [];
  };

  it("[CSL-14] lists versions with their times and what changed in each", async () => {
    const token = await world.grant(everything);
    const listed = await listVersions(token, 50);
    expect(listed.map(({ record_version, changed }) => [record_version, changed])).toEqual([
      ["5", ["text"]],
      ["4", ["secret"]],
      ["3", ["likes", "text"]],
      ["2", ["secret"]],
      ["1", undefined],
    ]);
    expect((await listVersions(token, 2)).map(({ changed }) => changed)).toEqual([["text"], ["secret"]]);
    const item = await world.json<SingleItem>(token, record);
    expect(item.meta.versions).toBeUndefined();
  });

  it("[CSL-14] [AUT-4] lists only versions that a grant sees, and names no field outside it", async () => {
    const fields = ["id", "sent_at", "text", "likes"];
    const streams = [{ name: "messages", connection_ids: ["chat_home"], fields }];
    const token = await world.grant({ client: { name: "test" }, sources: [{ connector_key: "chat", streams }] });
    const listed = await listVersions(token, 50);
    expect(listed.map(({ record_version, changed }) => [record_version, changed])).toEqual([
      ["3", ["text"]],
      ["2", ["likes", "text"]],
      ["1", undefined],
    ]);
    // A window of each version must agree.
    for (const { record_version, emitted_at } of listed) {
      const window = await world.json<FieldWindow>(
        token,
        `/v1/streams/messages/records/v/field-window?connection_id=chat_home&field=text&version=${record_version}`,
      );
      expect([window.emitted_at, window.window.text]).toEqual([
        emitted_at,
        ["one", "two", "three"][Number(record_version) - 1],
      ]);
    }
  });

  it("[CSL-14] [AUT-4] omits versions outside a grant's time range", async () => {
    const writeAt = (minute: number, text: string) =>
      putRecords(vault, "chat_home", "messages", [buildMessage("moved", minute, { text })]);
    await writeAt(-600_000, "long ago");
    await writeAt(62, "lately");
    await writeAt(62, "lately, again");
    const time_range = { since: "2026-05-01T00:00:00Z" };
    const streams = [{ name: "messages", connection_ids: ["chat_home"], time_range }];
    const token = await world.grant({ client: { name: "test" }, sources: [{ connector_key: "chat", streams }] });
    const item = await world.json<SingleItem>(
      token,
      "/v1/streams/messages/records/moved?connection_id=chat_home&versions=10",
    );
    expect(item.meta.versions?.map(({ changed }) => changed)).toEqual([["text"], undefined]);
    const first = await world.json<FieldWindow>(
      token,
      "/v1/streams/messages/records/moved/field-window?connection_id=chat_home&field=text&version=1",
    );
    expect(first.window.text).toBe("lately");
  });
});
