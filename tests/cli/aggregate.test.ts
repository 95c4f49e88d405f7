import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aggregationText } from "#cli/render/aggregation";
import { styleFor } from "#cli/render/style";
import { type ReadServer, readServer } from "../support/read-server.ts";

describe("pdpp read aggregate", () => {
  let server: ReadServer;
  beforeAll(async () => {
    server = await readServer(() =>
      Array.from({ length: 230 }, (_, i) => ({
        id: `m${i}`,
        sender: `sender ${i % 115}`,
        sent_at: new Date(Date.parse("2025-01-01T12:00:00Z") + i * 86_400_000).toISOString(),
      })),
    );
  });
  afterAll(() => server.close());

  it.each([
    ["senders", "--group-by sender", 115],
    ["days", "--group-by-time sent_at --granularity day", 230],
  ])("[AGG-1] %s beyond 100 are reached by running the commands it prints", async (_, grouping, count) => {
    const keys: string[] = [];
    let command: string | undefined = `pdpp read aggregate mails --metric count ${grouping} --format table`;
    while (command !== undefined) {
      const { stdout, code } = await server.shell(`${command}${command.includes("--format") ? "" : " --format table"}`);
      expect(code).toBe(0);
      keys.push(...[...stdout.matchAll(/^("sender \d+"|\d{4}-\d\d-\d\d) +\d+$/gm)].map(([, key = ""]) => key));
      [, command] = /^-> (pdpp read aggregate .*)$/m.exec(stdout) ?? [];
    }
    expect([keys.length, new Set(keys).size]).toEqual([count, count]);
  });
});

describe("[AGG-2] a number", () => {
  const view = {
    style: styleFor({ isTTY: false } as never),
    width: 80,
    toCommand: ({ arguments: args }: { arguments: object }) => JSON.stringify(args),
  };
  const document = {
    object: "aggregation" as const,
    stream: "orders",
    metric: "sum",
    field: "price",
    filtered_record_count: 5,
    approximate: false as const,
    group_by: null,
    group_by_time: null,
    value: 7,
    links: { self: "" },
    meta: { warnings: [] },
  };
  const textOf = (more: object): string =>
    aggregationText(
      view as never,
      { ...document, ...more },
      { stream: "orders", metric: "sum", field: "price" },
      false,
    );

  it("over several units has a line for each of them", () => {
    const read = { operation: "aggregate", arguments: { filter: { currency: "EUR" } } };
    const units = [
      { unit: "EUR", count: 3, read },
      { unit: null, count: 2 },
    ];
    expect(textOf({ by_unit: units })).toContain(
      '"EUR": 3 records\n-> {"filter":{"currency":"EUR"}}\nwithout a unit: 2 records',
    );
  });

  it("in one unit has it behind", () => {
    expect(textOf({ unit: "JPY" })).toMatch(/^7 JPY\n/);
    expect(textOf({ unit: "a\nb" })).toMatch(/^7 "a\\nb"\n/);
  });
});
