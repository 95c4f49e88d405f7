import type { LoggedRequest } from "@pdpp/contract/logged-request";
import type { OperationName } from "@pdpp/contract/operations";
import { describe, expect, it } from "vitest";
import { describeRequest } from "./describe-request.ts";

const token = "some-other-token-of-a-client";

const write = (operation: OperationName, values: Record<string, unknown>, isListed = false): string =>
  describeRequest({ operation, values: new Map(Object.entries(values)), token, isListed });
const describeValues = (...given: Parameters<typeof write>): LoggedRequest => JSON.parse(write(...given));

describe("the description of a request", () => {
  it("[LOG-15] has the arguments without cursors, bookmarks, tokens and unknown parameters", () => {
    expect(describeValues("search", { q: "boiler", streams: ["mail"], cursor: "sealed", access_token: "x" })).toEqual({
      operation: "search",
      arguments: { q: "boiler", streams: ["mail"] },
      continued: true,
    });
    expect(describeValues("export", { after: "home/mail:1" })).toEqual({
      operation: "export",
      arguments: {},
      continued: true,
    });
    expect(describeValues("queryRecords", { stream: "mail", changes_since: "sealed" }).arguments).toEqual({
      stream: "mail",
      changes_since: "bookmark",
    });
    expect(describeValues("queryRecords", { changes_since: "beginning" }).arguments).toEqual({
      changes_since: "beginning",
    });
    const issued = `pdpp_client_${"a".repeat(43)}`;
    const filter = { [issued]: { gte: `x${token}y` } };
    expect(describeValues("search", { q: `find ${issued} and ${token}`, filter }).arguments).toEqual({
      q: "find [token] and [token]",
      filter: { "[token]": { gte: "x[token]y" } },
    });
  });

  it("[LOG-13] keeps an offset that was sent as a cursor", () => {
    const { arguments: asked, continued } = describeValues("readField", { field: "body", cursor: "4096" });
    expect([asked, continued]).toEqual([{ field: "body", offset_chars: 4096 }, undefined]);
  });

  it("[LOG-11] has the id of a record or file only if the entry lists no record", () => {
    expect(describeValues("fetch", { stream: "mail", record_id: "m1" }).arguments).toHaveProperty("record_id", "m1");
    expect(describeValues("fetch", { stream: "mail", record_id: "m1" }, true).arguments).toEqual({ stream: "mail" });
    expect(describeValues("readBlob", { blob_id: "sha256:1" }, true).arguments).toEqual({});
  });

  it("[LOG-13] is bounded and well-formed, and says that it was shortened", () => {
    const long = "boiler ".repeat(150_000);
    const hostile: Record<string, unknown>[] = [
      { q: long },
      { q: "\u0001".repeat(20_000) },
      { q: '"\\'.repeat(20_000) },
      { q: "\ud800".repeat(5000) },
      { q: "👩‍👩‍👧‍👦".repeat(2000) },
      { q: "x", streams: Array.from({ length: 5000 }, () => long) },
      {
        q: "x",
        filter: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${n}${"key".repeat(900)}`, { gte: long }])),
      },
      { q: { a: { b: { c: { d: { e: 1 } } } } } },
    ];
    for (const values of hostile) {
      const written = write("search", values);
      expect(written.length).toBeLessThanOrEqual(2000);
      expect(written.isWellFormed()).toBe(true);
      const { arguments: asked, shortened } = JSON.parse(written) as LoggedRequest;
      expect(JSON.stringify(asked)).not.toMatch(/\\u00|\\ud/i);
      if (values.q !== "\u0001".repeat(20_000))
        expect([Object.keys(asked), shortened]).toEqual([expect.anything(), true]);
    }
    expect(describeValues("search", { q: long }).arguments.q).toMatch(/^boiler boiler .{1000,}…$/);
  });

  it("[LOG-15] hides a token that was cut", () => {
    const q = `${"x".repeat(1480)} pdpp_client_${"s".repeat(43)}`;
    expect(String(describeValues("search", { q }).arguments.q)).not.toContain("sss");
  });
});
