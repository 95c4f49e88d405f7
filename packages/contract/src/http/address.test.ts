import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildUrl, parseUrl } from "./address.ts";

const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((text) => text.isWellFormed());
const key = fc.oneof(word, fc.constantFrom(".", "..", "_", "a/b:c", '["u","2026"]', "a b?c#d%2F"));

describe("addresses", () => {
  it("[HND-5] an address gives back the call it was made of", () => {
    fc.assert(
      fc.property(
        key,
        word,
        fc.option(word, { nil: undefined }),
        fc.array(word),
        (recordId, stream, connection, fields) => {
          const input = {
            stream,
            record_id: recordId,
            ...(connection === undefined ? {} : { connection_id: connection }),
            ...(fields.length === 0 ? {} : { fields }),
          };
          fc.pre(stream !== "." && stream !== "..");
          expect(parseUrl(buildUrl("fetch", input))).toEqual({ operation: "fetch", input });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("keeps filters with operators", () => {
    const input = { stream: "s", filter: { amount: { gte: "5" }, name: "x" } };
    expect(parseUrl(buildUrl("queryRecords", input))).toEqual({ operation: "queryRecords", input });
  });

  it("refuses what is no address of a read", () => {
    expect(() => parseUrl("/v1/nowhere")).toThrow("not the address of a read");
  });
});
