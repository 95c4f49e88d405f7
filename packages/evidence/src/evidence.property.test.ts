import { createHash } from "node:crypto";
import type { Continuation } from "@pdpp/contract/continuation";
import {
  type FieldDeclaration,
  type Json,
  type JsonObject,
  roles,
  type StreamDeclaration,
} from "@pdpp/contract/declaration";
import type { BlobDescription, EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCard } from "./cards/card.ts";
import { type EvidenceRecord, listGrantedFields } from "./cards/record.ts";
import { createDocument } from "./documents/document.ts";
import { toText } from "./fields/field.ts";
import { getValue, parseFieldPath, parseFieldTarget } from "./fields/field-path.ts";
import { budget } from "./sizes/budget.ts";
import { countChars, sliceChars } from "./text/text.ts";
import { clusterMargin, cutWindowFrom } from "./windows/window.ts";

const bytes = Buffer.concat(
  Array.from({ length: 20 }, (_, i) => createHash("sha512").update(String(i)).digest()),
).toString("base64");
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        "bridge ",
        "old",
        " ",
        "👩‍👩‍👧‍👦",
        "東京都",
        "e\u0301",
        "\n",
        "🇩🇪",
        "a".repeat(99),
        bytes,
        "\ud800",
      ),
      { maxLength: 9 },
    )
    .map((parts) => parts.join("")),
  fc.tuple(fc.constantFrom("word ", "👍", "字", "x"), fc.nat(900)).map(([unit, times]) => unit.repeat(times)),
  fc.constantFrom(bytes, `data:image/png;base64,${bytes}`, "", "2026-03-05T14:20:00Z"),
);
const reference = fc.record(
  {
    blob_id: fc.constant("blob_1"),
    mime_type: fc.constantFrom<Json>("image/png", "text/plain", "text/html", 7),
    size_bytes: fc.nat(),
    name: anyText,
  },
  { requiredKeys: ["blob_id"] },
);
const anyValue: fc.Arbitrary<Json> = fc.oneof(
  anyText,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(anyText, { maxLength: 3 }),
  fc.dictionary(fc.string(), anyText, { maxKeys: 3 }),
  reference as fc.Arbitrary<Json>,
  fc.array(reference as fc.Arbitrary<Json>, { maxLength: 10 }),
);

const declaration = fc.record({
  role: fc.option(fc.constantFrom(...roles), { nil: undefined }),
  type: fc.constantFrom(undefined, "text", "base64", "blob"),
  encoded: fc.boolean(),
  declared: fc.constantFrom(true, true, true, false),
  granted: fc.constantFrom(true, true, true, false),
  value: anyValue,
});
type Drawn = typeof declaration extends fc.Arbitrary<infer T> ? T : never;

function recordFrom(names: readonly string[], drawn: readonly Drawn[], open: boolean): EvidenceRecord {
  const fields = drawn.flatMap(({ role, type, encoded, declared }, i): FieldDeclaration[] =>
    declared
      ? [
          {
            name: names[i]!,
            kind: "json",
            nullable: true,
            ...(type === undefined ? {} : { type }),
            ...(role === undefined ? {} : { role }),
            blob: role === "blob-reference" || type === "blob",
            rangeOperators: [],
            lexical: false,
            semantic: false,
            aggregations: [],
            schema: encoded ? { contentEncoding: "base64" } : {},
          },
        ]
      : [],
  );
  const stream: StreamDeclaration = {
    name: "things",
    semantics: "append_only",
    primaryKey: [names[0] ?? "id"],
    ...(names[1] === undefined ? {} : { cursorField: names[1] }),
    ...(names[2] === undefined ? {} : { consentTimeField: names[2] }),
    selection: { fields: true, resources: true },
    fields,
    views: [],
    relationships: [],
    countable: false,
    schema: {},
    query: {},
  };
  const data: JsonObject = Object.fromEntries(drawn.map(({ value }, i) => [names[i]!, value]));
  const granted = open ? null : new Set(names.filter((_, i) => drawn[i]?.granted));
  return {
    connectorKey: "kind",
    connection: { id: "cin_a" },
    stream,
    recordId: "r1",
    version: "4",
    emittedAt: "2026-04-01T08:00:00.000Z",
    data,
    granted,
  };
}

const plainNames = Array.from({ length: 24 }, (_, i) => `field${String.fromCharCode(97 + i)}`);
const knowingNames = [
  "title",
  "body",
  "text",
  "sent_at",
  "blob_ref",
  "subject",
  "name",
  "date",
  "created_at",
  "amount",
  "author",
  "from",
  "content",
  "snippet",
  "url",
  "id",
  "image",
  "file",
  "data",
  "base64",
  "summary",
  "message",
  "timestamp",
  "picture",
];
const anyRecord = fc
  .tuple(fc.array(declaration, { maxLength: 20 }), fc.boolean())
  .map(([drawn, open]) => recordFrom(plainNames, drawn, open));
const runs = { numRuns: chooseRuns(1000, 10_000) };

/** Reads a field from its offset to the end, window by window, as a surface would. */
function followed(record: EvidenceRecord, next: Continuation): string {
  // Bytes are read with the record, whole.
  if (next.operation === "fetch") {
    const [field = ""] = next.arguments.fields ?? [];
    return toText(record.data[field] ?? null);
  }
  if (next.operation !== "readField") throw new Error(next.operation);
  const { field, offset_chars: from = 0, version, connection_id, stream, record_id } = next.arguments;
  expect([version ?? "4", connection_id, stream, record_id]).toEqual(["4", "cin_a", "things", "r1"]);
  expect(version === undefined).toBe(from === 0);
  const text = toText(getValue(record.data, parseFieldPath(field, (name) => Object.hasOwn(record.data, name))!)!);
  const total = countChars(text);
  let read = "";
  for (let at = from; at < total; ) {
    const window = cutWindowFrom(
      sliceChars(text, at, at + budget.window.chars + clusterMargin),
      at,
      budget.window.chars,
    );
    read += window.text;
    at = window.end;
  }
  return read;
}

/** A reference leads to its bytes, and to its text exactly if it says that it is text. */
function blobsReachable(
  record: EvidenceRecord,
  name: string,
  { blob_id, mime_type, read, text }: BlobDescription,
): void {
  expect(read).toEqual({ operation: "readBlob", arguments: { blob_id, connection_id: "cin_a" } });
  expect(text !== undefined).toBe(mime_type?.startsWith("text/") ?? false);
  if (text === undefined) return;
  if (text.operation !== "readField") throw new Error(text.operation);
  const { field, offset_chars, version } = text.arguments;
  const target = parseFieldTarget(field, (each) => Object.hasOwn(record.data, each))!;
  expect([target.of, target.path[0], offset_chars, version]).toEqual(["blob", name, undefined, undefined]);
  expect(getValue(record.data, target.path)).toMatchObject({ blob_id, mime_type });
}

const isContinuation = (value: unknown): value is Continuation =>
  typeof value === "object" && value !== null && "arguments" in value;

/** The text of a value, put together from what is shown of it and what its continuations give. */
function whole(record: EvidenceRecord, field: FieldPresentation): string {
  if (field.shown === "inline") return toText(field.value);
  if (field.shown === "preview") return field.preview + followed(record, field.read);
  if (field.shown === "encoded") return followed(record, field.read);
  for (const reference of field.references) blobsReachable(record, field.field_path, reference);
  if (field.read !== undefined) return followed(record, field.read);
  const described = field.references.map(({ read: _, text: __, ...reference }) => reference);
  return JSON.stringify(Array.isArray(record.data[field.field_path]) ? described : described[0]);
}

/** Key order does not matter in a description of a reference. */
const sameText = (text: string, value: Json, shown: FieldPresentation["shown"]) =>
  shown === "blob" ? expect(JSON.parse(text)).toEqual(value) : expect(text).toBe(toText(value));

const presentations = (card: EvidenceCard): FieldPresentation[] => [
  ...roles.flatMap((role) => card.slots[role] ?? []),
  ...card.fields,
];

const onOneLine = (json: string): string =>
  json.replace(/[\u007f-\u009f\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const asLiteral = (text: string): string => onOneLine(JSON.stringify(text));

describe("[EVI-1] over any record", () => {
  it("[HND-1] every card with its continuations yields exactly the granted values", () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const card = createCard(record);
        const shown = presentations(card);
        const granted = new Map(listGrantedFields(record).map(({ name, value }) => [name, value]));
        for (const field of shown) sameText(whole(record, field), granted.get(field.field_path)!, field.shown);
        const missing = [...granted.keys()].filter((name) => !shown.some((field) => field.field_path === name));
        expect(card.complete).toBe(missing.length === 0 && shown.every((field) => field.shown === "inline"));
        expect(card.omitted?.count ?? 0).toBe(missing.length);
        const read = card.omitted?.read;
        if (read?.operation === "fetch") expect(new Set(read.arguments.fields ?? missing)).toEqual(new Set(missing));
      }),
      runs,
    );
  });

  it("[BIG-1] a card is bounded, and [BIG-4] contains no encoded bytes", () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const shown = presentations(createCard(record));
        expect(shown.length).toBeLessThanOrEqual(budget.card.fields);
        for (const field of shown) {
          const text = field.shown === "inline" ? toText(field.value) : field.shown === "preview" ? field.preview : "";
          expect(countChars(text)).toBeLessThanOrEqual(
            field.shown === "inline" ? budget.field.inlineChars : budget.field.previewChars,
          );
          expect(text).not.toContain(bytes.slice(0, 32));
        }
      }),
      runs,
    );
  });

  it("[FET-3] every document with its continuations yields exactly the granted values", () => {
    fc.assert(
      fc.property(anyRecord, fc.integer({ min: 0, max: 2000 }), (record, chars) => {
        const granted = new Map(listGrantedFields(record).map(({ name, value }) => [name, value]));
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const { text, metadata } = createDocument(record, { chars, after });
          expect(text).not.toContain(bytes.slice(0, 32));
          let inText = 0;
          for (const { field_path, window, read } of metadata.parts) {
            const shown = sliceChars(toText(granted.get(field_path)!), 0, window.end_chars);
            expect([shown, asLiteral(shown), onOneLine(shown)].some((spelled) => text.includes(spelled))).toBe(true);
            inText += shown.length;
            expect(shown + (read === undefined ? "" : followed(record, read))).toBe(toText(granted.get(field_path)!));
          }
          expect(inText).toBeLessThanOrEqual(chars);
          for (const field of metadata.fields)
            sameText(whole(record, field), granted.get(field.field_path)!, field.shown);
          seen.push(
            ...metadata.parts.map((part) => part.field_path),
            ...metadata.fields.map((each) => each.field_path),
          );
          const cut = metadata.parts.some(({ read }) => read !== undefined) || metadata.omitted !== undefined;
          expect(metadata.complete).toBe(!cut && metadata.fields.every(({ shown }) => shown === "inline"));
          after = (metadata.omitted?.read.arguments as { after_field: string } | undefined)?.after_field;
        } while (after !== undefined);
        expect(seen.sort()).toEqual([...granted.keys()].sort());
      }),
      runs,
    );
  });

  it("[EVI-2] renaming all fields changes the names and nothing else", () => {
    const unnamed = (shown: object, names: readonly string[]): string =>
      names.reduceRight(
        (text, name, i) =>
          text
            .replaceAll(`"field_path":"${name}"`, `"field_path":${i}`)
            .replaceAll(`"text_field":"${name}"`, `"text_field":${i}`)
            .replaceAll(`"field":"${name}"`, `"field":${i}`)
            .replaceAll(`"after_field":"${name}"`, `"after_field":${i}`)
            .replaceAll(`"field":"${name}{`, `"field":"${i}{`)
            .replaceAll(`"field":"${name}[`, `"field":"${i}[`),
        // Continuations by what they ask for: an address would hide the names.
        JSON.stringify(shown, function (this: Record<string, unknown>, key, value: Json) {
          const held = this[key];
          if (key === "read" || key === "text") return isContinuation(held) ? { ...held } : value;
          return key === "fields" && Array.isArray(value)
            ? value.map((each) => (typeof each === "string" ? names.indexOf(each) : each))
            : value;
        }),
      );
    fc.assert(
      fc.property(fc.array(declaration, { maxLength: 20 }), fc.boolean(), (drawn, open) => {
        const [plain, knowing] = [recordFrom(plainNames, drawn, open), recordFrom(knowingNames, drawn, open)];
        expect(unnamed(createCard(knowing), knowingNames)).toBe(unnamed(createCard(plain), plainNames));
        expect(unnamed(createDocument(knowing).metadata, knowingNames)).toBe(
          unnamed(createDocument(plain).metadata, plainNames),
        );
      }),
      { numRuns: chooseRuns(400, 2000) },
    );
  });

  it("[EVI-2] fields called title, body, text and sent_at without roles are treated like a, b, c and d", () => {
    const drawn = ["Hello", "A long story. ".repeat(60), "short", "2026-03-05T14:20:00Z"].map(
      (value): Drawn => ({ role: undefined, type: undefined, encoded: false, declared: true, granted: true, value }),
    );
    const card = createCard(recordFrom(["title", "body", "text", "sent_at"], drawn, true));
    expect(card.slots).toEqual({});
    expect(card.title).toBe("things, r1");
    expect(card.fields.map(({ field_path, shown }) => [field_path, shown])).toEqual([
      ["title", "inline"],
      ["body", "preview"],
      ["text", "inline"],
      ["sent_at", "inline"],
    ]);
  });
});
