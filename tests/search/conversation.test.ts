import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";

/** Turns of conversations: what was asked stands in one, and the answer in the next. */

const manifest = (context: JsonObject): JsonObject => ({
  connector_key: "talks",
  version: "1",
  streams: [
    {
      name: "turns",
      primary_key: ["id"],
      consent_time_field: "at",
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          talk: { type: "string" },
          who: { type: "string", x_pdpp_role: "actor" },
          text: { type: "string", x_pdpp_role: "body" },
          at: { type: "string", format: "date-time" },
        },
      },
      query: { search: { lexical_fields: ["text"], context } },
    },
  ],
});

const turns: [id: string, talk: string, text: string][] = [
  ["a1", "a", "When does the boiler man come?"],
  ["a2", "a", "He said Tuesday at nine"],
  ["a3", "a", "Fine"],
  ["b1", "b", "Shall we swim?"],
  ["b2", "b", "Tuesday suits me well enough"],
  ["b3", "b", "Tuesday it is"],
  ["c1", "c", "The boiler is old"],
  ["d1", "d", "When does the piano come?"],
  ["d2", "d", "Let me look"],
  ["d3", "d", "One moment"],
  ["d4", "d", "On Friday"],
  ["e1", "e", "Shall we sail?"],
  ["e2", "e", "I have a boat"],
  ["e3", "e", "With pleasure"],
];

/** Who asks goes on once; all others take turns. */
const whoSaid = (id: string): string =>
  id === "e2" || id.endsWith("1") || id.endsWith("3") === (id !== "e3") ? "Ada" : "Jo";

const at = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();

describe.each(engineNames)("conversations on %s", (engine) => {
  let vault: TestVault;
  let whole: ReadApi;
  let part: ReadApi;
  let narrow: ReadApi;
  let ends: ReadApi;
  let only: ReadApi;

  beforeAll(async () => {
    vault = await createVault(engine);
    const { store } = vault;
    await store.register(parseManifest(manifest({ within: "talk", by: "at" })), 0);
    await addConnection(store, 1, { connectorKey: "talks", id: "talks" }, 0);
    // Not in the order in which they were said.
    const records = turns
      .map(([id, talk, text], n) => ({ data: { id, talk, who: whoSaid(id), text, at: at(n) } }))
      .reverse();
    await putRecords(vault, "talks", "turns", records);
    const grant = async (stream: JsonObject) => {
      const sources = [{ connector_key: "talks", streams: [{ name: "turns", ...stream }] }];
      return openReader(store, (await issueGrant(store, 1, { client: { name: "t" }, sources }, 0)).token);
    };
    whole = await grant({});
    part = await grant({ time_range: { since: at(1) } });
    narrow = await grant({ fields: ["id", "text", "at"] });
    only = await grant({ resources: ["b1"] });
    ends = await grant({ resources: ["d1", "d4"] });
  });
  afterAll(() => vault.drop());

  const found = async (reader: ReadApi, q: string) =>
    (await reader.search({ q, limit: 10 })).data.map(({ record_key, beside }) => [record_key, beside ?? []]);

  it("[SRCH-19] an answer counts with what was asked before it, and the hit says what stands beside it", async () => {
    const hits = await found(whole, "boiler tuesday?");
    const beside = (words: string[], id: string) => [{ words, id: `talks/turns:${id}` }];
    expect(hits.slice(0, 2).sort()).toEqual([
      ["a1", beside(["tuesday"], "a2")],
      ["a2", beside(["boiler"], "a1")],
    ]);
    expect(hits.slice(2).map(([, said]) => said)).toEqual([[], [], []]);
  });

  it("[SRCH-19] a neighbour outside the grant counts nothing and is not named", async () => {
    const hits = await found(part, "boiler tuesday?");
    expect(hits.map(([key]) => key)).not.toContain("a1");
    expect(hits.find(([key]) => key === "a2")).toEqual(["a2", []]);
  });

  it("[SRCH-19] records that the grant does not show stand between no others", async () => {
    expect(await found(whole, "piano friday?")).toEqual([
      ["d4", []],
      ["d1", []],
    ]);
    expect((await found(ends, "piano friday?")).sort()).toEqual([
      ["d1", [{ words: ["friday"], id: "talks/turns:d4" }]],
      ["d4", [{ words: ["piano"], id: "talks/turns:d1" }]],
    ]);
  });

  const repliesIn = async (reader: ReadApi, q: string) =>
    (await reader.search({ q, limit: 10 })).data.map(({ record_key, reply }) => [record_key, reply?.preview]);

  it("[EVI-25] a question shows the reply: of the two turns that follow, the first by somebody else", async () => {
    expect(await repliesIn(whole, "boiler man")).toContainEqual(["a1", "He said Tuesday at nine"]);
    expect(await repliesIn(whole, "swim")).toEqual([["b1", "Tuesday suits me well enough"]]);
    // The same person goes on, and then somebody answers.
    expect(await repliesIn(whole, "sail")).toEqual([["e1", "With pleasure"]]);
    expect(await repliesIn(whole, "fine")).toEqual([["a3", undefined]]);
    const [hit] = (await whole.search({ q: "swim" })).data;
    expect(hit?.reply).toMatchObject({
      id: "talks/turns:b2",
      details: [{ field_path: "who", role: "actor", value: "Jo" }],
      truncated: false,
    });
  });

  it("[AUT-4] [EVI-25] a turn outside the grant is no reply, nor is one where the order is not shown", async () => {
    expect(await repliesIn(ends, "piano")).toEqual([["d1", "On Friday"]]);
    expect(await repliesIn(narrow, "swim")).toEqual([["b1", undefined]]);
    expect(await repliesIn(only, "swim")).toEqual([["b1", undefined]]);
  });

  it("[AUT-4] [SRCH-19] a field outside the grant makes no neighbours", async () => {
    const hits = await found(narrow, "boiler tuesday?");
    expect(hits.map(([key]) => key)).toContain("a2");
    expect(hits.map(([, beside]) => beside)).toEqual(hits.map(() => []));
  });
});

it("[SRCH-19] a conversation is ordered by a time or a number", () => {
  expect(() => parseManifest(manifest({ within: "talk", by: "talk" }))).toThrow(/context/);
  expect(() => parseManifest(manifest({ within: "nowhere", by: "at" }))).toThrow(/nowhere/);
  expect(() => parseManifest(manifest({ within: "talk" }))).toThrow(/by/);
});
