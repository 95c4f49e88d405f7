import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { formatHandle, parseHandle } from "./handle.ts";

const connectionId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/);
const stream = fc.string({ minLength: 1, maxLength: 30 }).filter((name) => !/[/:]/.test(name));
const recordId = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
  fc.string({ minLength: 1000, maxLength: 1000 }),
  fc.constantFrom("..", ".", "a/b:c", '["a","b"]', "a b", "'\"\\", "👩‍👩‍👧", "?#%2F", ":", "/", "\n"),
);

it("[HND-5] handles round-trip for every legal key", () => {
  fc.assert(
    fc.property(connectionId, stream, recordId, (connection, name, id) => {
      const handle = { connectionId: connection, stream: name, recordId: id };
      expect(parseHandle(formatHandle(handle))).toEqual(handle);
    }),
    { numRuns: chooseRuns(1000, 10_000) },
  );
});

it("rejects malformed handles", () => {
  for (const text of ["", "/", ":", "a", "a/", "a/b", "a/b:", "/b:c", "a/:c", "a:b", "b:c"])
    expect(parseHandle(text)).toBeNull();
});
