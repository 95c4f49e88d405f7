import { type Continuation, continuation } from "@pdpp/contract/continuation";
import { describe, expect, it } from "vitest";
import { budget } from "../sizes/budget.ts";
import { fetchFields, readBlob, readFieldFrom } from "./continuation.ts";

const place = { connectionId: "cin_a", stream: "messages", recordId: "m/1", version: "3" };
const record = { connection_id: "cin_a", stream: "messages", record_id: "m/1" };

describe("[HND-1] continuations", () => {
  it("[WIN-4] read a field from an offset, at the version that was shown", () =>
    expect(readFieldFrom(place, "text", 240)).toEqual({
      operation: "readField",
      arguments: { ...record, field: "text", offset_chars: 240, version: "3" },
    }));

  it("read a field from its start in any version", () =>
    expect(readFieldFrom(place, "text", 0).arguments).toEqual({ ...record, field: "text" }));

  it("name the missing fields, or read the whole record if there are many", () => {
    expect(fetchFields(place, ["a", "b"])).toEqual({
      operation: "fetch",
      arguments: { ...record, fields: ["a", "b"] },
    });
    const many = Array.from({ length: budget.card.namedFields + 1 }, (_, i) => `f${i}`);
    expect(fetchFields(place, many)).toEqual({ operation: "fetch", arguments: record });
  });

  it("[HND-7] are URLs on the wire and become calls again in the client", () => {
    const next = readBlob(place, "blob_1");
    const written = JSON.parse(JSON.stringify(next));
    expect(written).toEqual({
      operation: "readBlob",
      method: "GET",
      url: "/v1/blobs/blob_1?connection_id=cin_a",
    });
    expect(continuation.decode(written)).toEqual(next);
    expect(continuation.safeParse({ ...written, url: "/v1/elsewhere" }).success).toBe(false);
  });

  it("[HND-7] use the URLs of the contract", () => {
    const urlOf = (next: Continuation) => next.url;
    expect(urlOf(readFieldFrom(place, 'a["b.c"]', 240))).toBe(
      "/v1/streams/messages/records/m%2F1/field-window?connection_id=cin_a&field=a%5B%22b.c%22%5D&offset_chars=240&version=3",
    );
    expect(urlOf(readBlob(place, "blob_1"))).toBe("/v1/blobs/blob_1?connection_id=cin_a");
  });
});
