import { createHash } from "node:crypto";
import type { FieldDeclaration, Json } from "@pdpp/contract/declaration";
import { describe, expect, it } from "vitest";
import { budget } from "../sizes/budget.ts";
import { sliceChars } from "../text/text.ts";
import { presentField, toText } from "./field.ts";

const place = { connectionId: "cin_a", stream: "mails", recordId: "m1", version: "3" };
const declared = (more: Partial<FieldDeclaration> = {}): FieldDeclaration => ({
  name: "f",
  kind: "text",
  nullable: false,
  blob: false,
  rangeOperators: [],
  lexical: false,
  semantic: false,
  aggregations: [],
  schema: {},
  ...more,
});
const shown = (value: Json, field: FieldDeclaration | undefined = declared()) =>
  presentField({ place, isField: (name) => name === "f" }, "f", field, value);
const bytes = Buffer.concat(
  Array.from({ length: 20 }, (_, i) => createHash("sha512").update(String(i)).digest()),
).toString("base64");
const readFrom = (offset: number) => ({
  operation: "readField",
  arguments: {
    connection_id: "cin_a",
    stream: "mails",
    record_id: "m1",
    field: "f",
    ...(offset === 0 ? {} : { offset_chars: offset, version: "3" }),
  },
});

describe("[FET-6] a value is shown whole", () => {
  it.each<[Json]>([
    ["text"],
    [""],
    [12.5],
    [true],
    [null],
    [[1, 2]],
    [{ id: "x", url: "https://example.com" }],
    ["é".repeat(300)],
    ["👍".repeat(300)],
  ])("%j", (value) => expect(shown(value)).toEqual({ field_path: "f", type: "text", shown: "inline", value }));

  it("with its declared type", () => {
    expect(shown(5, declared({ kind: "number", type: "currency", role: "amount" }))).toEqual({
      field_path: "f",
      type: "currency",
      role: "amount",
      shown: "inline",
      value: 5,
    });
    expect(presentField({ place, isField: () => false }, "f", undefined, 5)).toEqual({
      field_path: "f",
      type: "json",
      shown: "inline",
      value: 5,
    });
  });
});

describe("[BIG-1] a value is previewed", () => {
  it("if it is a long text, cut between words, with the read that continues", () => {
    const text = "The old bridge was closed. ".repeat(40);
    const field = shown(text);
    if (field.shown !== "preview") throw new Error(field.shown);
    expect(field.preview).toMatch(/\S$/);
    expect(field.window).toEqual({ start_chars: 0, end_chars: field.preview.length, total_chars: text.length });
    expect(field.preview.length).toBeLessThanOrEqual(budget.field.previewChars);
    expect(field.read).toEqual(readFrom(field.preview.length));
    expect(field.format).toBe("text");
  });

  it("[WIN-6] if it is long as JSON", () => {
    const value = Array.from({ length: 300 }, (_, i) => ({ i }));
    const field = shown(value);
    if (field.shown !== "preview") throw new Error(field.shown);
    expect(field.format).toBe("json");
    expect(toText(value).startsWith(field.preview)).toBe(true);
    expect(field.window.total_chars).toBe(JSON.stringify(value).length);
  });

  it("[BIG-4] up to encoded bytes inside it, even if it is short", () => {
    const field = shown(`See: ${bytes.slice(0, 600)}, and so on and so on${" and so on".repeat(50)}`);
    expect(field).toMatchObject({ shown: "preview", preview: "See: ", read: readFrom(5) });
    expect(shown({ note: "x", body: `iVBORw0KGgo${bytes.slice(0, 100)}` })).toMatchObject({
      shown: "preview",
      format: "json",
      preview: '{"note":"x","body":"',
    });
  });

  it("in characters, not in UTF-16 units", () => {
    const field = shown("👍 ".repeat(400));
    if (field.shown !== "preview") throw new Error(field.shown);
    expect(sliceChars("👍 ".repeat(400), 0, field.window.end_chars)).toBe(field.preview);
  });
});

describe("[BIG-2] bytes are described", () => {
  const reference = { blob_id: "blob_1", mime_type: "image/png", size_bytes: 12, sha256: "ab" };
  const blob = declared({ kind: "json", blob: true });
  const read = { operation: "readBlob", arguments: { blob_id: "blob_1", connection_id: "cin_a" } };

  it("by their reference", () => {
    expect(shown(reference, blob)).toEqual({
      field_path: "f",
      type: "json",
      shown: "blob",
      references: [{ ...reference, read }],
    });
    expect(shown({ ...reference, fetch_url: "/v1/blobs/blob_1" }, blob)).not.toHaveProperty("read");
    expect(shown({ blob_id: "blob_1" }, blob)).toMatchObject({ references: [{ blob_id: "blob_1", read }] });
  });

  it("[WIN-6] with a read of their text", () => {
    const textOf = (field: string) => ({ ...readFrom(0), arguments: { ...readFrom(0).arguments, field } });
    const page = { ...reference, mime_type: "text/html; charset=utf-8" };
    expect(shown(page, blob)).toMatchObject({ references: [{ ...page, read, text: textOf("f{text}") }] });
    expect(shown([reference, page], blob)).toMatchObject({ references: [{ read }, { text: textOf("f[1]{text}") }] });
    expect(shown([page, { ...page, text: "own" }], blob)).toMatchObject({
      references: [{ text: textOf("f[0]{text}") }, { text: textOf("f[1]{text}") }],
      read: readFrom(0),
    });
    for (const mime_type of ["application/msword", 7, `text/${"x".repeat(300)}`])
      expect(shown({ ...reference, mime_type }, blob)).not.toHaveProperty("references[0].text");
    const among = presentField({ place, isField: (name) => ["a.b", "a.b{text}"].includes(name) }, "a.b", blob, page);
    expect(among).toMatchObject({ references: [{ text: textOf('["a.b"]{text}') }] });
  });

  it("[HND-1] with a read for the rest of the reference", () => {
    expect(shown({ ...reference, name: "cat.png" }, blob)).toMatchObject({ shown: "blob", read: readFrom(0) });
    expect(shown({ ...reference, size_bytes: "12" }, blob)).toMatchObject({ shown: "blob", read: readFrom(0) });
    expect(shown({ ...reference, mime_type: "x".repeat(300) }, blob)).toMatchObject({
      shown: "blob",
      read: readFrom(0),
    });
    expect(shown([reference, "else"], blob)).toMatchObject({ shown: "blob", read: readFrom(0) });
    const many = Array.from({ length: 20 }, () => reference);
    expect(shown(many, blob)).toMatchObject({ shown: "blob", read: readFrom(0) });
  });

  it.each<[Json]>([[null], [[]], [{ url: "x" }], [{ blob_id: 7 }], [{ blob_id: "x".repeat(270) }], [[1]]])(
    "not when there is no reference: %j",
    (value) => expect(shown(value, blob)).toMatchObject({ shown: "inline", value }),
  );

  it("only if the field declares them", () => expect(shown(reference)).toMatchObject({ shown: "inline" }));

  it("[BIG-4] by size and encoding if they are text", () => {
    expect(shown(bytes)).toEqual({
      field_path: "f",
      type: "text",
      shown: "encoded",
      encoding: "base64",
      total_chars: bytes.length,
      read: {
        operation: "fetch",
        arguments: { connection_id: "cin_a", stream: "mails", record_id: "m1", fields: ["f"] },
      },
    });
    expect(shown(`data:image/png;base64,${bytes}`, undefined)).toMatchObject({
      shown: "encoded",
      media_type: "image/png",
    });
    expect(
      shown("aGVsbG8=", declared({ schema: { contentEncoding: "base64", contentMediaType: "text/plain" } })),
    ).toMatchObject({
      shown: "encoded",
      encoding: "base64",
      media_type: "text/plain",
      total_chars: 8,
    });
    expect(shown("aGVsbG8=", declared({ blob: true, type: "blob" }))).toMatchObject({
      shown: "encoded",
      encoding: "binary",
    });
    expect(shown("", declared({ type: "base64" }))).toMatchObject({ shown: "inline" });
  });
});

describe("[BIG-17] a list or an object is previewed between items", () => {
  const previewOf = (value: Json) => {
    const field = shown(value, undefined);
    if (field.shown !== "preview") throw new Error(field.shown);
    const text = JSON.stringify(value);
    expect(field.preview).toBe(sliceChars(text, 0, field.window.end_chars));
    expect(field.read).toMatchObject(readFrom(field.window.end_chars));
    return field;
  };

  it("a list of numbers, with the number shown", () => {
    const { preview, items, window } = previewOf(Array.from({ length: 400 }, (_, i) => i * 3));
    expect(preview).toMatch(/^\[0,3,6,9,(\d+,)+\d+$/);
    expect(window.end_chars).toBeGreaterThan(150);
    expect(items).toEqual({ shown: JSON.parse(`${preview}]`).length, total: 400 });
  });

  it("a list of objects, the last one complete", () => {
    const { preview, items } = previewOf(
      Array.from({ length: 40 }, (_, i) => ({ id: i, amounts: [1.5, -2], "a,b": "x,y" })),
    );
    expect(items).toEqual({ shown: JSON.parse(`${preview}]`).length, total: 40 });
    expect(items?.shown).toBeGreaterThan(1);
  });

  it("an object, by its keys", () => {
    const value = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key_${i}`, `value "${i}"`]));
    const { preview, items } = previewOf(value);
    expect(items).toEqual({ shown: Object.keys(JSON.parse(`${preview}}`)).length, total: 60 });
  });

  it("a nested list, between inner items if the outer ones are too long", () => {
    const { preview, items } = previewOf([Array.from({ length: 300 }, (_, i) => i), [1]]);
    expect(preview).toMatch(/^\[\[0,1,2,.*,\d+$/);
    expect(items).toEqual({ shown: 0, total: 2 });
  });

  it("a long text in a list, between words if there is no item boundary", () => {
    const { preview, items } = previewOf(["many words ".repeat(100)]);
    expect(preview).toMatch(/^\["many words.*(many|words)$/);
    expect(items).toEqual({ shown: 0, total: 1 });
  });
});

it("[BIG-4] shows only a short text as unit, though a unit field may contain anything", () => {
  const beside = (unit: Json) =>
    presentField(
      { place, isField: () => true, shownValue: () => unit },
      "f",
      declared({ kind: "number", unitField: "u" }),
      12.5,
    );
  expect(beside("EUR")).toMatchObject({ value: 12.5, unit: "EUR" });
  for (const unit of [bytes, "long ".repeat(20), null, { of: "EUR" }]) expect(beside(unit)).not.toHaveProperty("unit");
});
