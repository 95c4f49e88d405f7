import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";

/** The order of records that all match. */

const createStream = (name: string, search: JsonObject): JsonObject => ({
  name,
  primary_key: ["id"],
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      author: { type: "string" },
      is_draft: { type: "boolean" },
      text: { type: "string" },
    },
  },
  query: { search: { lexical_fields: ["text"], ...search } },
});

const manifest = parseManifest({
  connector_key: "household",
  version: "1",
  streams: [
    createStream("answers", { generated: { field: "author", values: ["assistant", "model"] } }),
    createStream("drafts", { generated: { field: "is_draft", values: [true] } }),
    createStream("notes", {}),
    createStream("mails", {}),
  ],
});

type Line = readonly [id: string, text: string, more?: JsonObject];

const talk = "Mila and Jonas had cake in the garden and Mila sang with Jonas. ".repeat(6);

const records: { readonly [createStream: string]: readonly Line[] } = {
  notes: [
    ["crabs", "Mila counted 31 crabs, a record"],
    ...Array.from({ length: 90 }, (_, i): Line => [`other-${i}`, `shopping list number ${i}`]),
    ...Array.from({ length: 9 }, (_, i): Line => [`garden-${i}`, `garden notes of day ${i}, with Mila and Jonas`]),
    ["ferry-note", "the ferry leaves at nine"],
    ["close-note", "pirate flag from the attic"],
    ["title", "read The Salt Road Home on the train"],
    ["talk-of-titles", "Henrike wrote to Oskar about the library in Lisbon, and what he had lent"],
    ["together", "an otter survey by the weir, and boats"],
    ["apart", "an otter by the weir, and a boat survey"],
  ],
  mails: [
    ["talk-1", talk],
    ["talk-2", `${talk} Jonas laughed, and Mila ran to Jonas.`],
    ...Array.from({ length: 6 }, (_, i): Line => [`flag-${i}`, `pirate flag, offer ${i}`]),
    ["distant", `a flag among ${"many other things and ".repeat(12)} the rest`],
  ],
  answers: [
    ["owner", "the boiler lost its pressure", { author: "owner" }],
    ["assistant", "the boiler lost its pressure", { author: "assistant" }],
    ["other-model", "the boiler lost its pressure", { author: "model" }],
    ["only", "zymurgy is the last word", { author: "assistant" }],
  ],
  drafts: [
    ["letter", "the lease ends in May", { is_draft: false }],
    ["draft", "the lease ends in May", { is_draft: true }],
  ],
};

describe.each(engineNames)("ranking on %s", (engine) => {
  let vault: TestVault;
  let whole: ReadApi;
  let narrow: ReadApi;

  beforeAll(async () => {
    vault = await createVault(engine);
    const { store } = vault;
    await store.register(manifest, 0);
    await addConnection(store, 1, { connectorKey: "household", id: "home" }, 0);
    for (const [name, lines] of Object.entries(records)) {
      const data = lines.map(([id, text, more]) => ({ data: { id, text, ...more } }));
      await putRecords(vault, "home", name, data);
    }
    const grant = async (streams: { name: string; fields?: string[] }[]) => {
      const sources = [{ connector_key: "household", streams }];
      return openReader(store, (await issueGrant(store, 1, { client: { name: "t" }, sources }, 0)).token);
    };
    whole = await grant([{ name: "*" }]);
    narrow = await grant([{ name: "answers", fields: ["id", "text"] }]);
  });
  afterAll(() => vault.drop());

  const findIds = async (reader: ReadApi, q: string, limit = 20): Promise<string[]> =>
    (await reader.search({ q, limit })).data.map(({ record_key }) => record_key);

  it("[SRCH-27] ranks a record with the rarest word above long ones that repeat the other words", async () => {
    expect((await findIds(whole, "How many crabs did Mila and Jonas see?"))[0]).toBe("crabs");
  });

  it("[SRCH-43] ranks a quoted title above a record with most of the other words", async () => {
    const question = 'Who lent Oskar "The Salt Road Home" at the library in Lisbon?';
    expect((await findIds(whole, question))[0]).toBe("title");
  });

  it("[SRCH-44] ranks records higher where words are adjacent as in the query", async () => {
    expect((await findIds(whole, "otter survey")).slice(0, 2)).toEqual(["together", "apart"]);
  });

  it("[SRCH-28] ranks generated content below its source", async () => {
    // All three match equally well, so the newest would come first.
    expect(await findIds(whole, "boiler pressure")).toEqual(["owner", "other-model", "assistant"]);
    expect(await findIds(whole, "lease")).toEqual(["letter", "draft"]);
    expect(await findIds(whole, "zymurgy")).toEqual(["only"]);
  });

  it("[SRCH-28] [AUT-4] ignores the declaration if its field is outside the grant", async () => {
    expect(await findIds(narrow, "boiler pressure")).toEqual(["other-model", "assistant", "owner"]);
  });

  it("[SRCH-29] mixes in other sources only if their hits are nearly as good", async () => {
    const page = await findIds(whole, "pirate flag", 5);
    expect(page).toContain("close-note");
    expect(page).not.toContain("distant");
  });

  it("[SRCH-29] [SRCH-8] shows every hit once over all pages", async () => {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await whole.search({ q: "pirate flag", limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      ids.push(...page.data.map(({ record_key }) => record_key));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(ids).toEqual(await findIds(whole, "pirate flag"));
    expect(new Set(ids).size).toBe(8);
  });
});
