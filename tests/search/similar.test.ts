import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";

/** Similar hits are collapsed into one, and paging still visits each of them once. */

const manifest = parseManifest({
  connector_key: "plans",
  version: "1",
  streams: [
    {
      name: "events",
      primary_key: ["series", "at"],
      consent_time_field: "at",
      schema: {
        type: "object",
        required: ["series", "at"],
        properties: {
          series: { type: "string" },
          at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          what: { type: "string", x_pdpp_role: "primary-title" },
          where: { type: "string", x_pdpp_role: "secondary" },
          secret: { type: "string", x_pdpp_role: "actor" },
        },
      },
      query: { search: { lexical_fields: ["what"] } },
    },
  ],
});

const titles = ["lesson piano", "lesson swimming", "lesson", "lesson chess club"];
const formatTime = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
const events = Array.from({ length: 50 }, (_, n) => ({
  series: `s${n % 7}`,
  at: formatTime(n),
  what: titles[(n * n + n) % 4]!,
  where: n % 10 === 0 ? "elsewhere" : "home",
  secret: `person ${n}`,
}));

describe.each(engineNames)("similar hits on %s", (engine) => {
  let vault: TestVault;
  let reader: ReadApi;
  let whole: ReadApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    const { store } = vault;
    await store.register(manifest, 0);
    await addConnection(store, 1, { connectorKey: "plans", id: "plans" }, 0);
    await putRecords(
      vault,
      "plans",
      "events",
      events.map((data) => ({ data })),
    );
    const grant = async (stream: object) => {
      const sources = [{ connector_key: "plans", streams: [{ name: "events", ...stream }] }];
      return openReader(store, (await issueGrant(store, 1, { client: { name: "t" }, sources }, 0)).token);
    };
    reader = await grant({ fields: ["series", "at", "what", "where"] });
    whole = await grant({});
  });
  afterAll(() => vault.drop());

  it.each([{ limit: 1 }, { limit: 3 }, { limit: 5, max_chars: 1500 }, { limit: 5, max_chars: 3000 }, { limit: 50 }])(
    "[EVI-24] visits each hit once when paging, shown or counted: %j",
    async (size) => {
      const heads: string[] = [];
      let counted = 0;
      let page = await reader.search({ q: "lesson", collapse: "similar", ...size });
      for (;;) {
        for (const { id, similar } of page.data) {
          heads.push(id);
          counted += similar?.count ?? 0;
        }
        if (page.next_cursor === undefined) break;
        page = await reader.search({ q: "lesson", collapse: "similar", ...size, cursor: page.next_cursor });
      }
      expect(new Set(heads).size).toBe(heads.length);
      expect(heads.length + counted).toBe(50);
    },
  );

  it("[EVI-24] collapses hits with the same title and place, and links to a list of them", async () => {
    const { data } = await reader.search({ q: "lesson", collapse: "similar", limit: 10 });
    expect(data.length).toBeLessThan(10);
    for (const { title, similar, details } of data) {
      const where = details?.find(({ field_path }) => field_path === "where")?.value;
      const alike = events.filter((event) => event.what === title && event.where === where);
      expect([title, where, similar?.count ?? 0]).toEqual([title, where, alike.length - 1]);
      if (similar === undefined) continue;
      expect(similar.read.arguments).toEqual({ stream: "events", connection_id: "plans", filter: { what: title } });
      const listed = await reader.queryRecords({ ...(similar.read.arguments as { stream: string }), limit: 100 });
      expect(listed.data).toHaveLength(events.filter(({ what }) => what === title).length);
    }
  });

  it("[AUT-4] [EVI-24] does not tell hits apart by a field outside the grant", async () => {
    const [narrow, wide] = await Promise.all(
      [reader, whole].map((each) => each.search({ q: "lesson", collapse: "similar", limit: 10 })),
    );
    expect(narrow?.data.some(({ similar }) => similar !== undefined)).toBe(true);
    expect(wide?.data.some(({ similar }) => similar !== undefined)).toBe(false);
  });

  it("[EVI-24] shows every record as a hit without the parameter", async () => {
    expect((await reader.search({ q: "lesson", limit: 100 })).data).toHaveLength(50);
  });
});
