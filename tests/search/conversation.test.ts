import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";

/** Conversations in which one turn asks and the next answers. */

const createManifest = (context: JsonObject): JsonObject => ({
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

/** The person who asks speaks twice in a row once; otherwise speakers alternate. */
const getSpeaker = (id: string): string =>
  id === "e2" || id.endsWith("1") || id.endsWith("3") === (id !== "e3") ? "Ada" : "Jo";

const formatTime = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();

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
    await store.register(parseManifest(createManifest({ within: "talk", by: "at" })), 0);
    await addConnection(store, 1, { connectorKey: "talks", id: "talks" }, 0);
    // Stored out of order.
    const records = turns
      .map(([id, talk, text], n) => ({ data: { id, talk, who: getSpeaker(id), text, at: formatTime(n) } }))
      .reverse();
    await putRecords(vault, "talks", "turns", records);
    const grant = async (stream: JsonObject) => {
      const sources = [{ connector_key: "talks", streams: [{ name: "turns", ...stream }] }];
      return openReader(store, (await issueGrant(store, 1, { client: { name: "t" }, sources }, 0)).token);
    };
    whole = await grant({});
    part = await grant({ time_range: { since: formatTime(1) } });
    narrow = await grant({ fields: ["id", "text", "at"] });
    only = await grant({ resources: ["b1"] });
    ends = await grant({ resources: ["d1", "d4"] });
  });
  afterAll(() => vault.drop());

  const findIds = async (reader: ReadApi, q: string) =>
    (await reader.search({ q, limit: 10 })).data.map(({ record_key, beside }) => [record_key, beside ?? []]);

  it("[SRCH-19] ranks an answer by the question before it, and names the words matched there", async () => {
    const hits = await findIds(whole, "boiler tuesday?");
    const beside = (words: string[], id: string) => [{ words, id: `talks/turns:${id}` }];
    expect(hits.slice(0, 2).sort()).toEqual([
      ["a1", beside(["tuesday"], "a2")],
      ["a2", beside(["boiler"], "a1")],
    ]);
    expect(hits.slice(2).map(([, said]) => said)).toEqual([[], [], []]);
  });

  it("[SRCH-19] ignores a neighbour outside the grant and does not name it", async () => {
    const hits = await findIds(part, "boiler tuesday?");
    expect(hits.map(([key]) => key)).not.toContain("a1");
    expect(hits.find(([key]) => key === "a2")).toEqual(["a2", []]);
  });

  it("[SRCH-19] treats turns as adjacent if the grant hides those between them", async () => {
    expect(await findIds(whole, "piano friday?")).toEqual([
      ["d4", []],
      ["d1", []],
    ]);
    expect((await findIds(ends, "piano friday?")).sort()).toEqual([
      ["d1", [{ words: ["friday"], id: "talks/turns:d4" }]],
      ["d4", [{ words: ["piano"], id: "talks/turns:d1" }]],
    ]);
  });

  const findReplies = async (reader: ReadApi, q: string) =>
    (await reader.search({ q, limit: 10 })).data.map(({ record_key, reply }) => [record_key, reply?.preview]);

  it("[EVI-25] shows the reply to a question: the first of the next two turns by somebody else", async () => {
    expect(await findReplies(whole, "boiler man")).toContainEqual(["a1", "He said Tuesday at nine"]);
    expect(await findReplies(whole, "swim")).toEqual([["b1", "Tuesday suits me well enough"]]);
    // The same person speaks again before somebody answers.
    expect(await findReplies(whole, "sail")).toEqual([["e1", "With pleasure"]]);
    expect(await findReplies(whole, "fine")).toEqual([["a3", undefined]]);
    const [hit] = (await whole.search({ q: "swim" })).data;
    expect(hit?.reply).toMatchObject({
      id: "talks/turns:b2",
      details: [{ field_path: "who", role: "actor", value: "Jo" }],
      truncated: false,
    });
  });

  it("[AUT-4] [EVI-25] shows no reply that is outside the grant, or whose order the grant hides", async () => {
    expect(await findReplies(ends, "piano")).toEqual([["d1", "On Friday"]]);
    expect(await findReplies(narrow, "swim")).toEqual([["b1", undefined]]);
    expect(await findReplies(only, "swim")).toEqual([["b1", undefined]]);
  });

  it("[AUT-4] [SRCH-19] finds no neighbours by a field outside the grant", async () => {
    const hits = await findIds(narrow, "boiler tuesday?");
    expect(hits.map(([key]) => key)).toContain("a2");
    expect(hits.map(([, beside]) => beside)).toEqual(hits.map(() => []));
  });
});

it("[SRCH-19] requires a time or a number to order a conversation", () => {
  expect(() => parseManifest(createManifest({ within: "talk", by: "talk" }))).toThrow(/context/);
  expect(() => parseManifest(createManifest({ within: "nowhere", by: "at" }))).toThrow(/nowhere/);
  expect(() => parseManifest(createManifest({ within: "talk" }))).toThrow(/by/);
});
