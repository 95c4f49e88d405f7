import type { SearchList } from "@pdpp/contract/wire";
import { type Connected, connect, parseOfferedCalls, type Result } from "@pdpp/test-support/mcp/clients";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { World } from "../mcp/hosts/world.ts";
import { openDemo } from "./demo-set.ts";
import { everydayQueries } from "./everyday.ts";
import { parseHits } from "./shown-hits.ts";
import { isRedundant } from "./words.ts";

/** Checks what search hits show, over the demo household. */

let world: World;
let client: Connected;
let pages: ReadonlyMap<string, Result>;
beforeAll(async () => {
  world = await openDemo();
  client = await connect({ transport: "http", era: "legacy" }, world.url, world.token);
  const asked: [string, Result][] = [];
  for (const query of everydayQueries) asked.push([query, await client.call("search", { query })]);
  pages = new Map(asked);
});
afterAll(async () => {
  await client.close();
  await world.close();
});

const search = (args: object): Promise<Result> => client.call("search", args);
const rest = async (path: string): Promise<SearchList> =>
  (await (
    await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${world.token}` } })
  ).json()) as SearchList;

describe("the details that distinguish hits", () => {
  it("[EVI-20] shows only a title for at most five hits of twenty everyday questions", () => {
    const bare = [...pages].flatMap(([query, { text }]) =>
      parseHits(text)
        .filter(({ head, passages }) => passages.every((line) => isRedundant(line, head)))
        .map(({ head }) => `${query}: ${head}`),
    );
    expect(bare.length, bare.join("\n")).toBeLessThanOrEqual(5);
  });

  it("[EVI-20] shows order items with their price and its unit, in text, in the structured form and over REST", async () => {
    const { text, structuredContent } = await search({ query: "oat milk" });
    expect(text).toMatch(/^1\. name: .*\n(?:.*, )?line_amount: 1\.79 EUR/);
    expect(structuredContent.results[0].details).toMatchObject({ shop: "Korbinchen", line_amount: 1.79 });
    expect(structuredContent.results[0].units).toEqual({ line_amount: "EUR" });
    const [hit] = (await rest("/v1/search?q=oat+milk&limit=1")).data;
    expect(hit?.details).toContainEqual({
      field_path: "line_amount",
      role: "amount",
      value: 1.79,
      unit: "EUR",
      truncated: false,
    });
  });

  it("[EVI-20] shows the location of appointments with the same title", async () => {
    const { text } = await search({ query: "dentist" });
    const events = parseHits(text).filter(({ head }) => head.includes("| calendar events"));
    expect(events.length).toBeGreaterThan(2);
    for (const { passages } of events) expect(passages.join(" ")).toContain("Dr. Zahnwald");
  });

  it("[EVI-22] names and highlights a matching title, without repeating it below", async () => {
    const { text, structuredContent } = await search({ query: "dentist" });
    expect(text).toMatch(/^1\. title: "<mark>Dentist<\/mark>" \| /);
    expect(text.split("\n")[1]).not.toContain("Dentist");
    expect(structuredContent.results[0]).toMatchObject({ title: "Dentist", matched: ["title"] });
    expect(structuredContent.results[0].preview).toBeUndefined();
    const [hit] = (await rest("/v1/search?q=dentist&limit=1")).data;
    expect(hit?.title_match).toEqual({ field_path: "title", match: [{ start_chars: 0, end_chars: 7 }] });
  });

  it("[EVI-45] names the actor and the conversation next to the message, once in the structured form", async () => {
    const found = await search({ query: "pumpkin curry stove", connection_id: "cin_chat_ada" });
    const [hit] = found.structuredContent.results;
    expect(hit).toMatchObject({ title: "Ada Brambleby in Jonas ❤️", field_path: "text" });
    expect(hit.details?.sender_name).toBeUndefined();
    expect(found.text).toMatch(/^1\. "Ada Brambleby in Jonas ❤️" \| sender_name "Ada Brambleby" \| chat messages/);
  });

  it("[EVI-22] does not highlight a title that was made up", async () => {
    const { data } = await rest("/v1/search?q=messages+2026&streams=messages&connection_id=cin_chat_ada&limit=5");
    expect(data.length).toBeGreaterThan(0);
    for (const { title_match, title_made_from } of data)
      expect([title_match, title_made_from]).toEqual([undefined, "parts"]);
  });
});

describe("the author of a hit", () => {
  it("[EVI-21] shows the messages in a search for a name in a chat", async () => {
    const { text, structuredContent } = await search({ query: "priya", connection_id: "cin_chat_ada" });
    const hits = parseHits(text);
    expect(hits).toHaveLength(5);
    for (const { head, passages } of hits) {
      expect(head).toContain("Priya Vantongeren");
      expect(passages.join("")).not.toBe("");
    }
    expect(new Set(hits.map(({ passages }) => passages.join(" "))).size).toBe(5);
    expect(text).toMatch(/sender_name "<mark>Priya/);
    expect(text).not.toMatch(/^sender_name/m);
    for (const { details } of structuredContent.results) expect(details.sender_name).toBe("Priya Vantongeren");
  });

  it("[EVI-21] names the sender of mail, and the owner or the assistant in AI conversations", () => {
    const heads = [...pages.values()].flatMap(({ text }) => text.split("\n").filter((line) => /^\d+\. /.test(line)));
    const mail = heads.filter((head) => head.includes("| mail messages"));
    const assistant = heads.filter((head) => head.includes("| assistant messages"));
    expect([mail.length > 3, assistant.length > 3]).toEqual([true, true]);
    for (const head of mail) expect(head).toMatch(/ \| from_name "/);
    for (const head of assistant) expect(head).toMatch(/ \| author "(?:owner|assistant)" \| /);
  });
});

describe("the size of a page", () => {
  it("[EVI-26] uses at most 1.3 times the tokens of the text in the structured form", () => {
    const all = [...pages.values()];
    // Cursors differ between runs, and so does their token count: use a fixed one.
    const cursor = "GTWWMvCcsA5NMnrSvL4m9pKEAWSdUQvy28Nq4kfP6LwjCvudrmdTH36RJ1lak9ohpESXDvbWKMQwKbN8BSV2Nrk";
    const countPageTokens = (shown: string) =>
      countTokens(shown.replaceAll(/"cursor":"[^"]+"/g, `"cursor":"${cursor}"`));
    const text = all.reduce((sum, page) => sum + countPageTokens(page.text), 0);
    const structured = all.reduce((sum, page) => sum + countPageTokens(JSON.stringify(page.structuredContent)), 0);
    console.log({ text, structured, ratio: structured / text });
    expect(structured).toBeLessThanOrEqual(1.3 * text);
  });
});

describe("the neighbours of a hit", () => {
  it("[EVI-28] leads to a neighbouring message in which a word matched", async () => {
    const { text, structuredContent } = await search({ query: "party cake saturday", connection_id: "cin_chat_ada" });
    const line = text.split("\n").findIndex((each) => each.endsWith(" matched in a neighbouring message:"));
    expect(line, text).toBeGreaterThan(0);
    const [call] = parseOfferedCalls(text.split("\n")[line + 1] ?? "");
    expect(call?.tool).toBe("fetch");
    const neighbours = structuredContent.results.flatMap(({ neighbours: found = [] }) => found);
    expect(neighbours.map(({ id }: { id: string }) => id)).toContain(call?.arguments.id);
  });
});

describe("a page of hits", () => {
  it("[EVI-23] has five hits for every everyday question with that many", () => {
    const short = [...pages].filter(
      ([, { structuredContent }]) => structuredContent.results.length !== 5 && structuredContent.has_more,
    );
    expect(short.map(([query]) => query)).toEqual([]);
  });

  it("[EVI-24] shows a recurring event once, with the number of others and the call that lists them", async () => {
    const { text, structuredContent } = await search({ query: "piano lesson" });
    const titles = structuredContent.results.map(({ title }: { title: string }) => title);
    expect(titles.filter((title: string) => title === "Mila: piano")).toHaveLength(1);
    const { similar } = structuredContent.results[titles.indexOf("Mila: piano")];
    expect(similar.count).toBeGreaterThan(20);
    expect(text).toContain(`${similar.count} more like this, `);
    expect(parseOfferedCalls(text)).toContainEqual(similar.read);
    const listed = (await client.follow(similar.read)).structuredContent.records;
    expect(new Set(listed.map(({ title }: { title: string }) => title))).toEqual(new Set(["Mila: piano"]));
  });

  it("[EVI-24] does not merge hits with different amounts", async () => {
    const { structuredContent } = await search({ query: "oat milk" });
    const amounts = structuredContent.results.flatMap(
      ({ details }: { details?: { line_amount?: number } }) => details?.line_amount ?? [],
    );
    expect(amounts.length).toBeGreaterThan(1);
    expect(new Set(amounts).size).toBe(amounts.length);
  });

  it("[EVI-24] visits every hit once, shown or counted", async () => {
    for (const query of ["dentist", "piano lesson", "oat milk"]) {
      const seen = new Set<string>();
      let [records, shown] = [0, 0];
      let page = await search({ query });
      const { count } = page.structuredContent;
      for (;;) {
        for (const { id, similar } of page.structuredContent.results) {
          seen.add(id);
          shown += 1;
          records += 1 + (similar?.count ?? 0);
        }
        if (page.structuredContent.next === undefined) break;
        page = await client.follow(page.structuredContent.next);
      }
      expect([query, records, seen.size]).toEqual([query, count, shown]);
    }
  });

  it("[EVI-25] shows who answered a question in a chat and what, and continues from there", async () => {
    const { text, structuredContent } = await search({ query: "cat swallowed ribbon wait or vet" });
    expect(text).toMatch(/^reply, author "assistant": "\*\*Vet, today, now\.\*\*/m);
    const hit = structuredContent.results.find(({ reply }: { reply?: object }) => reply !== undefined);
    expect(hit.reply.details).toEqual({ author: "assistant" });
    const water = await search({ query: "water the pots august", connection_id: "cin_chat_ada" });
    const { reply } = water.structuredContent.results.find(({ id }: { id: string }) => id.endsWith("cm_ffda6a10505b"));
    expect(reply.text).toMatch(/^back on 2 august/);
    expect(parseOfferedCalls(water.text)).toContainEqual(reply.read);
    const [first] = (await client.follow(reply.read)).structuredContent.records;
    expect(first.id).toBe(reply.id);
  });
});

describe("redundant details", () => {
  it("[EVI-27] shows a time once in a hit whose title is made from it, and no storage time in a card", async () => {
    const chat = { connection_id: "cin_chat_ada" };
    const hits = (await search({ query: "priya", ...chat })).text.split("\n").filter((line) => /^\d+\. /.test(line));
    expect(hits).toHaveLength(5);
    for (const head of hits) expect(head.match(/\d{4}-\d\d-\d\d/g)).toHaveLength(1);
    const { text, structuredContent } = await client.call("query_records", { stream: "messages", limit: 5, ...chat });
    expect(text).not.toContain("stored");
    const { shared = {}, records } = structuredContent;
    for (const record of records) expect({ ...shared, ...record }).toHaveProperty("emitted_at");
  });

  it("[EVI-27] starts a complete document with its text, without indentation", async () => {
    const { text, structuredContent } = await client.call("fetch", { id: "cin_purchases_ada/order_items:KB-345975-1" });
    expect(text).toBe(JSON.stringify(structuredContent));
    expect(Object.keys(structuredContent)[0]).toBe("text");
  });
});
