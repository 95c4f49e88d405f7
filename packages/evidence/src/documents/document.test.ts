import type { FieldDeclaration, JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../cards/record.ts";
import { budget } from "../sizes/budget.ts";
import { createDocument } from "./document.ts";

type Fields = { readonly [name: string]: Partial<FieldDeclaration> };
const recordOf = (fields: Fields, data: JsonObject): EvidenceRecord => {
  const stream: StreamDeclaration = {
    name: "notes",
    semantics: "mutable_state",
    primaryKey: ["id"],
    selection: { fields: true, resources: true },
    fields: Object.entries(fields).map(([name, more]) => ({
      name,
      kind: "text",
      nullable: true,
      blob: false,
      rangeOperators: [],
      lexical: false,
      semantic: false,
      aggregations: [],
      schema: {},
      ...more,
    })),
    views: [],
    relationships: [],
    countable: false,
    schema: {},
    query: {},
  };
  return {
    connectorKey: "notes",
    connection: { id: "cin_n" },
    stream,
    recordId: "n1",
    version: "1",
    emittedAt: "2026-04-01T08:00:00.000Z",
    data,
    granted: null,
  };
};
const body = { role: "body" } as const;

describe("[FET-3] the document of a record", () => {
  it("is its body, unchanged, if it has exactly one", () => {
    const document = createDocument(
      recordOf({ t: { role: "primary-title" }, b: body }, { t: "Ferry", b: "# Ferry\n\nAt nine. " }),
    );
    expect(document).toMatchObject({ id: "cin_n/notes:n1", title: "Ferry", text: "# Ferry\n\nAt nine. " });
    expect(document.metadata).toMatchObject({
      complete: true,
      truncated: false,
      parts: [{ field_path: "b", window: { start_chars: 0, end_chars: 18, total_chars: 18 } }],
      fields: [{ field_path: "t", shown: "inline", value: "Ferry" }],
    });
    expect(document.metadata.parts[0]).not.toHaveProperty("read");
  });

  it("has one line per field if it has no body or several", () => {
    expect(createDocument(recordOf({ a: {}, n: { kind: "json" } }, { a: "x", n: [1, { k: null }] })).text).toBe(
      'a: x\nn: [1,{"k":null}]',
    );
    expect(createDocument(recordOf({ a: body, b: body }, { a: "x", b: "y" })).text).toBe("a: x\nb: y");
    expect(createDocument(recordOf({ a: body, b: {} }, { a: null, b: "y" })).text).toBe("a: null\nb: y");
    expect(createDocument(recordOf({}, {})).text).toBe("");
  });

  it("[HND-8] has one line per field for any value, and keeps texts distinct from numbers", () => {
    const fields = { a: {}, "b\nc": {}, n: {}, t: {}, u: {} };
    const data = { a: "x\nn: 5\u2028y", "b\nc": "z", n: "5", t: " t", u: 'say "hi"' };
    expect(createDocument(recordOf(fields, data)).text.split("\n")).toEqual([
      'a: "x\\nn: 5\\u2028y"',
      '"b\\nc": z',
      'n: "5"',
      't: " t"',
      'u: say "hi"',
    ]);
    expect(createDocument(recordOf(fields, data)).metadata).not.toHaveProperty("text_field");
    expect(createDocument(recordOf({ b: body }, { b: "a: 1\nb: 2" })).metadata.text_field).toBe("b");
  });

  it("[HND-8] quotes every text that is JSON", () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("", " ", "\t"), (value, space) => {
        const text = `${space}${JSON.stringify(value, null, space)}`;
        fc.pre(text.length < 400);
        const [line] = createDocument(recordOf({ a: {}, b: {} }, { a: text, b: "x" })).text.split("\n");
        expect(JSON.parse(line!.slice("a: ".length))).toBe(text);
      }),
    ));

  it("[BIG-1] is bounded, and states where to continue", () => {
    const text = "The old bridge was closed. ".repeat(2000);
    const { text: shown, metadata } = createDocument(recordOf({ b: body }, { b: text }));
    expect(shown.length).toBeLessThanOrEqual(budget.document.chars);
    expect(shown.length).toBeGreaterThan(budget.document.chars - 40);
    expect(metadata).toMatchObject({
      complete: false,
      truncated: true,
      parts: [
        {
          window: { end_chars: shown.length, total_chars: text.length },
          read: { operation: "readField", arguments: { field: "b", offset_chars: shown.length } },
        },
      ],
    });
    expect(createDocument(recordOf({ b: body }, { b: text }), { chars: 100 }).text.length).toBeLessThanOrEqual(100);
  });

  it("gives short fields what they need, and splits the rest equally", () => {
    const long = "word ".repeat(4000);
    const { metadata } = createDocument(recordOf({ a: {}, b: {}, c: {} }, { a: long, b: "short", c: long }));
    const [a, b, c] = metadata.parts.map(({ window }) => window.end_chars);
    expect(b).toBe(5);
    expect(Math.abs(a! - c!)).toBeLessThan(10);
    expect(a! + c!).toBeGreaterThan(budget.document.chars - 2 * budget.document.fieldChars - 50);
  });

  it("[BIG-4] describes bytes instead of showing them", () => {
    const { text, metadata } = createDocument(
      recordOf(
        { b: body, raw: { type: "base64" }, p: { blob: true } },
        { b: "x", raw: "aGVsbG8=", p: { blob_id: "b1" } },
      ),
    );
    expect(text).toBe("x");
    expect(metadata.fields.map(({ shown }) => shown)).toEqual(["encoded", "blob"]);
    expect(metadata.complete).toBe(false);
    expect(metadata.truncated).toBe(false);
    const encodedBody = createDocument(recordOf({ b: { ...body, type: "base64" }, c: {} }, { b: "aGVsbG8=", c: "x" }));
    expect(encodedBody.text).toBe("c: x");
  });

  it("[BIG-1] has a bounded number of fields, and the read for the rest", () => {
    const names = Array.from({ length: 300 }, (_, i) => `f${i}`);
    const record = recordOf(
      Object.fromEntries(names.map((name) => [name, {}])),
      Object.fromEntries(names.map((name) => [name, 1])),
    );
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { text, metadata } = createDocument(record, { after, fields: names });
      expect(text.length + metadata.parts.length * budget.document.fieldChars).toBeLessThan(
        budget.document.chars + 400,
      );
      seen.push(...metadata.parts.map(({ field_path }) => field_path));
      const read = metadata.omitted?.read.arguments as { after_field: string; fields: string[] } | undefined;
      expect(read === undefined || read.fields === names).toBe(true);
      after = read?.after_field;
    } while (after !== undefined);
    expect(seen).toEqual(names);
  });

  it("[BIG-1] shows a body first, wherever it is declared, and advances even in little space", () => {
    const record = recordOf({ a: {}, b: body, c: {} }, { a: "x".repeat(200), b: "y".repeat(200), c: "z" });
    const first = createDocument(record, { chars: 10 });
    expect(first.metadata.parts.map(({ field_path }) => field_path)).toEqual(["b"]);
    const second = createDocument(record, { chars: 10, after: "b" });
    expect(second.metadata.parts.map(({ field_path }) => field_path)).toEqual(["a"]);
  });
});
