import type { Continuation } from "@pdpp/contract/continuation";
import type { FieldDeclaration, JsonObject, Role, StreamDeclaration } from "@pdpp/contract/declaration";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { describe, expect, it } from "vitest";
import { budget } from "../sizes/budget.ts";
import { createCard, listPresentedFields } from "./card.ts";
import type { EvidenceRecord } from "./record.ts";
import { getTitle } from "./title.ts";

/** Every continuation of a card, in the order of its fields. */
function listContinuations(card: EvidenceCard): Continuation[] {
  const reads = listPresentedFields(card).flatMap((each) => {
    if (each.shown === "inline") return [];
    const blobs =
      each.shown === "blob"
        ? each.references.flatMap(({ read, text }) => (text === undefined ? read : [read, text]))
        : [];
    return each.read === undefined ? blobs : [...blobs, each.read];
  });
  return card.omitted === undefined ? reads : [...reads, card.omitted.read];
}

type Fields = { readonly [name: string]: Partial<FieldDeclaration> };
const streamOf = (fields: Fields, more: Partial<StreamDeclaration> = {}): StreamDeclaration => ({
  name: "messages",
  semantics: "append_only",
  primaryKey: ["id"],
  selection: { fields: true, resources: true },
  fields: Object.entries(fields).map(([name, declared]) => ({
    name,
    kind: "text",
    nullable: true,
    blob: false,
    rangeOperators: [],
    lexical: false,
    semantic: false,
    aggregations: [],
    schema: {},
    ...declared,
  })),
  views: [],
  relationships: [],
  countable: false,
  schema: {},
  query: {},
  ...more,
});
const recordOf = (stream: StreamDeclaration, data: JsonObject, more: Partial<EvidenceRecord> = {}): EvidenceRecord => ({
  connectorKey: "chat",
  connection: { id: "cin_a", label: "Home" },
  stream,
  recordId: "m1",
  version: "3",
  emittedAt: "2026-04-01T08:00:00.000Z",
  data,
  granted: null,
  ...more,
});
const role = (name: Role, more: Partial<FieldDeclaration> = {}): Partial<FieldDeclaration> => ({ role: name, ...more });

const chat = streamOf({
  id: {},
  text: role("body"),
  sender: role("actor"),
  subject: role("primary-title"),
  sent_at: role("event-time", { kind: "date-time" }),
  likes: { kind: "integer" },
});
const data: JsonObject = {
  id: "m1",
  text: "See you at the bridge.",
  sender: "Ada",
  subject: "Tonight",
  sent_at: "2026-03-05T14:20:00+01:00",
  likes: 2,
};

describe("[EVI-2] a card", () => {
  it("[EVI-7] states the source of the record", () => {
    const { slots: _, fields: __, ...rest } = createCard(recordOf(chat, data));
    expect(rest).toEqual({
      object: "evidence_card",
      id: "cin_a/messages:m1",
      connection_id: "cin_a",
      connector_key: "chat",
      display_name: "Home",
      stream: "messages",
      record_id: "m1",
      record_version: "3",
      event_time: "2026-03-05T14:20:00+01:00",
      emitted_at: "2026-04-01T08:00:00.000Z",
      title: "Tonight",
      complete: true,
    });
    expect(createCard(recordOf(chat, data, { connection: { id: "cin_a" } }))).not.toHaveProperty("display_name");
  });

  it("groups declared fields by role, and lists the rest", () => {
    const card = createCard(recordOf(chat, data));
    expect(Object.keys(card.slots)).toEqual(["primary-title", "event-time", "actor", "body"]);
    expect(card.slots.body).toMatchObject([{ field_path: "text", value: data.text }]);
    expect(card.fields.map(({ field_path }) => field_path)).toEqual(["likes", "id"]);
    expect(listContinuations(card)).toEqual([]);
  });

  it("[AUT-4] shows nothing outside the grant, not even in its title and times", () => {
    const card = createCard(recordOf(chat, data, { granted: new Set(["likes", "elsewhere"]) }));
    expect(card.fields.map(({ field_path }) => field_path)).toEqual(["likes"]);
    expect(card.slots).toEqual({});
    expect(card.title).toBe("messages, m1");
    expect(card).not.toHaveProperty("event_time");
  });

  it("shows undeclared fields last", () =>
    expect(
      createCard(recordOf(streamOf({ b: {} }), { zz: 1, b: 2 })).fields.map(({ field_path, type }) => [
        field_path,
        type,
      ]),
    ).toEqual([
      ["b", "text"],
      ["zz", "json"],
    ]));

  it("[BIG-1] is bounded in fields, and names the read for the rest", () => {
    const names = Array.from({ length: budget.card.fields + 3 }, (_, i) => `f${i}`);
    const card = createCard(
      recordOf(
        streamOf(Object.fromEntries(names.map((name) => [name, {}]))),
        Object.fromEntries(names.map((name) => [name, 1])),
      ),
    );
    expect(card.fields).toHaveLength(budget.card.fields);
    expect(card.complete).toBe(false);
    expect(card.omitted).toEqual({
      count: 3,
      read: {
        operation: "fetch",
        arguments: { connection_id: "cin_a", stream: "messages", record_id: "m1", fields: names.slice(-3) },
      },
    });
    expect(listContinuations(card)).toEqual([card.omitted!.read]);
  });

  it("[BIG-1] is bounded in size", () => {
    const names = Array.from({ length: 10 }, (_, i) => `f${i}`);
    const card = createCard(
      recordOf(
        streamOf(Object.fromEntries(names.map((name) => [name, {}]))),
        Object.fromEntries(names.map((name) => [name, "x".repeat(270)])),
      ),
    );
    expect(card.fields).toHaveLength(Math.floor(budget.card.chars / 270));
    expect(card.omitted!.count).toBe(10 - card.fields.length);
  });

  it("[HND-1] lists every continuation", () => {
    const stream = streamOf({ a: {}, picture: role("blob-reference", { blob: true }), raw: { type: "base64" } });
    const card = createCard(
      recordOf(stream, {
        a: "long text ".repeat(80),
        picture: [
          { blob_id: "b1", sha256: "cd" },
          { blob_id: "b2", name: "x" },
        ],
        raw: "aGVsbG8=",
      }),
    );
    expect(listContinuations(card).map(({ operation }) => operation)).toEqual([
      "readBlob",
      "readBlob",
      "readField",
      "readField",
      "fetch",
    ]);
    expect(card.complete).toBe(false);
    const bare = createCard(recordOf(stream, { picture: { blob_id: "b1" } }));
    expect(listContinuations(bare)).toEqual([
      { operation: "readBlob", arguments: { blob_id: "b1", connection_id: "cin_a" } },
    ]);
    expect(bare.complete).toBe(false);
    const page = createCard(recordOf(stream, { picture: [{ blob_id: "b1", mime_type: "text/html" }] }));
    expect(
      listContinuations(page).map((next) => [next.operation, "field" in next.arguments && next.arguments.field]),
    ).toEqual([
      ["readBlob", false],
      ["readField", "picture[0]{text}"],
    ]);
  });
});

describe("[SRCH-6] the title of a record", () => {
  const timed = {
    a: role("event-time", { kind: "date-time" }),
    b: { kind: "date-time" },
    c: { kind: "date" },
  } satisfies Fields;
  const stream = streamOf(timed, { consentTimeField: "b", cursorField: "c", display: { label: "Chat messages" } });
  const all: JsonObject = { a: "2026-03-01T10:00:00Z", b: "2026-03-02T10:00:00Z", c: "2026-03-03" };

  it.each<[string, JsonObject, string]>([
    ["by the role of its time", all, "Chat messages, 2026-03-01 10:00 UTC"],
    ["then by the time of consent", { ...all, a: null }, "Chat messages, 2026-03-02 10:00 UTC"],
    ["then by the field it is sorted by", { c: all.c! }, "Chat messages, 2026-03-03"],
    ["then by its id", {}, "Chat messages, m1"],
    ["not by what is no time", { a: "soon", b: 7 }, "Chat messages, m1"],
    ["not by a number, whose unit is unknown", { a: 1_700_000_000, c: all.c! }, "Chat messages, 2026-03-03"],
  ])("[SRCH-7] is generated from its stream and time, %s", (_, shown, title) =>
    expect(getTitle(recordOf(stream, shown))).toBe(title),
  );

  it("[EVI-7] keeps a numeric event time as stored if its role declares it", () => {
    expect(createCard(recordOf(stream, { a: 1_700_000_000 })).event_time).toBe(1_700_000_000);
    expect(createCard(recordOf(stream, { b: 1_700_000_000 }))).not.toHaveProperty("event_time");
  });

  it("[SRCH-6] never equals the snippet if it is generated", () => {
    const record = recordOf(stream, all);
    expect(getTitle(record, { snippet: "Chat messages, 2026-03-01 10:00 UTC " })).toBe(
      "Chat messages, 2026-03-01 10:00 UTC (m1)",
    );
    expect(getTitle(record, { snippet: "other" })).toBe("Chat messages, 2026-03-01 10:00 UTC");
  });

  it("is the declared one, on one line, cut between words", () => {
    const titled = streamOf({ t: role("primary-title") });
    expect(getTitle(recordOf(titled, { t: "  Two\n\tlines " }))).toBe("Two lines");
    const long = getTitle(recordOf(titled, { t: "word and ".repeat(100) }));
    expect(long).toMatch(/ (word|and)…$/);
    expect(long.length).toBeLessThanOrEqual(budget.card.titleChars);
  });

  it("[BIG-4] is generated if the declared one is empty, missing or encoded", () => {
    const titled = streamOf({ t: role("primary-title") });
    for (const t of ["", " \n", null, `data:image/png;base64,${"iVBORw0KGgo".repeat(20)}`]) {
      expect(getTitle(recordOf(titled, { t }))).toBe("messages, m1");
    }
  });
});
