import type { JsonObject } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseInstant } from "@pdpp/contract/instant";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import type { HitSpread, SearchList } from "@pdpp/contract/wire";
import { measureAsJson } from "@pdpp/evidence/sizes/measure";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { type ReadContext, tooHeavy } from "#server/read/context";
import { deriveCursorKeys } from "#server/read/cursor";
import { createReader } from "#server/read/reader";
import { findHits } from "#server/read/search/find-hits";
import { parseQuestion } from "#server/read/search/search-question";
import { computeSpread } from "#server/read/search/search-spread";

/** Counts by source and time must equal those of paging through all hits and counting them. */

const now = Date.parse("2026-06-01T12:00:00Z");

const createStream = (name: string, time?: JsonObject): JsonObject => ({
  name,
  semantics: "mutable_state",
  primary_key: ["id"],
  ...(time === undefined ? {} : { cursor_field: "at", consent_time_field: "at" }),
  selection: { fields: true, resources: true },
  schema: {
    type: "object",
    required: ["id", ...(time === undefined ? [] : ["at"])],
    properties: { id: { type: "string" }, text: { type: "string" }, ...(time === undefined ? {} : { at: time }) },
  },
  query: { search: { lexical_fields: ["text"] } },
});

const manifest = parseManifest({
  connector_key: "things",
  version: "1",
  streams: [
    createStream("notes", { type: "string", format: "date-time" }),
    createStream("diary", { type: "string", format: "date" }),
    createStream("plain"),
  ],
});

const words = ["boiler", "roof", "cake"];
const connections = ["one", "two"];

/** Years apart at first, then months, then days. */
const formatTime = (n: number): string =>
  new Date(
    Date.parse("2026-03-01T23:30:00Z") - (n % 3 === 0 ? n * 31 : n % 3 === 1 ? n : n * 700) * 86_400_000,
  ).toISOString();

const makeText = (n: number): string => words.filter((_, i) => (n >> i) % 2 === 1).join(" ") || "nothing";

describe.each(engineNames)("hits by source and time on %s", (engine) => {
  let vault: TestVault;
  const readers: ReadApi[] = [];
  const loadScope = async (token: string) => authenticate(vault.store, token, now);
  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(manifest, now);
    for (const id of connections) await addConnection(vault.store, 1, { connectorKey: "things", id }, now);
    for (const [c, id] of connections.entries()) {
      const all = Array.from({ length: 40 }, (_, i) => i + c * 7);
      const line = (n: number, more: JsonObject) => ({ data: { id: `r${n}`, text: makeText(n), ...more } });
      const notes = all.map((n) => line(n, { at: formatTime(n) }));
      // After a change, a record's document number differs from its version.
      const changed = all.filter((n) => n % 5 === 0).map((n) => line(n, { at: formatTime(n + 1) }));
      await putRecords(vault, id, "notes", notes);
      await putRecords(vault, id, "notes", changed);
      const dated = all.map((n) => line(n, { at: formatTime(n).slice(0, 10) }));
      await putRecords(vault, id, "diary", dated);
      const plain = all.map((n) => line(n, {}));
      await putRecords(vault, id, "plain", plain);
    }
    const grants: GrantRequest["sources"][number]["streams"][] = [
      [{ name: "*" }],
      [{ name: "notes", connection_ids: ["one"], time_range: { since: "2020-01-01T00:00:00Z" } }, { name: "diary" }],
      [
        { name: "notes", fields: ["id", "text"] },
        { name: "plain", connection_ids: ["two"] },
      ],
      [{ name: "notes", resources: ["r1", "r3", "r9", "r15", "r21"] }],
    ];
    for (const streams of grants) {
      const request = { client: { name: "test" }, sources: [{ connector_key: "things", streams }] };
      const { token } = await issueGrant(vault.store, 1, request, now);
      readers.push(createReader({ store: vault.store, scope: await loadScope(token) }));
    }
  });
  afterAll(() => vault.drop());

  async function listHits(reader: ReadApi, input: Parameters<ReadApi["search"]>[0]): Promise<SearchList["data"]> {
    const all: SearchList["data"] = [];
    let cursor: string | undefined;
    do {
      const page = await reader.search({ ...input, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      all.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return all;
  }

  const lengths = { year: 4, month: 7, day: 10 } as const;

  const question = fc.record({
    reader: fc.nat(3),
    q: fc.subarray(words, { minLength: 1 }).map((some) => some.join(" ")),
    spread: fc.constantFrom("auto", "year", "month", "day"),
    connection_id: fc.option(fc.constantFrom(...connections), { nil: undefined }),
    since: fc.option(fc.constantFrom("2024-01-01", "2026-02-01", "1990-01-01"), { nil: undefined }),
  });

  it("[CSL-10] equal a count of all hits, and each period links to its own hits", async () => {
    let periods = 0;
    await fc.assert(
      fc.asyncProperty(question, async ({ reader: n, q, spread, connection_id, since }) => {
        const reader = readers[n];
        if (reader === undefined || (n === 3 && connection_id !== undefined)) return;
        const asked = {
          q,
          ...(connection_id === undefined ? {} : { connection_id }),
          ...(since === undefined ? {} : { since }),
        };
        const { meta } = await reader.search({ ...asked, spread, limit: 1 });
        const held = meta.spread;
        if (held === undefined) throw new Error("no spread");
        const hits = await listHits(reader, asked);
        const timed = hits.flatMap(({ event_time }) => (typeof event_time === "string" ? [event_time] : []));
        const expected = new Map<string, number>();
        for (const time of timed) {
          const key = new Date(parseInstant(time) ?? 0).toISOString().slice(0, lengths[held.granularity]);
          expected.set(key, (expected.get(key) ?? 0) + 1);
        }
        expect(new Map(held.times.map((each) => [each.since.slice(0, lengths[held.granularity]), each.count]))).toEqual(
          expected,
        );
        expect(held.times.map((each) => each.since)).toEqual(held.times.map((each) => each.since).sort());
        expect([held.without_time, held.counted, held.earlier_count]).toEqual([
          hits.length - timed.length,
          hits.length,
          0,
        ]);
        const bySource = Map.groupBy(hits, (hit) => `${hit.connection_id}/${hit.stream}`);
        expect(new Map(held.sources.map((each) => [`${each.connection_id}/${each.stream}`, each.count]))).toEqual(
          new Map([...bySource].map(([key, of]) => [key, of.length])),
        );
        for (const each of held.times.slice(0, 4)) {
          if (since !== undefined && each.since < since) continue;
          const inside = await reader.search({ ...asked, since: each.since, until: each.until, limit: 1 });
          expect([each, inside.meta.count]).toEqual([each, each.count]);
          periods += 1;
        }
      }),
      { numRuns: chooseRuns(30, 200), seed: 20261117 },
    );
    expect(periods).toBeGreaterThan(20);
  });

  it("[CSL-10] are estimated from an even sample if there are too many hits", async () => {
    const { token } = await issueGrant(
      vault.store,
      1,
      { client: { name: "test" }, sources: [{ connector_key: "things", streams: [{ name: "notes" }] }] },
      now,
    );
    const context: ReadContext = {
      store: vault.store,
      scope: await loadScope(token),
      keys: deriveCursorKeys(vault.store.secret),
      now: () => now,
      disclose: () => undefined,
      throwIfStopped: () => undefined,
      isLightOnly: false,
      checkStillValid: async () => undefined,
      measure: measureAsJson,
    };
    const input = { q: "boiler", spread: "year" } as const;
    const spread = async (most?: number): Promise<HitSpread> => {
      const question = parseQuestion(context, input);
      const found = await findHits(context, question, (on, { ranking }) =>
        computeSpread(on, context, ranking, "year", most),
      );
      if (found === tooHeavy) throw new Error("this context does heavy reads itself");
      return found;
    };
    const [whole, some] = [await spread(), await spread(20)];
    expect(whole.counted).toBe(40);
    expect(some.counted).toBe(20);
    const timed = some.times.reduce((sum, { count }) => sum + count, some.without_time + some.earlier_count);
    expect(timed).toBe(some.counted);
    // Counts by source are always complete.
    expect(some.sources).toEqual(whole.sources);
  });
});
