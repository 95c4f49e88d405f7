import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeQuery, encodeQuery } from "./query-string.ts";

const decode = (query: string) => decodeQuery(new URLSearchParams(query));
const decoded = (query: string) => Object.fromEntries(decode(query).values);

const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom("[", "]", ".", ",", "a", " ", "=", "&", "%", "é", "😀", '"', "+", "gte"),
    minLength: 1,
    maxLength: 6,
  }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "a[b]",
    "a.b",
    "a,b",
    "[]",
    "][",
    "a][gte",
    "a][gte][lt",
    "a][eq",
    "]",
    "[",
    " ",
  ),
);
const value = fc.string({ unit: "grapheme", maxLength: 12 });
const operators = fc.uniqueArray(fc.constantFrom("gte", "gt", "lte", "lt"), { minLength: 1, maxLength: 4 });
const mapOf = <T>(item: fc.Arbitrary<T>) =>
  fc
    .uniqueArray(fc.tuple(name, item), { minLength: 1, maxLength: 4, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries) as Record<string, T>);

const input = fc.record(
  {
    stream: value,
    limit: fc.nat(),
    offset_chars: fc.nat(),
    cursor: value,
    fields: fc.array(name, { minLength: 1, maxLength: 4 }),
    expand: fc.array(name, { minLength: 1, maxLength: 3 }),
    filter: mapOf(
      fc.oneof(
        value,
        fc.tuple(operators, value).map(([some, text]) => Object.fromEntries(some.map((operator) => [operator, text]))),
      ),
    ),
    expand_limit: mapOf(fc.nat()),
  },
  { requiredKeys: [] },
);

describe("a query string", () => {
  it("gives back any input, whatever the names of fields", () =>
    fc.assert(
      fc.property(input, (given) => {
        const { values, fault } = decode(encodeQuery(given));
        expect(fault).toBeUndefined();
        expect(Object.fromEntries(values)).toEqual(given);
      }),
      { numRuns: 1000 },
    ));

  it("spells lists with commas, repeated names or brackets", () => {
    for (const query of [
      "fields=a,b",
      "fields=a&fields=b",
      "fields[]=a&fields[]=b",
      "fields=a&fields[]=b",
      "fields=%20a%20,,b,",
    ]) {
      expect(decoded(query), query).toEqual({ fields: ["a", "b"] });
    }
    expect(decoded("fields[]=a,b")).toEqual({ fields: ["a,b"] });
  });

  it("reads filters on fields with brackets and dots in their names", () => {
    expect(decoded("filter[a]=1&filter[b][gte]=2&filter[b][lt]=3")).toEqual({
      filter: { a: "1", b: { gte: "2", lt: "3" } },
    });
    expect(decoded("filter[a.b]=1&filter[a[0]]=2&filter[a[0]][gte]=3".replace("filter[a[0]]=2&", ""))).toEqual({
      filter: { "a.b": "1", "a[0]": { gte: "3" } },
    });
    expect(decoded("filter%5Bname%5D=x%26y%3Dz")).toEqual({ filter: { name: "x&y=z" } });
  });

  it("keeps an own __proto__ an own key", () => {
    const { filter } = decoded("filter[__proto__]=1") as { filter: object };
    expect(Object.keys(filter)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(filter)).toBe(Object.prototype);
  });

  it.each([
    "filter=a",
    "filter[]=a",
    "filter[a=1",
    "filter[a]x=1",
    "filter]a[=1",
    "expand_limit=3",
    "limit[a]=1",
    "limit[]=1",
    "x[y]=1",
    "fields[a]=b",
    "[a]=1",
    "limit=1&limit=2",
    "filter[a]=1&filter[a]=2",
    "filter[a]=1&filter[a][gte]=2",
    "filter[a][gte]=1&filter[a]=2",
    "filter[a][gte]=1&filter[a][gte]=2",
  ])("names the parameter at fault in %s", (query) => {
    const { fault } = decode(query);
    expect(fault).toBeDefined();
    expect(query).toContain(fault!.param);
  });

  it("never throws and never pollutes, whatever is sent", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            "filter",
            "[",
            "]",
            "=",
            "&",
            "%",
            "%5B",
            "%00",
            "a",
            "__proto__",
            "fields",
            ",",
            "gte",
            "é",
            "\ud800",
          ),
        }),
        (query) => {
          decode(query);
          expect(Object.keys(Object.prototype)).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("can be made of half characters, too", () => {
    expect(encodeQuery({ stream: "\ud800", filter: { "\udc00": "\ud800" } })).toBe(
      "stream=%EF%BF%BD&filter%5B%EF%BF%BD%5D=%EF%BF%BD",
    );
  });
});
