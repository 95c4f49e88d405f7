import { createClient } from "@pdpp/contract/client";
import type { RecordList, SearchList } from "@pdpp/contract/wire";
import { findSharedFacts } from "@pdpp/evidence/cards/shared-facts";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  createSample,
  everything,
  origin,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureToolResult } from "#mcp/layout/measure";

const getPath = (input: string | URL | Request): string => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  return `${pathname}${search}`;
};

const countChars = (page: RecordList | SearchList, forms: readonly { readonly chars: number }[]): number =>
  forms.reduce((sum, { chars }) => sum + chars, 0) + 2 * (page.next_cursor?.length ?? 0);

describe.each(surfaceEngines)("[EVI-10] a page that ends when its result is full, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    const lines = Array.from({ length: 40 }, (_, i) =>
      buildMessage(`x${i}`, i, { text: `gannet ${"long enough to fill a page soon ".repeat(1 + (i % 7))}` }),
    );
    await putRecords(vault, "chat_home", "messages", lines);
    const channels = Array.from({ length: 30 }, (_, i) =>
      buildMessage(`y${i}`, i, { channel_id: `channel ${i} ${"with a long name ".repeat(i % 5)}` }),
    );
    await putRecords(vault, "chat_work", "messages", channels);
    const token = await world.grant(everything);
    client = createClient({ url: origin, token, fetch: (input, init) => world.call(token, getPath(input), init) });
  });
  afterAll(() => vault.drop());

  it.each([1, 900, 3000, 7000])("returns each record once, in order, within %i characters", async (max) => {
    const asked = { stream: "messages", connection_id: "chat_home", view: "evidence", limit: 25 } as const;
    const whole: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.queryRecords({ ...asked, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      whole.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    const walked: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.queryRecords({ ...asked, max_chars: max, ...(cursor === undefined ? {} : { cursor }) });
      const shared = findSharedFacts(page.data);
      expect(page.data.length).toBeGreaterThan(0);
      if (page.data.length > 1)
        expect(
          countChars(
            page,
            page.data.map((item) => measureToolResult({ kind: "record", item, shared })),
          ),
        ).toBeLessThanOrEqual(max);
      walked.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      expect(page.has_more).toBe(cursor !== undefined);
      if (cursor === undefined) break;
    }
    expect(walked).toEqual(whole);
  });

  it("[EVI-42] gives the total when there are more records than it shows, if the total is stored", async () => {
    const asked = { stream: "messages", connection_id: "chat_home", view: "evidence", limit: 25 } as const;
    const counts = async (more: object) => (await client.queryRecords({ ...asked, ...more })).meta.count;
    const { value } = (await counts({ count: "exact" })) ?? {};
    expect(value).toBeGreaterThan(40);
    expect(await counts({ max_chars: 3000 })).toEqual({ kind: "exact", value });
    expect(await counts({ limit: 2 })).toEqual({ kind: "exact", value });
    expect(await counts({ limit: 2, max_chars: 30_000 })).toEqual({ kind: "exact", value });
    // No total if the client declines it, or if records would have to be counted.
    expect(await counts({ limit: 2, max_chars: 30_000, count: "none" })).toEqual({ kind: "none" });
    expect(await counts({ max_chars: 900, filter: { channel_id: "general" } })).toEqual({ kind: "none" });
  });

  it.each([1, 900, 3000])("returns each group once, in order, within %i characters", async (max) => {
    const asked = { stream: "messages", metric: "count", limit: 25 } as const;
    for (const by of [
      { group_by: "channel_id", connection_id: "chat_work" },
      { group_by_time: "sent_at", granularity: "minute", connection_id: "chat_home" },
    ] as const) {
      const whole = (await client.aggregate({ ...asked, ...by, limit: 100 })).groups ?? [];
      expect(whole.length).toBeGreaterThan(25);
      const total = whole.reduce((sum, { count }) => sum + count, 0);
      const walked: typeof whole = [];
      for (let cursor: string | undefined; ; ) {
        const place = cursor === undefined ? {} : { cursor };
        const page = await client.aggregate({ ...asked, ...by, max_chars: max, ...place });
        const groups = page.groups ?? [];
        expect(groups.length).toBeGreaterThan(0);
        const chars = groups.reduce((sum, group) => sum + measureToolResult({ kind: "group", group }).chars, 0);
        if (groups.length > 1) expect(chars + 2 * (page.next_cursor?.length ?? 0)).toBeLessThanOrEqual(max);
        walked.push(...groups);
        expect(page.other_count).toBe(total - walked.reduce((sum, { count }) => sum + count, 0));
        cursor = page.next_cursor;
        expect(page.has_more).toBe(cursor !== undefined);
        if (cursor === undefined) break;
      }
      expect(walked).toEqual(whole);
    }
  });

  it.each([1, 2000, 6000])("returns each hit once, in order, within %i characters", async (max) => {
    const { data: whole } = await client.search({ q: "gannet", limit: 100 });
    const walked: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const asked = { q: "gannet", limit: 25, max_chars: max, ...(cursor === undefined ? {} : { cursor }) };
      const page = await client.search(asked);
      expect(page.data.length).toBeGreaterThan(0);
      if (page.data.length > 1)
        expect(
          countChars(
            page,
            page.data.map((hit) => measureToolResult({ kind: "hit", hit })),
          ),
        ).toBeLessThanOrEqual(max);
      walked.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(walked).toEqual(whole.map(({ id }) => id));
  });
});
