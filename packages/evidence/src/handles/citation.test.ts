import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCitationUrl, parseCitationPath, parsePassage } from "./citation.ts";

const base = "https://vault.example.org";
const record = { connectionId: "cin_chat", stream: "messages", recordId: "m1" };

describe("citations", () => {
  it("[EVI-34] names the record's page and the passage", () => {
    expect(formatCitationUrl(base, record)).toBe(`${base}/record/cin_chat/messages:m1`);
    expect(formatCitationUrl(base, record, { field: "text", start: 12, end: 40, version: "3" })).toBe(
      `${base}/record/cin_chat/messages:m1?at=text:12-40@3`,
    );
    expect(formatCitationUrl(base, record, { field: "text", start: 12, end: 40, version: "1" })).toBe(
      `${base}/record/cin_chat/messages:m1?at=text:12-40`,
    );
    expect(parsePassage("text:12-40")).toEqual({ field: "text", start: 12, end: 40, version: "1" });
  });

  it("[EVI-34] leads back to the same record and passage for any names", () => {
    const name = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed());
    const awkward = fc.constantFrom("..", "a/b:c", "50%25", "?x=1#y", "with space", "日本語:キー/値", `q"uo'te\\`);
    const key = fc.oneof(name, awkward);
    fc.assert(
      fc.property(
        key,
        key,
        fc.nat(),
        fc.integer({ min: 1 }),
        fc.constantFrom("1", "7"),
        (recordId, field, start, length, version) => {
          const passage = { field, start, end: start + length, version };
          const url = new URL(formatCitationUrl(base, { ...record, recordId }, passage) ?? "");
          expect(parseCitationPath(url.pathname)).toEqual({ ...record, recordId });
          expect(parsePassage(url.searchParams.get("at") ?? "")).toEqual(passage);
        },
      ),
    );
  });

  it("[EVI-34] is omitted if it could not be opened", () => {
    expect(formatCitationUrl(base, { ...record, recordId: "x".repeat(1000) })).toHaveLength(
      1000 + `${base}/record/cin_chat/messages:`.length,
    );
    expect(formatCitationUrl(base, { ...record, recordId: "値".repeat(1000) })).toBeUndefined();
    expect(formatCitationUrl(base, { ...record, recordId: "\ud800" })).toBeUndefined();
    for (const path of ["/record/", "/record/a", "/record/a/b", "/record/a/b:", "/record/a/b:%", "/record/a/b:c/d"])
      expect([path, parseCitationPath(path)]).toEqual([path, null]);
    for (const at of ["", "text", "text:2-2@1", "text:5-2@1", ":1-2@1", "text:-1-2@1"])
      expect([at, parsePassage(at)]).toEqual([at, null]);
  });
});
