import { describe, expect, it } from "vitest";
import { parseWindowRequest } from "./window-request.ts";

const record = { stream: "s", record_id: "r", field: "f" };

describe("parsing a window request", () => {
  it.each([
    [{}, { kind: "from", at: 0, limit: 4096 }],
    [
      { offset_chars: 7, limit_chars: 5 },
      { kind: "from", at: 7, limit: 5 },
    ],
    [
      { cursor: "7", limit_chars: 5 },
      { kind: "from", at: 7, limit: 5 },
    ],
    [
      { end_chars: 9, limit_chars: 5 },
      { kind: "to", at: 9, limit: 5 },
    ],
    [{ cursor: "AbC" }, { kind: "cursor", cursor: "AbC", limit: null }],
    [{ q: "a" }, { kind: "match", q: "a", before: 400, after: 1200, limit: null }],
    [
      { q: "a", before_chars: 0, after_chars: 8192 },
      { kind: "match", q: "a", before: 0, after: 8192, limit: null },
    ],
  ])("[WIN-2] %j", (selector, asked) => {
    expect(parseWindowRequest({ ...record, ...selector })).toEqual({ asked, warnings: [] });
  });

  it.each([
    ["offset_chars", { q: "a", offset_chars: 0 }],
    ["cursor", { q: "a", cursor: "x" }],
    ["end_chars", { q: "a", end_chars: 5 }],
    ["end_chars", { offset_chars: 0, end_chars: 5 }],
    ["end_chars", { cursor: "x", end_chars: 5 }],
    ["before_chars", { before_chars: 1 }],
    ["after_chars", { offset_chars: 1, after_chars: 1 }],
    ["after_chars", { cursor: "x", after_chars: 1 }],
    ["offset_chars", { cursor: "5", offset_chars: 5 }],
    ["before_chars", { q: "a", before_chars: 8193 }],
    ["after_chars", { q: "a", after_chars: 8193 }],
    ["limit_chars", { limit_chars: 0 }],
  ])("[WIN-2] %s is refused in %j", (param, selector) => {
    expect(() => parseWindowRequest({ ...record, ...selector })).toThrow(
      expect.objectContaining({ code: "invalid_window", details: { param } }),
    );
  });

  it("[WIN-1] clamps the limit with a warning", () => {
    expect(parseWindowRequest({ ...record, limit_chars: 16384 })).toMatchObject({
      asked: { limit: 16_384 },
      warnings: [],
    });
    expect(parseWindowRequest({ ...record, limit_chars: 16385 })).toMatchObject({
      asked: { limit: 16_384 },
      warnings: [
        { code: "limit_clamped", param: "limit_chars", detail: { requested_limit: 16_385, max_limit: 16_384 } },
      ],
    });
  });
});
