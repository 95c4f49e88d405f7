import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUri, parseUri, type UriName } from "./uri.ts";

const part = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed());
const record = fc.record({ connectionId: part, stream: part, recordId: part });

const anyUri: fc.Arbitrary<UriName> = fc.oneof(
  record.map((name): UriName => ({ kind: "record", name })),
  fc.tuple(record, part, fc.nat(), part).map(
    ([name, field, offset, q]): UriName => ({
      kind: "field-window",
      name: { ...name, field, selector: [{ offset_chars: offset }, { end_chars: offset }, { q }][offset % 3]! },
    }),
  ),
  fc.tuple(part, part).map(([connectionId, blobId]): UriName => ({ kind: "blob", name: { connectionId, blobId } })),
);

describe("[HND-3] URIs", () => {
  it("[HND-5] round-trip", () => {
    fc.assert(
      fc.property(anyUri, (uri) => {
        expect(parseUri(formatUri(uri))).toEqual(uri);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("accept a percent-encoded handle for a record", () => {
    expect(parseUri("pdpp://record/cin_a%2Fmail%3Am%201")).toEqual({
      kind: "record",
      name: { connectionId: "cin_a", stream: "mail", recordId: "m 1" },
    });
  });

  const encoded = (value: unknown): string => btoa(JSON.stringify(value)).replaceAll("=", "");
  it.each([
    ["no scheme", "cin_a/mail:m1"],
    ["another kind", "pdpp://stream/abc"],
    ["no JSON, no handle", "pdpp://record/abc"],
    ["bad percent encoding", "pdpp://record/%E0%A4%A"],
    ["a handle for a blob", "pdpp://blob/cin_a%2Fmail%3Am1"],
    [
      "another version",
      `pdpp://record/${encoded({ v: 2, kind: "record", connection_id: "a", stream: "s", record_id: "r" })}`,
    ],
    [
      "the wrong kind",
      `pdpp://blob/${encoded({ v: 1, kind: "record", connection_id: "a", stream: "s", record_id: "r" })}`,
    ],
    ["no connection", `pdpp://record/${encoded({ v: 1, kind: "record", stream: "s", record_id: "r" })}`],
    ["no record", `pdpp://record/${encoded({ v: 1, kind: "record", connection_id: "a", stream: "s" })}`],
    ["no blob", `pdpp://blob/${encoded({ v: 1, kind: "blob", connection_id: "a" })}`],
    [
      "no field",
      `pdpp://field-window/${encoded({ v: 1, kind: "field-window", connection_id: "a", stream: "s", record_id: "r" })}`,
    ],
    ["a number", `pdpp://record/${encoded(7)}`],
  ])("reject %s", (_, text) => expect(parseUri(text)).toBeNull());
});
