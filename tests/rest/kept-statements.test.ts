import type { Input } from "@pdpp/contract/operations";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { createReader } from "#server/read/reader";

describe.each(engineNames)("the reads of one scope on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
  });
  afterAll(() => vault.drop());

  const openReader = async (limits: object) => {
    const { store } = vault;
    const sources = [{ connector_key: "chat", streams: [{ name: "messages", ...limits }] }];
    const scope = await authenticate(store, await world.grant({ ...everything, sources }), now);
    return createReader({ store, scope });
  };
  const lists = [{}, { order: "asc" }, { limit: 3 }, { limit: 4, order: "asc" }].flatMap((asked) =>
    [{}, { connection_id: "chat_work" }, { connection_id: "chat_home" }].map(
      (place): Input<"queryRecords"> => ({ stream: "messages", ...asked, ...place }) as Input<"queryRecords">,
    ),
  );

  it.each([
    ["everything", {}],
    ["some fields", { fields: ["id", "text", "sent_at"] }],
  ])("return the same as under a new one, whatever was read before: %s", async (_, limits) => {
    const kept = await openReader(limits);
    for (const asked of [...lists, ...lists.toReversed()]) {
      const fresh = await openReader(limits);
      const answer = await kept.queryRecords(asked);
      expect(answer.data.map(({ id, data }) => [id, data])).toEqual(
        (await fresh.queryRecords(asked)).data.map(({ id, data }) => [id, data]),
      );
      const [first] = answer.data;
      const record = { stream: "messages", record_id: first!.id, connection_id: first!.connection_id };
      expect((await kept.fetch(record)).data).toEqual((await fresh.fetch(record)).data);
    }
  });
});
