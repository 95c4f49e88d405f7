import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueOwnerToken } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import { tooHeavy } from "#server/read/context";
import { createLightReader, createReader } from "#server/read/reader";
import { now, ownerNo } from "./sample.ts";

const text = { type: "string" };
const count = 2000;

const manifest: JsonObject = {
  connector_key: "letters",
  version: "1",
  streams: [
    {
      name: "letters",
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "at",
      schema: {
        type: "object",
        required: ["id", "at"],
        properties: {
          id: text,
          at: { type: "string", format: "date-time" },
          author: { ...text, x_pdpp_role: "actor" },
          place: text,
          title: text,
          body: text,
          folder: text,
        },
      },
      query: {
        search: { lexical_fields: ["author", "place", "title", "body"] },
        aggregations: { count: true, group_by: ["place"] },
      },
    },
  ],
};

/** Different words in each, like letters. */
const writeBody = (n: number): string =>
  Array.from({ length: 60 }, (_, i) => `w${((n + 7) * (i + 3) ** 2) % 9973}`).join(" ");

const buildLetter = (n: number) => ({
  id: `l${n}`,
  at: new Date(now + n * 60_000).toISOString(),
  author: `author ${n % 40}`,
  place: `place ${n % 12}`,
  title: `title ${(n * 7919) % count} of letter ${n}`,
  body: writeBody(n),
  folder: `folder ${n % 5}`,
});

describe.each(engineNames)("texts that are only searched, on %s", (engine) => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault(engine);
    const { store } = vault;
    await store.register(parseManifest(manifest), now);
    const connection = await addConnection(store, ownerNo, { connectorKey: "letters", id: "box" }, now);
    const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ data: buildLetter(n) }));
    async function* send() {
      yield Buffer.from(lines.join("\n"));
    }
    await ingest(store, { ownerNo, connection, stream: "letters" }, send(), { now: () => now });
  });
  afterAll(() => vault.drop());

  const openReaders = async () => {
    const { store } = vault;
    const scope = await authenticate(store, (await issueOwnerToken(store, ownerNo, "test", now, null)).token, now);
    const options = { store, scope, now: () => now };
    return { reader: createReader(options), light: createLightReader(options) };
  };

  it("[KEEP-11] filters and sorts by them like by others, but not beside small reads", async () => {
    const { reader, light } = await openReaders();
    const letter = buildLetter(1234);
    const requests = [
      { stream: "letters", filter: { body: letter.body } },
      { stream: "letters", filter: { title: letter.title } },
      { stream: "letters", sort: ["title"], limit: 5 },
    ];
    for (const input of requests) expect(await light.read("queryRecords", input)).toBe(tooHeavy);
    const [byBody, byTitle, sorted] = await Promise.all(requests.map((input) => reader.queryRecords(input)));
    for (const found of [byBody, byTitle]) expect(found!.data.map(({ id }) => id)).toEqual(["l1234"]);
    const titles = Array.from({ length: count }, (_, n) => buildLetter(n)).sort((a, b) => (a.title < b.title ? -1 : 1));
    expect(sorted!.data.map(({ id }) => id)).toEqual(titles.slice(0, 5).map(({ id }) => id));
    for (const filter of [{ author: "author 3" }, { place: "place 3" }, { folder: "folder 3" }])
      expect(await light.read("queryRecords", { stream: "letters", filter, limit: 1 })).not.toBe(tooHeavy);
  });

  it.runIf(engine === "sqlite")("[KEEP-11] have no index, and other fields have", async () => {
    const { streamNo, columns } = (await vault.store.catalog()).connectors.get("letters")!.streams.get("letters")!;
    const db = new DatabaseSync(join(vault.dataDir, "vault.db"), { readOnly: true });
    const indexed = db
      .prepare(
        `SELECT i.name AS name FROM pragma_index_list('r_${streamNo}') AS l, pragma_index_info(l.name) AS i WHERE i.seqno = 2`,
      )
      .all()
      .map(({ name }) => name);
    db.close();
    const isIndexed = (field: string) => indexed.includes(columns.get(field)!.column);
    expect(["author", "place", "folder", "title", "body"].map(isIndexed)).toEqual([true, true, true, false, false]);
  });
});
