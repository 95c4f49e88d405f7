import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { estimateTokens } from "@pdpp/evidence/sizes/tokens";
import { type BudgetWorld, createBudgetWorld, measureBudgets } from "@pdpp/test-support/mcp/budgets";
import { buildHitRead, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe("size budgets", () => {
  let world: BudgetWorld;
  beforeAll(async () => {
    world = await createBudgetWorld(await createVault("sqlite"));
  });
  afterAll(() => world.close());

  it("[HOST-3] [TOOL-4] [SCH-1] [SCH-8] holds for the widest grants and the longest records", async () => {
    const over = (await measureBudgets(world)).filter(({ limit, measured }) => measured > limit);
    expect(over).toEqual([]);
  });

  it("[SCH-1] [SCH-2] names every one of 500 streams in the index, under its connector", async () => {
    const client = await world.clientFor("fivehundred");
    const { text, structuredContent } = await client.call("schema");
    const [, listed] = /^fivehundred .*, connection fivehundred_1 "My fivehundred", 500 streams: (.*)$/m.exec(text)!;
    expect(listed!.split(", ")).toHaveLength(500);
    expect(structuredContent.data.connectors[0].streams).toHaveLength(500);
    expect(text + JSON.stringify(structuredContent)).not.toContain("t=text");
  });

  it("[HND-1] [SCH-1] leads from the index of 500 streams through a connection's pages to each stream's fields", async () => {
    const client = await world.clientFor("fivehundred");
    const index = await client.call("schema", { connection_id: "fivehundred_1" });
    expect(parseOfferedCalls(index.text)).toEqual([index.structuredContent.data.calls]);
    let page = await client.follow(index.structuredContent.data.calls);
    const names = new Set<string>();
    for (;;) {
      expect(page.text.length).toBeLessThan(8000);
      for (const { streams } of page.structuredContent.data.connectors[0].sources)
        for (const { name } of streams) names.add(name);
      if (page.structuredContent.next === undefined) break;
      page = await client.follow(page.structuredContent.next);
    }
    expect(names.size).toBe(500);
  });

  it("[SCH-8] [SCH-1] pages through a stream's fields, each field once", async () => {
    const client = await world.clientFor("wide");
    for (const detail of ["compact", "full"]) {
      const fields: string[] = [];
      let page = await client.call("schema", { stream: "wide", connection_id: "wide_1", detail });
      for (;;) {
        const { data, next } = page.structuredContent;
        const stream = detail === "full" ? data.stream : data.connectors[0].streams[0];
        fields.push(...Object.keys(stream.field_capabilities));
        if (next === undefined) break;
        page = await client.follow(next);
      }
      expect([detail, fields.length, new Set(fields).size]).toEqual([detail, 41, 41]);
    }
  });

  it("[HOST-3] [HND-1] [BIG-5] reaches related records that do not fit with one call, and continues the page after their parent", async () => {
    const client = await world.clientFor("family");
    const page = await client.call("query_records", { stream: "parents", expand: ["children"] });
    const [first] = page.structuredContent.records;
    const rest = await client.follow(page.structuredContent.next);
    expect([first.id, rest.structuredContent.records[0].id].sort()).toEqual([
      "family_1/parents:p",
      "family_1/parents:q",
    ]);
    expect(rest.structuredContent.has_more).toBe(false);
    const ids = new Set<string>();
    for (let children = await client.follow(first.expanded.children.next); ; ) {
      for (const { id } of children.structuredContent.records) ids.add(id);
      if (children.structuredContent.next === undefined) break;
      children = await client.follow(children.structuredContent.next);
    }
    expect(ids.size).toBe(50);
  });

  it("[HOST-3] [LAD-4] starts a search with a hit's call and ends it with the next page's", async () => {
    const client = await world.clientFor("hits");
    const { text, structuredContent } = await client.call("search", { query: "needle" });
    expect(text.length).toBeGreaterThan(1500);
    const [first] = parseOfferedCalls(text.slice(0, 1500));
    expect(first).toEqual(buildHitRead(structuredContent.results[0]));
    expect(text.slice(0, 1500)).not.toContain("on this page");
    const last = text.split("\n").slice(-2).join("\n");
    expect(last).toMatch(/^\d hits on this page, 12 in all\. The next page:\n-> search /);
    expect(parseOfferedCalls(last)).toEqual([structuredContent.next]);
  });

  it("[HOST-3] [WIN-3] rebuilds the longest field exactly from windows that were cut short", async () => {
    const client = await world.clientFor("long");
    const ids = (await client.call("query_records", { stream: "long", fields: ["kind"] })).structuredContent.records;
    for (const { id } of ids.slice(0, 2)) {
      let page = await client.call("read_record_field", { id, field_path: "field_000" });
      let text = "";
      for (;;) {
        text += page.structuredContent.window.text;
        const { start_chars, end_chars } = page.structuredContent.window;
        if (page.structuredContent.next === undefined) break;
        expect(end_chars - start_chars).toBeGreaterThan(100);
        page = await client.follow(page.structuredContent.next);
      }
      const { total_chars } = page.structuredContent.window;
      expect([...text]).toHaveLength(total_chars);
    }
  });
});

const digest = (i: number) => createHash("sha512").update(String(i)).digest();
const bytes = Buffer.concat(Array.from({ length: 60 }, (_, i) => digest(i)));
const drawFromAlphabet = (alphabet: string): string =>
  Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
const drawCodePoints = (first: number, count: number): string =>
  Array.from(bytes, (byte, i) => String.fromCodePoint(first + ((byte * 131 + i) % count))).join("");

describe("the token estimate", () => {
  it.each([
    ["prose", () => readFileSync("README.md", "utf8")],
    ["code", () => readFileSync("packages/mcp/src/arguments.ts", "utf8")],
    ["JSON", () => JSON.stringify(JSON.parse(readFileSync("package-lock.json", "utf8"))).slice(0, 20_000)],
    ["pretty JSON", () => readFileSync("package-lock.json", "utf8").slice(0, 20_000)],
    ["JSON in JSON", () => JSON.stringify(readFileSync("package.json", "utf8"))],
    ["uuids", () => bytes.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/g, "$1-$2-$3-$4-$5 ")],
    ["hex", () => bytes.toString("hex")],
    ["HEX", () => bytes.toString("hex").toUpperCase()],
    ["base64", () => bytes.toString("base64")],
    ["base32", () => drawFromAlphabet("abcdefghijklmnopqrstuvwxyz234567")],
    ["letters", () => drawFromAlphabet("abcdefghijklmnopqrstuvwxyz")],
    ["mixed case", () => drawFromAlphabet("aBcDeFgHiJkLmNoPqRsTuVwXyZ ")],
    ["digits", () => drawFromAlphabet("0123456789")],
    ["single digits", () => [...drawFromAlphabet("0123456789")].join(" ")],
    ["punctuation", () => drawFromAlphabet("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")],
    ["single punctuation", () => [...drawFromAlphabet("!?.,:;-+*/")].join(" ")],
    ["control characters", () => JSON.stringify(drawFromAlphabet('\u0001\u0002\t\n\\"'))],
    ["spaces", () => " ".repeat(4000) + "\n".repeat(4000) + "\t \n".repeat(1000)],
    ["Japanese and Chinese", () => "明日、東京タワーに行きましょう。我们明天去北京看长城，然后吃饭。".repeat(100)],
    ["rare Chinese characters", () => drawCodePoints(0x4e00, 20_000)],
    ["Hangul", () => drawCodePoints(0xac00, 11_000)],
    ["emoji", () => "👩‍👩‍👧‍👦🎂🇩🇪😀🤷🏽‍♀️🏴󠁧󠁢󠁥󠁮󠁧󠁿".repeat(100)],
    ["pictographs", () => drawCodePoints(0x1f300, 700)],
    ["Cyrillic", () => "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(50)],
    ["Cyrillic letters", () => drawCodePoints(0x430, 32)],
    ["Thai", () => "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน ".repeat(50)],
    ["Thai letters", () => drawCodePoints(0xe01, 58)],
    ["Hindi", () => "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता ".repeat(50)],
    ["Arabic", () => "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. ".repeat(50)],
    ["Amharic", () => "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው። ".repeat(50)],
    ["Tibetan", () => "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ ".repeat(50)],
    ["German", () => "Größe, Donaudampfschifffahrtsgesellschaftskapitän, Rechtsschutzversicherung. ".repeat(50)],
    [
      "Finnish",
      () => "lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas epäjärjestelmällisyys ".repeat(50),
    ],
    ["private characters", () => drawCodePoints(0xe000, 256)],
    ["mathematics", () => drawCodePoints(0x1d400, 700)],
    ["symbols", () => "→←∑∏√∞≠≤≥÷×±°§¶†‡•…‰‹›€£¥©®™".repeat(50)],
  ] as const)("[HOST-3] never underestimates %s", (_, text) => {
    const real = countTokens(text());
    expect(estimateTokens(text())).toBeGreaterThanOrEqual(real);
  });

  it("[HOST-3] does not estimate prose at twice its tokens", () => {
    const prose = readFileSync("README.md", "utf8");
    expect(estimateTokens(prose)).toBeLessThan(2 * countTokens(prose));
  });
});
