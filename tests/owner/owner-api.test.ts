import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, origin, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { sql } from "#server/store/engine/sql";

const streamLines = async function* (...records: object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"));
};

describe.each(surfaceEngines)("the owner's API on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let first: OwnerApi;
  let second: OwnerApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    const { store } = vault;
    first = createOwner({ store, ownerNo: await findOwner(store), now: () => now });
    await store.engine.write((on) =>
      on.run(sql`INSERT INTO owner (owner_no, name, next_version, pruned_version) VALUES (2, 'another', 1, 0)`),
    );
    second = createOwner({ store, ownerNo: 2, now: () => now });
  });
  afterAll(() => vault.drop());

  it("[AUT-9] is bound to one owner, and another owner sees and reaches nothing of it", async () => {
    const { token, grants } = await first.grants.issue(everything);
    const { token_id: id } = await first.tokens.create({ name: "backup" });
    const app = createApp({ store: vault.store, now: () => now });
    await app.fetch(new Request(`${origin}/v1/streams`, { headers: { authorization: `Bearer ${token}` } }));
    await vault.store.log.flush();
    expect([
      await second.connections.list(),
      await second.grants.list(),
      await second.tokens.list(),
      await second.log.read({ limit: 100 }),
      (await (await second.reader()).streams({})).data,
    ]).toEqual([[], [], [], [], []]);
    const reads = (await first.log.read({ limit: 100 })).filter(({ kind }) => kind === "read");
    expect(reads.map(({ operation }) => operation)).toEqual(["streams"]);

    const grantId = grants[0]?.grant_id ?? "";
    for (const attempt of [
      () => second.connections.get("chat_home"),
      () => second.connections.remove("chat_home"),
      () => second.records.delete({ stream: "messages", connection_id: "chat_home" }),
      () =>
        second.records.ingest({ stream: "messages", connection_id: "chat_home" }, streamLines(buildMessage("x", 1))),
      () => second.blobs.put({ connection_id: "chat_home" }, streamLines()),
      () => second.grants.issue(everything),
      () => second.grants.revoke(grantId),
      () => second.tokens.revoke(id),
      () => second.log.read({ grant: grantId, limit: 1 }),
    ])
      await expect(attempt()).rejects.toMatchObject({ name: "PdppError" });
    expect(await first.connections.get("chat_home")).toMatchObject({ record_count: 32 });
    expect(await first.grants.get(grantId)).toMatchObject({ object: "grant", status: "active" });
  });

  it("[AUT-9] lets two owners give a connection the same id and keeps them apart", async () => {
    await second.connections.add({ connector_key: "chat", connection_id: "chat_home", display_name: "Theirs" });
    await second.records.ingest(
      { stream: "messages", connection_id: "chat_home" },
      streamLines(buildMessage("theirs", 1)),
    );
    const { token } = await second.tokens.create({ name: "script" });
    const path = "/v1/streams/messages/records/theirs?connection_id=chat_home";
    expect((await world.call(token, path)).status).toBe(200);
    expect((await world.call(world.ownerToken, path)).status).toBe(404);
    expect(await second.records.delete({ stream: "messages" })).toMatchObject({ records_deleted: 1 });
    expect(await second.records.prune(now + 1)).toMatchObject({ versions_pruned: 1 });
    expect(await second.connections.remove("chat_home")).toMatchObject({ deleted: true, records_deleted: 0 });
    expect(await first.connections.get("chat_home")).toMatchObject({ display_name: "Home", record_count: 32 });
  });

  it("[OWN-2] does not guess the owner of a vault with several", async () => {
    await expect(findOwner(vault.store)).rejects.toThrow("several owners");
  });
});
