import type { JsonObject } from "@pdpp/contract/declaration";
import { compileRecordCheck, parseManifest } from "@pdpp/contract/manifest";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CatalogStream } from "../store/catalog/catalog.ts";
import { parseRecord } from "./parse-record.ts";

const now = Date.parse("2026-03-01");

function streamOf(primaryKey: string[], properties: JsonObject, required: string[] = []): CatalogStream {
  const schema = { type: "object", required, properties };
  const declaration = parseManifest({
    connector_key: "x",
    version: "1",
    streams: [{ name: "s", primary_key: primaryKey, schema }],
  }).streams[0]!;
  return {
    streamNo: 1,
    connectorKey: "x",
    declaration,
    columns: new Map(),
    writtenColumns: [],
    blobFields: [],
    isBuilt: false,
    activeSearchPlan: null,
    searchPlans: [],
    check: compileRecordCheck(declaration),
  };
}

const stream = streamOf(["id"], { id: { type: "string" }, n: { type: "number" }, free: {} });
const compound = streamOf(["a", "b"], { a: { type: "string" }, b: { type: "integer" } });

const parse = (line: string, of = stream) => parseRecord(of, line, now);
const codeOf = (line: string, of = stream) => {
  const parsed = parse(line, of);
  return "code" in parsed ? parsed.code : "accepted";
};
const withFree = (text: string) => `{"data":{"id":"a","free":${text}}}`;

describe("a line of an ingest", () => {
  it("is a record with its key, its unchanged data, and its time", () => {
    expect(parse('{"data":{"id":"a","n":1}}')).toEqual({
      key: "a",
      op: "upsert",
      data: { id: "a", n: 1 },
      text: '{"id":"a","n":1}',
      emittedAt: now,
    });
    expect(parse('{"key":"a","data":{"id":"a"},"emitted_at":"2026-01-02T00:00:00Z"}\r')).toMatchObject({
      emittedAt: Date.parse("2026-01-02"),
    });
    expect(parse('{"op":"delete","key":"a"}')).toEqual({
      key: "a",
      op: "delete",
      data: {},
      text: "{}",
      emittedAt: now,
    });
    expect(parse('{"op":"delete","data":{"id":"a","n":"ignored"}}')).toMatchObject({ key: "a", op: "delete" });
    expect(parse('{"key":["a",2],"data":{"a":"a","b":2}}', compound)).toMatchObject({ key: '["a","2"]' });
    expect(parse('{"key":null,"emitted_at":null,"data":{"id":"a"}}')).toMatchObject({ key: "a" });
  });

  it.each([
    ["malformed_ndjson", "{"],
    ["malformed_ndjson", ""],
    ["malformed_ndjson", "{'data':{}}"],
    ["malformed_ndjson", '{"data":{"id":"\u0000"}}'],
    ["malformed_ndjson", '{"data":{"id":"a"}} {}'],
    ["malformed_ndjson", '{"data":{"id":"a","n":NaN}}'],
    ["invalid_record", "null"],
    ["invalid_record", "[]"],
    ["invalid_record", '"text"'],
    ["invalid_record", "{}"],
    ["invalid_record", '{"data":null}'],
    ["invalid_record", '{"data":[]}'],
    ["invalid_record", '{"op":"drop","data":{"id":"a"}}'],
    ["invalid_record", '{"op":null,"data":{"id":"a"}}'],
    ["invalid_record", '{"data":{"id":"a"},"emitted_at":"yesterday"}'],
    ["invalid_record", '{"data":{"id":"a"},"emitted_at":5}'],
    ["invalid_record", '{"__proto__":{"data":{"id":"a"}}}'],
    ["invalid_record_identity", '{"data":{}}'],
    ["invalid_record_identity", '{"data":{"id":""}}'],
    ["invalid_record_identity", '{"data":{"id":null}}'],
    ["invalid_record_identity", '{"data":{"id":["a"]}}'],
    ["invalid_record_identity", '{"data":{"__proto__":{"id":"a"}}}'],
    ["invalid_record_identity", '{"key":"b","data":{"id":"a"}}'],
    ["invalid_record_identity", '{"key":{},"data":{"id":"a"}}'],
    ["invalid_record_identity", '{"key":["a","b"],"data":{"id":"a"}}'],
    ["invalid_record_identity", '{"key":"a","data":{}}'],
    ["invalid_record_identity", '{"op":"delete"}'],
    ["invalid_record_identity", `{"data":{"id":"${"x".repeat(4097)}"}}`],
    ["schema_violation", '{"data":{"id":"a","n":"1"}}'],
    ["schema_violation", '{"data":{"id":1}}'],
    ["invalid_text", withFree('"\\u0000"')],
    ["invalid_text", withFree('"\\ud800"')],
    ["invalid_text", withFree('{"\\udc00":1}')],
    ["invalid_text", withFree('{"\\ud83d":1,"\\ude00":2}')],
    ["invalid_text", withFree('[["a\\u0000b"]]')],
    ["number_not_exact", withFree("9007199254740993")],
    ["number_not_exact", withFree("-9007199254740993")],
    ["number_not_exact", withFree('[9007199254740993,"9007199254740992"]')],
    ["number_not_exact", withFree("1000000000000000000000001")],
    ["number_not_exact", withFree("1e400")],
    ["number_not_exact", withFree("-1E+400")],
    ["number_not_exact", withFree("9".repeat(400))],
  ])("is refused as %s: %s", (code, line) => expect(codeOf(line)).toBe(code));

  it.each([
    withFree("9007199254740992"),
    withFree("10000000000000000000000"),
    withFree("1e300"),
    withFree("0.12345678901234567"),
    withFree('"9007199254740993"'),
    withFree('"a \\" 9007199254740993 \\\\"'),
    withFree('{"9007199254740993":1e0}'),
    withFree('"\\ud83d\\ude00"'),
    withFree('"\\u00e9"'),
    `{"data":{"id":"${"😀".repeat(4096)}"}}`,
  ])("is accepted: %s", (line) => expect(codeOf(line)).toBe("accepted"));

  it("treats names such as __proto__ like any other", () => {
    const text = '{"id":"a","free":{"__proto__":{"polluted":true},"constructor":1,"toString":2}}';
    expect(parse(`{"data":${text}}`)).toMatchObject({ text });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("uses the last of two equal names, like JSON", () => {
    expect(parse('{"data":{"id":"x"},"data":{"id":"a","id":"b"}}')).toMatchObject({ key: "b", text: '{"id":"b"}' });
  });

  it.each([501, 100_000, 300_000])("rejects a record nested %i levels deep without crashing", (levels) => {
    expect(codeOf(withFree("[".repeat(levels) + "]".repeat(levels)))).toBe("invalid_record");
    expect(codeOf(`{"data":${'{"id":"a","free":'.repeat(levels)}1${"}".repeat(levels)}}`)).toBe("invalid_record");
  });

  it("accepts a record nested 400 levels deep", () => {
    expect(codeOf(withFree("[".repeat(400) + "]".repeat(400)))).toBe("accepted");
  });

  it("returns every storable record unchanged", () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
        fc.jsonValue({ noUnicodeString: false }),
        (id, free) => {
          fc.pre(!JSON.stringify({ id, free }).includes("\\u0000") && JSON.stringify({ id, free }).isWellFormed());
          const parsed = parse(JSON.stringify({ data: { id, free } }));
          if ("code" in parsed) expect(["invalid_text", "number_not_exact"]).toContain(parsed.code);
          else expect(JSON.parse(parsed.text)).toEqual(JSON.parse(JSON.stringify({ id, free })));
        },
      ),
    ));

  it("never throws for any input", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.json(),
          fc.json().map((json) => `{"data":${json}}`),
          fc.json().map((json) => `{"key":${json},"data":{"id":"a"}}`),
        ),
        (line) => {
          expect(() => parse(line)).not.toThrow();
          expect(() => parse(line, compound)).not.toThrow();
        },
      ),
      { numRuns: 500 },
    ));
});
