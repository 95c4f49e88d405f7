import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { aggregate } from "./aggregate.ts";

it("[BIG-4] describes bytes written as text instead of showing them, as a group's key and as a value", async () => {
  const bytes = randomBytes(900).toString("base64");
  const answer = (found: object) => {
    const whole = { stream: "scans", field: null, filtered_record_count: 3, meta: { warnings: [] }, ...found };
    const api = { aggregate: async () => whole };
    return aggregate.call({ api } as never, { stream: "scans", metric: "count" });
  };
  const grouped = await answer({
    metric: "count",
    group_by: "page",
    groups: [
      { key: bytes, count: 2 },
      { key: "plain", count: 1 },
    ],
  });
  expect(grouped.structured.groups).toEqual([
    { key: null, encoded_chars: 1200, count: 2 },
    { key: "plain", count: 1 },
  ]);
  const greatest = await answer({ metric: "max", field: "page", value: bytes });
  expect(greatest.structured).toMatchObject({ value: null, encoded_chars: 1200 });
  for (const { structured, text } of [grouped, greatest]) {
    expect(text).toContain("(base64, 1200 chars, omitted)");
    expect(text + JSON.stringify(structured)).not.toContain(bytes.slice(0, 40));
  }
});
