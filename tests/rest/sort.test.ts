import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";

const text = { type: ["string", "null"] };

const manifest: JsonObject = {
  connector_key: "shelf",
  version: "1",
  display_name: "Shelf",
  streams: [
    {
      name: "books",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "read_at",
      consent_time_field: "read_at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          read_at: { type: ["string", "null"], format: "date-time" },
          author: text,
          pages: { type: ["integer", "null"] },
          lent: { type: "boolean" },
          tags: { type: "array" },
        },
      },
      query: {
        range_filters: { pages: ["gte", "lt"] },
        aggregations: { count: true, sum: ["pages"], group_by: ["lent"] },
      },
    },
  ],
};

const count = 60;
const buildBook = (n: number): JsonObject => ({
  id: `b${String((n * 37) % 100).padStart(2, "0")}`,
  read_at: n % 7 === 0 ? null : new Date(Date.UTC(2026, 0, 1 + (n % 9))).toISOString(),
  author: n % 4 === 0 ? null : `Author ${n % 5}`,
  pages: n % 6 === 0 ? null : 100 + (n % 8),
  lent: n % 3 === 0,
});
const books = Array.from({ length: count }, (_, n) => buildBook(n));

describe.each(engineNames)("sorting, on %s", (engine) => {
  let vault: TestVault;
  let api: ReadApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(parseManifest(manifest), now);
    for (const id of ["left", "right"]) {
      await addConnection(vault.store, 1, { connectorKey: "shelf", id }, now);
      await putRecords(
        vault,
        id,
        "books",
        books.map((data) => ({ data })),
      );
    }
    api = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).reader();
  });
  afterAll(() => vault.drop());

  const walk = async (input: object, limit: number): Promise<[string, unknown][]> => {
    const field = (input as { sort: string[] }).sort[0]!.replace("-", "");
    const found: [string, unknown][] = [];
    let cursor: string | undefined;
    do {
      const page = await api.queryRecords({
        stream: "books",
        ...input,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const item of page.data)
        if (item.object === "record" && "data" in item)
          found.push([`${item.connection_id}/${item.id}`, (item.data as JsonObject)[field] ?? null]);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return found;
  };
  const expectSorted = (values: readonly unknown[], isDescending: boolean): void => {
    const held = values.filter((value) => value !== null) as (string | number)[];
    expect(values.slice(held.length).every((value) => value === null)).toBe(true);
    const ranked = held.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    expect(held).toEqual(isDescending ? ranked.reverse() : ranked);
  };

  describe.each(["author", "pages", "lent"])("[CSL-120] by %s", (field) => {
    it.each([
      [field, { connection_id: "left" }],
      [`-${field}`, { connection_id: "left" }],
      [field, {}],
      [`-${field}`, {}],
    ])("pages of any size have each record once, in order: %s %o", async (sort, place) => {
      const whole = await walk({ sort: [sort], ...place }, 100);
      expectSorted(
        whole.map(([, value]) => (typeof value === "boolean" ? Number(value) : value)),
        sort.startsWith("-"),
      );
      const expected = books.filter((book) => field !== "author" || book.author !== null).length;
      expect(whole.length).toBe(expected * ("connection_id" in place ? 1 : 2));
      expect(new Set(whole.map(([id]) => id)).size).toBe(whole.length);
      for (const limit of [1, 3, 7]) expect(await walk({ sort: [sort], ...place }, limit)).toEqual(whole);
    });
  });

  it("[CSL-120] sorts what filters and a grant's time range leave", async () => {
    const filtered = await walk({ sort: ["-pages"], connection_id: "left", filter: { lent: "true" } }, 4);
    expect(filtered.length).toBe(books.filter(({ lent }) => lent === true).length);
    expectSorted(
      filtered.map(([, value]) => value),
      true,
    );
    const between = await walk({ sort: ["pages"], connection_id: "left", filter: { pages: { gte: "103" } } }, 4);
    expect(between.length).toBe(books.filter(({ pages }) => Number(pages) >= 103).length);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const streams = [{ name: "books", time_range: { since: "2026-01-05" } }];
    const { grants } = await owner.grants.issue({
      client: { name: "R" },
      sources: [{ connector_key: "shelf", streams }],
    });
    const limited = await owner.grants.reader(grants[0]!.grant_id);
    const { data } = await limited.queryRecords({
      stream: "books",
      connection_id: "left",
      sort: ["pages"],
      limit: 100,
    });
    expect(data.length).toBe(books.filter(({ read_at }) => String(read_at ?? "") >= "2026-01-05").length);
  });

  it("[CSL-120] says what it leaves out, and names only fields of the grant", async () => {
    const place = { stream: "books", connection_id: "left" };
    const { meta } = await api.queryRecords({ ...place, sort: ["author"] });
    expect(meta.warnings.map(({ message }) => message)).toEqual([
      "records without author are not in a list sorted by it",
    ]);
    expect((await api.queryRecords({ ...place, sort: ["pages"] })).meta.warnings).toEqual([]);
    expect((await api.stream(place)).sortable_fields).toEqual(["read_at", "author", "pages", "lent"]);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const openWith = async (fields: string[]) => {
      const sources = [{ connector_key: "shelf", streams: [{ name: "books", fields }] }];
      const { grants } = await owner.grants.issue({ client: { name: "R" }, sources });
      return owner.grants.reader(grants[0]!.grant_id);
    };
    const some = await openWith(["id", "read_at", "pages"]);
    expect((await some.stream(place)).sortable_fields).toEqual(["read_at", "pages"]);
    await expect(some.queryRecords({ ...place, sort: ["author"] })).rejects.toMatchObject({
      code: "field_not_granted",
    });
    // Equal values are ordered by the cursor field, which must not show.
    const without = await openWith(["id", "pages"]);
    expect((await without.stream(place)).sortable_fields).toEqual([]);
    await expect(without.queryRecords({ ...place, sort: ["pages"] })).rejects.toMatchObject({ code: "invalid_sort" });
  });
});
