import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";

const text = { type: "string" };
const manifest: JsonObject = {
  connector_key: "letters",
  version: "1",
  streams: [
    {
      name: "letters",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: text,
          sender: {
            type: ["object", "null"],
            properties: { name: text, email: text, home: { type: "object", properties: { city: text, street: text } } },
          },
          extra: { type: "object" },
          tags: { type: "array", items: { type: "object", properties: { name: text } } },
          hidden: { type: "object", properties: { name: text } },
          "a.b": text,
        },
      },
    },
  ],
};
const letter = {
  id: "l1",
  sender: { name: "Ada", email: "CANARY@example.org", home: { city: "Jena", street: "CANARY Street" } },
  extra: { any: { thing: 7 }, other: "CANARY" },
  tags: [{ name: "x" }],
  hidden: { name: "CANARY" },
  "a.b": "dotted",
};

interface Answer {
  data: JsonObject & { data?: JsonObject }[];
  error?: { code: string; message: string; param: string };
}

describe.each(surfaceEngines)("parts of fields on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await vault.store.register(parseManifest(manifest), now);
    await addConnection(vault.store, 1, { connectorKey: "letters", id: "box" }, now);
    await putRecords(vault, "box", "letters", [
      { data: letter },
      { data: { id: "l2", sender: null } },
      { data: { id: "l3" } },
    ]);
    const fields = ["id", "sender", "extra", "tags", "a.b"];
    token = await world.grant({
      client: { name: "agent" },
      sources: [{ connector_key: "letters", streams: [{ name: "letters", fields }] }],
    });
  });
  afterAll(() => vault.drop());

  const ask = (query: string) => world.json<Answer>(token, `/v1/streams/letters/records${query}`);

  it.each([
    ["sender.name", { sender: { name: "Ada" } }],
    ["sender.name,sender.home.city,id", { id: "l1", sender: { name: "Ada", home: { city: "Jena" } } }],
    ["extra.any.thing", { extra: { any: { thing: 7 } } }],
    ["extra.nowhere", { extra: {} }],
    ["a.b", { "a.b": "dotted" }],
  ])("[FET-10] selects fields=%s", async (fields, data) => {
    for (const [one, answer] of [
      [true, await ask(`/l1?fields=${fields}`)],
      [false, await ask(`?fields=${fields}&order=asc&filter[id]=l1`)],
    ] as const) {
      expect(one ? answer.data : answer.data[0]?.data).toEqual(data);
      expect(JSON.stringify(answer)).not.toContain("CANARY");
    }
  });

  it("[FET-10] returns null for a missing part or omits it", async () => {
    const { data } = await ask("?fields=sender.name&order=asc");
    expect(data.map((each) => each.data)).toEqual([{ sender: { name: "Ada" } }, { sender: null }, {}]);
  });

  it("[FET-10] shows a part by its path in a card and a document, and nothing else", async () => {
    const card = await ask("/l1?fields=sender.name,id&view=evidence");
    expect(card).toMatchObject({ fields: [{ field_path: "sender.name", value: "Ada" }, { field_path: "id" }] });
    const document = await ask("/l1?fields=sender.name,sender.home&view=document");
    expect(document).toMatchObject({ text: expect.stringContaining("sender.name: Ada") });
    expect(JSON.stringify(card)).not.toContain("CANARY");
  });

  it.each([
    ["sender.nope", "unknown_field", /has no part "nope"; it has: name, email, home/],
    ["sender.home.nope", "unknown_field", /"sender.home" has no part "nope"; it has: city, street/],
    ["sender.name.first", "unknown_field", /"sender.name" is not an object/],
    ["tags.name", "unknown_field", /"tags" is not an object/],
    ["nope.name", "unknown_field", /no field "nope"/],
    ["hidden.name", "field_not_granted", /hidden/],
    ["hidden.nope", "field_not_granted", /hidden/],
  ])("[FET-10] [FET-11] rejects fields=%s: %s", async (fields, code, words) => {
    const { error } = await ask(`?fields=${fields}`);
    expect(error).toMatchObject({ code, param: "fields", message: expect.stringMatching(words) });
  });
});
