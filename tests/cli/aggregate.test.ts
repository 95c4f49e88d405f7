import { type ReadServer, startReadServer } from "@pdpp/test-support/cli/read-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatAggregation } from "#cli/render/aggregation";
import { createStyle } from "#cli/render/terminal/style";

describe("pdpp read aggregate", () => {
  let server: ReadServer;
  beforeAll(async () => {
    server = await startReadServer(() =>
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

describe("[PAG-9] [PAG-10] pdpp read with a filter for a part of a value", () => {
  let server: ReadServer;
  beforeAll(async () => {
    server = await startReadServer(() => [
      { id: "m1", sender: "Jonas Weidner", subject: "From Jonas", sent_at: "2026-01-01T00:00:00Z" },
    ]);
  });
  afterAll(() => server.close());

  it.each(["query-records mails", "aggregate mails --metric count"])(
    "%s prints commands that find it",
    async (command) => {
      const { stdout, stderr, code } = await server.shell(`pdpp read ${command} --filter sender=Jonas --format card`);
      expect(code).toBe(0);
      expect(stderr).toContain(
        'filters match exactly, and no record has sender "Jonas"; close values: "Jonas Weidner"',
      );
      const commands = [...stdout.matchAll(/^-> (pdpp read .*)$/gm)].map(([, next = ""]) => next);
      expect(commands).toHaveLength(2);
      for (const next of commands) {
        const followed = await server.shell(next);
        expect([followed.code, followed.stderr]).toEqual([0, ""]);
        expect(followed.stdout).toMatch(/Jonas Weidner|^1$/m);
      }
    },
  );
});

describe("[AGG-2] a number", () => {
  const view = {
    style: createStyle({ isTTY: false } as never),
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
  const renderText = (more: object): string =>
    formatAggregation(
      view as never,
      { ...document, ...more },
      { stream: "orders", metric: "sum", field: "price" },
      false,
    );

  it("[AGG-3] over several units has a line for each unit and no total", () => {
    const units = [
      { unit: "EUR", count: 3, value: 7.5 },
      { unit: null, count: 1, value: 2 },
    ];
    expect(renderText({ value: null, by_unit: units, other_units_count: 4 })).toBe(
      "7.5 EUR  3 records\n2 without a unit  1 record\nand 4 records in other units\nsum of price over 5 records of orders",
    );
  });

  it("[AGG-4] in groups has a column of values", () => {
    const groups = [
      { key: "Kassa", count: 3, value: 7.5, unit: "EUR" },
      {
        key: null,
        count: 2,
        value: null,
        by_unit: [
          { unit: "EUR", count: 1, value: 1 },
          { unit: "JPY", count: 1, value: 900 },
        ],
      },
    ];
    expect(renderText({ value: undefined, group_by: "shop", groups, other_count: 0 })).toBe(
      'shop     SUM             COUNT\n"Kassa"  7.5 EUR         3\nnull     1 EUR, 900 JPY  2\nsum of price over 5 records of orders',
    );
  });

  it("[AGG-7] over every connection has a row for each", () => {
    const each = [
      { connection_id: "shop_1", connector_key: "shop", filtered_record_count: 3, value: 5, unit: "EUR" },
      {
        connection_id: "shop_2",
        connector_key: "shop",
        display_name: "Old",
        filtered_record_count: 2,
        value: 2,
        unit: "EUR",
      },
    ];
    expect(renderText({ unit: "EUR", by_connection: each })).toBe(
      [
        "7 EUR",
        "sum of price over 5 records of orders",
        "CONNECTION  SUM    COUNT  LABEL",
        "shop_1      5 EUR  3",
        "shop_2      2 EUR  2      Old",
      ].join("\n"),
    );
  });

  it("in one unit is followed by the unit", () => {
    expect(renderText({ unit: "JPY" })).toMatch(/^7 JPY\n/);
    expect(renderText({ unit: "a\nb" })).toMatch(/^7 "a\\nb"\n/);
  });
});
