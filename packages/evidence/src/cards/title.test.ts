import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budget } from "../sizes/budget.ts";
import { createCard } from "./card.ts";
import type { EvidenceRecord } from "./record.ts";
import { getTitle, makeTitle } from "./title.ts";

const buildStream = (properties: JsonObject, search: JsonObject = {}) =>
  parseManifest({
    connector_key: "chat",
    version: "1",
    streams: [
      {
        name: "messages",
        display: { label: "Messages" },
        semantics: "append_only",
        primary_key: ["id"],
        schema: {
          type: "object",
          required: ["id", "sent_at", "talk"],
          properties: {
            id: { type: "string" },
            talk: { type: "string" },
            sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
            ...properties,
          },
        },
        query: { search },
      },
    ],
  }).streams[0]!;

const parts: JsonObject = {
  who: { type: ["string", "array", "null"], x_pdpp_role: "actor" },
  said: { type: ["string", "null"], x_pdpp_role: "body" },
  paid: { type: ["number", "null"], x_pdpp_role: "amount", x_pdpp_unit_field: "currency" },
  currency: { type: ["string", "null"] },
  files: { type: "array", items: { type: "string" }, x_pdpp_type: "filename" },
};
const untitled = buildStream(parts);
const turns = buildStream(
  { ...parts, title: { type: ["string", "null"], x_pdpp_role: "primary-title" } },
  { context: { within: "talk", by: "sent_at" } },
);

const buildRecord = (stream: EvidenceRecord["stream"], data: JsonObject, granted?: string[]): EvidenceRecord => ({
  connectorKey: "chat",
  connection: { id: "cin_a" },
  stream,
  recordId: "m1",
  version: "1",
  emittedAt: "2026-11-01T00:00:00.000Z",
  data: { id: "m1", talk: "t1", sent_at: "2026-10-28T22:11:00Z", ...data },
  granted: granted === undefined ? null : new Set(granted),
});

describe("[EVI-43] the title of a record that declares none", () => {
  it.each<[JsonObject, string]>([
    [{ who: "Ada", said: "I thought it was the foghorn" }, "Ada: I thought it was the foghorn"],
    [{ said: "I thought it was the foghorn" }, "Messages: I thought it was the foghorn"],
    [{ who: "Kessel & Sohn", said: null, paid: -89, currency: "EUR" }, "Kessel & Sohn: -89 EUR"],
    [{ paid: 62 }, "Messages: 62"],
    [{ who: "Ada", said: " ", files: ["IMG_0412.jpg"] }, "Ada: IMG_0412.jpg"],
    [{ who: ["Ada", "Jonas", "Heinz"], said: "hi" }, "Ada and 2 more: hi"],
    [{ who: ["Ada", "Jonas"], said: "hi" }, "Ada and Jonas: hi"],
    [
      { who: ["Ada Wilhelmina Brambleby-Marchevent", "Jonas"], said: "hi" },
      "Ada Wilhelmina Brambleby-Marchevent and 1 more: hi",
    ],
    [{ who: "Ada" }, "Ada, 2026-10-28 22:11 UTC"],
    [{}, "Messages, 2026-10-28 22:11 UTC"],
    [{ sent_at: "later" }, "Messages, m1"],
  ])("is made from %j", (data, title) => expect(getTitle(buildRecord(untitled, data))).toBe(title));
});

describe("[EVI-44] the title of a turn of a conversation", () => {
  const foghorn = { who: "Ada", title: "Seitenweise", said: "I thought it was the foghorn" };

  it("says who wrote what in which conversation", () => {
    expect(makeTitle(buildRecord(turns, foghorn))).toEqual({
      title: "Ada in Seitenweise: I thought it was the foghorn",
      field: "title",
      fieldText: "Seitenweise",
      fieldStart: 7,
      madeFrom: "parts",
    });
    expect(getTitle(buildRecord(turns, { ...foghorn, who: null }))).toBe("Seitenweise: I thought it was the foghorn");
    expect(getTitle(buildRecord(turns, { ...foghorn, said: "" }))).toBe("Ada in Seitenweise");
  });

  it("says a name once if the conversation has it too", () =>
    expect(getTitle(buildRecord(turns, { ...foghorn, title: "Ada" }))).toBe("Ada: I thought it was the foghorn"));

  it("lets the card show the conversation's title as a value too, since the title is not equal to it", () => {
    const [field] = createCard(buildRecord(turns, foghorn)).slots["primary-title"] ?? [];
    expect(field).toMatchObject({ field_path: "title", value: "Seitenweise" });
    expect(field).not.toHaveProperty("repeats");
  });
});

describe("[EVI-44] the title of a turn of an AI conversation", () => {
  const answers = buildStream(
    {
      ...parts,
      who: { type: "string", x_pdpp_role: "actor" },
      title: { type: ["string", "null"], x_pdpp_role: "primary-title" },
    },
    { context: { within: "talk", by: "sent_at" }, generated: { field: "who", values: ["assistant"] } },
  );
  const heating = { title: "Heating costs: is our consumption normal?", said: "11,900 kWh over 84 m² is about 142" };

  it.each([
    ["assistant", "Assistant in Heating costs: is our consumption normal?"],
    ["user", "User in Heating costs: is our consumption normal?"],
  ])("starts with the part %s as a word of a sentence", (who, title) =>
    expect(getTitle(buildRecord(answers, { ...heating, who }), { fields: new Set(["said"]) })).toBe(title),
  );

  it("leaves the names of other streams as people write them", () =>
    expect(getTitle(buildRecord(turns, { ...heating, who: "bell" }))).toMatch(/^bell in /));

  it("says the whole title of the conversation where the words are shown next to it", () => {
    const title = "Two weeks on the island with a nine-year-old, a cat, and no car at all";
    const record = buildRecord(turns, { who: "Ada", title, said: "hi" });
    expect(makeTitle(record, { fields: new Set(["said"]) })).toMatchObject({
      title: `Ada in ${title}`,
      fieldText: title,
      fieldStart: 7,
    });
  });
});

describe("[EVI-45] the title next to a passage", () => {
  const foghorn = { who: "Ada", title: "Seitenweise", said: "I thought it was the foghorn" };

  it("leaves out the words that the passage shows", () => {
    const fields = new Set(["said"]);
    expect(getTitle(buildRecord(turns, foghorn), { fields })).toBe("Ada in Seitenweise");
    expect(getTitle(buildRecord(untitled, foghorn), { fields })).toBe("Ada, 2026-10-28 22:11 UTC");
    expect(getTitle(buildRecord(untitled, { said: foghorn.said }), { fields })).toBe("Messages, 2026-10-28 22:11 UTC");
  });

  it("never equals the snippet", () => {
    const snippet = "Ada: I thought it was the foghorn ";
    expect(getTitle(buildRecord(untitled, foghorn), { snippet })).toBe("Ada, 2026-10-28 22:11 UTC");
    const other = "Ada, 2026-10-28 22:11 UTC";
    expect(getTitle(buildRecord(untitled, { who: "Ada" }), { snippet: other })).toBe(`${other} (m1)`);
  });
});

describe("[EVI-46] a title that was made up", () => {
  it("uses only fields of the grant", () => {
    const data = { who: "Ada", said: "hello", title: "Seitenweise", paid: 7, currency: "EUR" };
    const own = ["id", "sent_at", "talk"];
    expect(getTitle(buildRecord(turns, data, [...own, "said"]))).toBe("Messages: hello");
    expect(getTitle(buildRecord(turns, data, [...own, "who"]))).toBe("Ada, 2026-10-28 22:11 UTC");
    expect(getTitle(buildRecord(turns, data, [...own, "paid"]))).toBe("Messages: 7");
    expect(getTitle(buildRecord(turns, data, own))).toBe("Messages, 2026-10-28 22:11 UTC");
  });

  it.each([
    ["## **Plan** for [the attic](https://example.org)\n\nmore", "Plan for the attic more"],
    ["- [x] *buy* `nails` and snake_case_names", "buy nails and snake_case_names"],
    ["> you wrote this\n\nyes, _gladly_.", "yes, gladly."],
    ["<p>Hello <b>you</b></p>", "Hello you"],
    ["```js\nlet a = 2 * 3 * 4;\n```", "let a = 2 * 3 * 4;"],
    ["safe\u202Eexe.gpj\u2066", "safeexe.gpj"],
    ["> only quoted", "> only quoted"],
  ])("has no markup: %j", (said, words) =>
    expect(getTitle(buildRecord(untitled, { who: "Ada", said }))).toBe(`Ada: ${words}`),
  );

  it("holds no encoded bytes", () => {
    const bytes = `data:image/png;base64,${"iVBORw0KGgo".repeat(20)}`;
    expect(getTitle(buildRecord(untitled, { who: bytes, said: bytes }))).toBe("Messages, 2026-10-28 22:11 UTC");
  });

  it("is one bounded line, whatever the fields hold", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.constantFrom("**", "> ", "[a](", "<b", "\n"),
    );
    const value = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.constant(null), fc.integer());
    fc.assert(
      fc.property(fc.record({ who: value, said: value, title: value, paid: value, files: value }), (data) => {
        for (const stream of [untitled, turns]) {
          const title = getTitle(buildRecord(stream, data as JsonObject));
          expect(title.length).toBeLessThanOrEqual(budget.card.titleChars);
          expect(title).toMatch(/^[^\p{Cc}]+$/u);
          expect(title.trim()).not.toBe("");
          expect(getTitle(buildRecord(stream, data as JsonObject))).toBe(title);
        }
      }),
    );
  });
});
