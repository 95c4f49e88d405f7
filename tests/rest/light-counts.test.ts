import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { tooHeavy } from "#server/read/context";
import { createLightReader, createReader } from "#server/read/reader";

describe.each(engineNames)("a count on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
  });
  afterAll(() => vault.drop());

  const narrow = (limits: object) => ({
    ...everything,
    sources: [{ connector_key: "chat", streams: [{ name: "messages", ...limits }] }],
  });
  const openReaders = async (token: string) => {
    const { store } = vault;
    const scope = await authenticate(store, token, now);
    return { light: createLightReader({ store, scope }), full: createReader({ store, scope }) };
  };
  const input = { stream: "messages", metric: "count" } as const;

  it("[FAIR-2] of all records is a stored number, and is read without a thread", async () => {
    const { light, full } = await openReaders(await world.grant(everything));
    for (const asked of [input, { ...input, connection_id: "chat_work" }]) {
      const answer = await light.read("aggregate", asked);
      expect(answer).toEqual(await full.aggregate(asked));
      expect(answer).toMatchObject({ value: asked === input ? 50 : 20 });
    }
  });

  it("[FAIR-2] needs a thread if records have to be counted", async () => {
    const { light } = await openReaders(await world.grant(everything));
    for (const asked of [
      { ...input, filter: { channel_id: "general" } },
      { ...input, group_by: "channel_id" },
      { ...input, metric: "count_distinct" as const, field: "channel_id" },
      { ...input, metric: "sum" as const, field: "likes" },
    ])
      expect(await light.read("aggregate", asked)).toBe(tooHeavy);
  });

  it.each([
    ["records", { resources: ["h01", "h02"] }, 2],
    ["time", { time_range: { until: "2026-05-01T10:05:00Z" } }, 10],
  ])("[FAIR-2] under a grant that limits %s counts what it shows, in a thread", async (_, limits, count) => {
    const { light, full } = await openReaders(await world.grant(narrow(limits) as never));
    expect(await light.read("aggregate", input)).toBe(tooHeavy);
    expect(await full.aggregate(input)).toMatchObject({ value: count });
  });
});
