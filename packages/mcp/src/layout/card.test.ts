import { readdirSync, readFileSync } from "node:fs";
import { parseManifest } from "@pdpp/contract/manifest";
import { createCard } from "@pdpp/evidence/cards/card";
import type { EvidenceRecord } from "@pdpp/evidence/cards/record";
import { findSharedFacts } from "@pdpp/evidence/cards/shared-facts";
import { describe, expect, it } from "vitest";
import { formatSharedFacts, layOutItem } from "./card.ts";

const text = { type: "string" };
const amount = { type: "number", x_pdpp_role: "amount", x_pdpp_unit_field: "currency" };
const names = [
  "shop",
  "payment",
  "address",
  "carrier",
  "colour",
  "size",
  "weight",
  "gift",
  "coupon",
  "branch",
  "clerk",
];
const connector = parseManifest({
  connector_key: "shop",
  version: "1",
  display_name: "Shop",
  streams: [
    {
      name: "orders",
      primary_key: ["id"],
      cursor_field: "ordered_at",
      schema: {
        type: "object",
        properties: {
          id: text,
          summary: { ...text, x_pdpp_role: "primary-title" },
          ordered_at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
          total: amount,
          currency: text,
          note: { type: ["string", "null"] },
          tags: { type: "array" },
          scan: { type: "object", x_pdpp_role: "blob-reference", x_pdpp_type: "blob" },
          ...Object.fromEntries(names.map((name) => [name, text])),
        },
      },
      query: {},
    },
  ],
});
const [stream] = connector.streams;
if (stream === undefined) throw new Error("the manifest has no stream");

const order = (data: object, more: Partial<EvidenceRecord> = {}): EvidenceRecord => ({
  connectorKey: "shop",
  connection: { id: "cin_shop", label: "Corner shop" },
  stream,
  recordId: "KB-1",
  version: "1",
  emittedAt: "2026-06-01T12:00:00.000Z",
  data: { id: "KB-1", summary: "Oat milk", ordered_at: "2026-05-30T08:00:00Z", total: 22.92, currency: "EUR", ...data },
  granted: null,
  ...more,
});
const full = Object.fromEntries(names.map((name) => [name, `a ${name}`]));
const linesOf = (record: EvidenceRecord): readonly string[] => layOutItem(createCard(record), {}).lines;

describe("[EVI-9] a card in text", () => {
  it("shows an amount with its unit", () => {
    expect(linesOf(order({}))).toContain("total: 22.92 EUR");
    expect(linesOf(order({ currency: "two words" }))).toContain('total: 22.92 "two words"');
    expect(linesOf(order({}, { granted: new Set(["id", "total"]) }))).toContain("total: 22.92");
  });

  it("shows a text too long for a unit in its own field", () => {
    const currency = "a sentence that is far too long to be the unit of an amount";
    const lines = linesOf(order({ currency }));
    expect(lines).toContain("total: 22.92");
    expect(lines).toContain(`currency: "${currency}"`);
  });

  it("does not let empty or repeated values displace others", () => {
    const lines = linesOf(order({ ...full, note: null, tags: [] }));
    for (const name of names) expect(lines).toContain(`${name}: "a ${name}"`);
    expect(lines).toContain("shown above: summary, ordered_at, id, currency; empty: note null, tags []");
    expect(lines.at(-1)).toBe("complete");
  });

  it("has its id on a separate line, states whether it is complete, and has at most one call", () => {
    const whole = linesOf(order({}));
    expect(whole).toContain('id: "cin_shop/orders:KB-1"');
    expect(whole.filter((line) => line.startsWith("-> "))).toEqual([]);
    const long = linesOf(order({ note: "a long note ".repeat(90), shop: "a long name ".repeat(90) }));
    expect(long.slice(-2)).toEqual(["not complete:", '-> fetch {"id":"cin_shop/orders:KB-1"}']);
    const one = linesOf(order({ note: "a long note ".repeat(90) }));
    expect(one.at(-1)).toMatch(/^-> read_record_field \{.*"field_path":"note","offset_chars":\d+,"version":"1"\}$/);
    expect(one.filter((line) => line.startsWith("-> "))).toHaveLength(1);
  });

  it("[BIG-6] offers no call if only bytes are left, and the text of a file if there is one", () => {
    const file = (mime_type: string) => ({ blob_id: "blob_1", mime_type, size_bytes: 41 });
    const picture = linesOf(order({ scan: file("image/png") }));
    expect(picture.filter((line) => line.startsWith("-> "))).toEqual([]);
    expect(picture.at(-1)).toBe("complete except for the bytes");
    expect(picture.find((line) => line.startsWith("bytes: GET /v1/blobs/blob_1"))).toBeDefined();
    const [object] = layOutItem(createCard(order({ scan: file("image/png") })), {}).objects;
    expect([object?.complete, object?.read]).toEqual([false, undefined]);
    expect(linesOf(order({ scan: file("text/plain") })).slice(-2)).toEqual([
      "not complete:",
      '-> read_record_field {"id":"cin_shop/orders:KB-1","field_path":"scan{text}"}',
    ]);
    const encoded = linesOf(order({ note: Buffer.alloc(900, "PNG and more").toString("base64").repeat(2) }));
    expect(encoded.at(-1)).toBe("complete except for the bytes");
    const both = linesOf(order({ scan: file("image/png"), note: "a long note ".repeat(90) }));
    expect(both.at(-1)).toMatch(/^-> read_record_field \{.*"field_path":"note"/);
  });

  it("[SRCH-7] generates a title if none is declared, never from the time of import", () => {
    const untitled = order({ summary: "", ordered_at: null });
    expect(createCard(untitled).title).toBe("orders: 22.92 EUR");
    const projected = order({ summary: "" }, { granted: new Set(["total"]) });
    expect(createCard(projected).title).toMatch(/^orders/);
    expect(createCard(projected).title).not.toContain("2026");
  });

  it("states shared facts of a page once", () => {
    const cards = [order({}), order({}, { recordId: "KB-2", version: "2" })].map((record) => createCard(record));
    const shared = findSharedFacts(cards);
    expect(formatSharedFacts(shared)).toEqual(['All records: shop "Corner shop", connection cin_shop']);
    const [first = "", second = ""] = cards.map((card) => layOutItem(card, shared).lines.join("\n"));
    expect(first).toContain("version 1");
    expect(second).toContain("version 2");
    expect(first).not.toContain("Corner shop");
  });
});

it("[EVI-1] lays out results without I/O or a clock", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => !file.endsWith(".test.ts"));
  for (const file of files)
    expect(readFileSync(new URL(file, import.meta.url), "utf8")).not.toMatch(/node:|Date\.now|new Date|Math\.random/);
});
