import { expect, it } from "vitest";
import { queryRecords } from "./query-records.ts";

it("[EVI-10] a full page of one field does not ask for fewer fields", async () => {
  const record = { object: "record", id: "n1", stream: "notes", connection_id: "c" };
  const page = { data: [record], has_more: true, next_cursor: "x", meta: { count: { kind: "none" }, warnings: [] } };
  const api = { queryRecords: async () => page };
  const headOf = async (fields: string[]) => {
    const { text } = await queryRecords.call({ api, origin: "http://127.0.0.1:7663" } as never, {
      stream: "notes",
      fields,
    });
    return text.split("\n")[0];
  };
  expect(await headOf(["a", "b"])).toContain("(the result is full; ask for fewer fields to fit more); next page:");
  expect(await headOf(["a"])).toContain("(the result is full); next page:");
});
