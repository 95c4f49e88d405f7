import type { ConnectorList, FullSchema } from "@pdpp/contract/wire";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe("the schema in the format of other implementations", () => {
  let vault: TestVault;
  let world: Sample;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    world = await createSample(vault);
  });
  afterAll(() => vault.drop());

  it("[SCH-3] says for every kind of aggregation whether a field declares it and can use it", async () => {
    const token = await world.grant({
      client: { name: "test" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "sent_at", "text"] }] }],
    });
    const { connectors } = await world.json<FullSchema>(token, "/v1/schema");
    const { sent_at: sentAt, text, ...others } = connectors[0]?.streams[0]?.field_capabilities ?? {};
    const no = { declared: false, usable: false };
    const yes = { declared: true, usable: true };
    const none = { sum: no, min: no, max: no, group_by: no, group_by_time: no, count_distinct: no };
    expect(text?.aggregation).toEqual(none);
    expect(sentAt?.aggregation).toEqual({ ...none, min: yes, max: yes, group_by_time: yes });
    expect(Object.keys(others)).toEqual(["id"]);
  });

  it("[SCH-3] has the source and the number of streams in a connector's row", async () => {
    const token = await world.grant(everything);
    const { data } = await world.json<ConnectorList>(token, "/v1/connectors");
    expect(data).toMatchObject([
      {
        object: "connector",
        connector_key: "chat",
        source: { kind: "connector", id: "https://example.org/connectors/chat" },
        stream_count: 2,
        streams: [{ name: "messages" }, { name: "channels" }],
      },
    ]);
  });
});
