import type { RecordList, SearchList } from "@pdpp/contract/wire";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Records of several megabytes among short ones. */

const buildText = (n: number): string => `${`mail ${n} says: größer, 日本, 👍 "quoted"\n`.repeat(45_000)}whale${n}`;
const long = Array.from({ length: 5 }, (_, n) => ({ id: `long${n}`, text: buildText(n) }));

const shownText = (item: object): unknown =>
  "data" in item && typeof item.data === "object" && item.data !== null && "text" in item.data
    ? item.data.text
    : undefined;

describe.each(engineNames)("[FAIR-5] very large records on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    token = await world.grant(everything);
    await putRecords(
      vault,
      "chat_home",
      "messages",
      long.map(({ id, text }, n) => buildMessage(id, 100 + n, { text })),
    );
  });
  afterAll(() => vault.drop());

  const walk = async (query: string, as = token): Promise<RecordList[]> => {
    const pages: RecordList[] = [];
    const base = `/v1/streams/messages/records?connection_id=chat_home&limit=100${query}`;
    for (let next: string | null | undefined = base; next; next = pages.at(-1)?.links.next)
      pages.push(await world.json<RecordList>(as, next));
    return pages;
  };

  it("ends pages of a list early, and loses nothing", async () => {
    const pages = await walk("");
    expect(pages.length).toBeGreaterThan(1);
    const texts = new Map(
      pages.flatMap(({ data }) => data.map((item) => [item.object === "record" ? item.id : "", shownText(item)])),
    );
    expect(texts.size).toBe(35);
    for (const { id, text } of long) expect(texts.get(id) === text).toBe(true);
  });

  it("ends pages of cards early, too", async () => {
    const pages = await walk("&view=evidence");
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ data }) => data)).toHaveLength(35);
  });

  it("does not end a page early for fields that were not requested", async () => {
    expect(await walk("&fields=id")).toHaveLength(1);
  });

  it("does not end a page early for fields that are not granted", async () => {
    const narrow = await world.grant({
      client: { name: "narrow" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "sent_at"] }] }],
    });
    expect(await walk("", narrow)).toHaveLength(1);
    expect(await walk("&view=evidence", narrow)).toHaveLength(1);
  });

  it("ends a page of a search early, and each hit has its passage", async () => {
    const ids: string[] = [];
    let next: string | null | undefined = "/v1/search?q=whale*";
    let pages = 0;
    while (next) {
      const page: SearchList = await world.json<SearchList>(token, next);
      pages += 1;
      for (const { record_key, evidence } of page.data) {
        ids.push(record_key);
        expect(JSON.stringify(evidence)).toContain("whale");
      }
      next = page.links.next;
    }
    expect(pages).toBeGreaterThan(1);
    expect(ids.sort()).toEqual(long.map(({ id }) => id));
  });

  it("fetches and exports a record in full", async () => {
    const one = await world.json<{ data: { text: string } }>(
      token,
      "/v1/streams/messages/records/long3?connection_id=chat_home",
    );
    expect(one.data.text === buildText(3)).toBe(true);
    const lines = (await (await world.call(token, "/v1/export?stream=messages&connection_id=chat_home")).text())
      .trim()
      .split("\n")
      .map((line): { data: { id: string; text: string } } => JSON.parse(line));
    expect(lines).toHaveLength(35);
    for (const { id, text } of long) expect(lines.find(({ data }) => data.id === id)?.data.text === text).toBe(true);
  });
});
