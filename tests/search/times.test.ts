import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { SearchList } from "@pdpp/contract/wire";
import { countReads } from "@pdpp/test-support/vaults/count-reads";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { setTimeZone } from "#server/owner/owners";
import { createReader } from "#server/read/reader";

/** Records of the times that a query mentions are preferred, as far as the grant shows when they are from. */

const createStream = (name: string, time: JsonObject): JsonObject => ({
  name,
  primary_key: ["id"],
  cursor_field: "at",
  selection: { fields: true },
  schema: {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" }, at: time, text: { type: "string" } },
  },
  query: { search: { lexical_fields: ["text"] } },
});

const manifest = parseManifest({
  connector_key: "phone",
  version: "1",
  streams: [
    createStream("chats", { type: "string", format: "date-time" }),
    createStream("bills", { type: "string", format: "date" }),
  ],
});

type Row = readonly [id: string, at: string, text: string];

const chats: readonly Row[] = [
  ["april", "2026-04-06T10:00:00Z", "we saw the otter"],
  ["may", "2026-05-08T10:00:00Z", "we saw the otter"],
  ["may-before", "2024-05-07T10:00:00Z", "we saw the otter"],
  // 7 May in Berlin, but not in UTC.
  ["night", "2026-05-05T22:30:00Z", "a badger by the gate"],
  ["evening", "2026-05-05T21:30:00Z", "a badger by the gate"],
  ["text", "2026-06-20T10:00:00Z", "the otter came back on 7 May"],
  ["survey", "2026-09-01T10:00:00Z", "the heron survey by the weir"],
  ["weir", "2026-05-07T10:00:00Z", "down by the weir"],
  ...Array.from({ length: 30 }, (_, n): Row => [`weir-${n}`, "2026-01-02T10:00:00Z", "at the weir again"]),
  ["newest", "2026-11-18T21:00:00Z", "kettle, old one"],
  ["older", "2026-11-16T21:00:00Z", "kettle, new one"],
];

const bills: readonly Row[] = [
  ["bill-april", "2026-04-06", "sweep the chimney"],
  ["bill-may", "2026-05-07", "sweep the chimney"],
];

const toLines = (rows: readonly Row[]) => rows.map(([id, at, text]) => ({ data: { id, at, text } }));

const day = 86_400_000;
const now = Date.parse("2026-11-19T10:00:00Z");

describe.each(engineNames)("times in queries on %s", (engine) => {
  let vault: TestVault;
  let tokens: { whole: string; timeless: string; bills: string };

  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(manifest, 0);
    await setTimeZone(vault.store, 1, "Europe/Berlin", 0);
    await addConnection(vault.store, 1, { connectorKey: "phone", id: "phone" }, 0);
    await putRecords(vault, "phone", "chats", toLines(chats));
    await putRecords(vault, "phone", "bills", toLines(bills));
    const grant = async (streams: { name: string; fields?: string[] }[]) =>
      (await issueGrant(vault.store, 1, { client: { name: "t" }, sources: [{ connector_key: "phone", streams }] }, 0))
        .token;
    tokens = {
      whole: await grant([{ name: "chats" }, { name: "bills" }]),
      timeless: await grant([{ name: "chats", fields: ["id", "text"] }]),
      bills: await grant([{ name: "chats", fields: ["id", "text"] }, { name: "bills" }]),
    };
  });
  afterAll(() => vault.drop());

  const open = async (token: string, at = now): Promise<ReadApi> =>
    createReader({ store: vault.store, scope: await authenticate(vault.store, token, 1), now: () => at });
  const ask = async (input: Input<"search">, token = tokens.whole): Promise<SearchList> =>
    (await open(token)).search(input);
  const listScores = ({ data }: SearchList) =>
    data.map(({ record_key, score }): [id: string, score: number] => [record_key, score?.value ?? 0]);
  const findNote = ({ meta }: SearchList) => meta.warnings.find(({ code }) => code === "time_preferred");

  it("[SRCH-49] prefers a day, the day before and the day after, and finds the same records", async () => {
    const found = await ask({ q: "what did we see on 7 May 2026, an otter?" });
    const plain = await ask({ q: "what did we see on 7 May 2026, an otter?", time: "words" });
    const rank = ({ data }: SearchList, id: string) => data.findIndex(({ record_key }) => record_key === id);
    expect(rank(found, "may")).toBeLessThan(rank(found, "april"));
    expect(found.data.map(({ record_key }) => record_key).sort()).toEqual(
      plain.data.map(({ record_key }) => record_key).sort(),
    );
    expect(found.meta.count).toBe(plain.meta.count);
    const [otters, alike] = [new Map(listScores(found)), new Map(listScores(plain))];
    expect(otters.get("may")).toBeCloseTo(3 * alike.get("may")!, 4);
    expect(otters.get("april")).toBe(alike.get("april"));
  });

  it("[SRCH-49] lets a much better match of another time come first", async () => {
    const { data } = await ask({ q: "who did the heron survey by the weir on 7 May 2026?" });
    const ids = data.map(({ record_key }) => record_key);
    expect(ids[0]).toBe("survey");
    expect(ids.indexOf("weir")).toBeLessThan(ids.findIndex((id) => id.startsWith("weir-")));
  });

  it("[SRCH-49] finds a text by the words of its date", async () => {
    expect((await ask({ q: "otter 7 May" })).data[0]?.record_key).toBe("text");
  });

  it("[SRCH-49] reads days in the owner's time zone, and dates as they are", async () => {
    const [first, second] = listScores(await ask({ q: "badger 2026-05-07" }));
    expect([first?.[0], second?.[0]]).toEqual(["night", "evening"]);
    expect(first?.[1]).toBeCloseTo(3 * second![1], 4);
    expect((await ask({ q: "chimney 8 May 2026" })).data[0]?.record_key).toBe("bill-may");
    expect((await ask({ q: "chimney 5 April 2026" })).data[0]?.record_key).toBe("bill-april");
  });

  it("[SRCH-49] prefers every year if none is named, the latest most", async () => {
    const found = new Map(listScores(await ask({ q: "did we see the otter on 7 May" })));
    const plain = new Map(listScores(await ask({ q: "did we see the otter on 7 May", time: "words" })));
    const factor = (id: string) => found.get(id)! / plain.get(id)!;
    expect([factor("may"), factor("may-before"), factor("april")].map(Math.round)).toEqual([3, 2, 1]);
  });

  it("[SRCH-49] prefers a month like a day, and longer periods less", async () => {
    const compare = async (q: string) => {
      const [found, plain] = [
        new Map(listScores(await ask({ q }))),
        new Map(listScores(await ask({ q, time: "words" }))),
      ];
      return ["may", "april", "may-before"].map((id) => Math.round((10 * found.get(id)!) / plain.get(id)!) / 10);
    };
    expect(await compare("did we see the otter in April 2026")).toEqual([1, 3, 1]);
    expect(await compare("did we see the otter in 2026")).toEqual([1.5, 1.5, 1]);
    expect(await compare("did we see the otter since May 2026")).toEqual([1.5, 1, 1]);
  });

  it("[SRCH-49] leaves the order to the words if since or until is sent", async () => {
    const q = "otter on 7 May 2026";
    const plain = listScores(await ask({ q, time: "words", since: "2020-01-01" }));
    for (const limits of [{ since: "2020-01-01" }, { until: "2030-01-01" }]) {
      const found = await ask({ q, ...limits });
      expect(listScores(found)).toEqual(plain);
      expect(findNote(found)).toBeUndefined();
      expect(found.meta.preferred_times).toBeUndefined();
    }
  });

  it("[SRCH-49] [SRCH-8] keeps the order of the first page over midnight", async () => {
    const q = "kettle yesterday";
    const first = await (await open(tokens.whole)).search({ q, limit: 1 });
    expect(first.data[0]?.record_key).toBe("newest");
    const later = await open(tokens.whole, now + 30 * day);
    const second = await later.search({ q, limit: 1, cursor: first.next_cursor! });
    expect(second.data[0]?.record_key).toBe("older");
    expect(second.meta.preferred_times).toEqual(first.meta.preferred_times);
  });

  it("[SRCH-50] names the time and offers the read without the preference", async () => {
    const input = { q: "otter on 7 May", streams: ["chats"], limit: 2 };
    const found = await ask(input);
    expect(found.meta.preferred_times).toEqual([
      {
        words: "on 7 May",
        since: "2026-05-06T00:00:00+02:00",
        until: "2026-05-09T00:00:00+02:00",
        every_year: true,
      },
    ]);
    const note = findNote(found)!;
    expect(note.message).toBe(
      'records since 2026-05-06, until 2026-05-09 and in earlier years ("on 7 May") score higher; time=words ranks by the words alone',
    );
    const [read] = note.reads!;
    expect(read?.arguments).toEqual({ ...input, time: "words" });
    const undone = await ask(read!.arguments as Input<"search">);
    expect(findNote(undone)).toBeUndefined();
    expect(undone.meta.count).toBe(found.meta.count);
    // The two are of different orders.
    const { next_cursor: cursor } = await ask({ ...input, limit: 1 });
    await expect(ask({ ...input, time: "words", cursor: cursor! })).rejects.toMatchObject({ code: "invalid_cursor" });
  });

  it("[SRCH-51] [AUT-4] compares no time outside the grant, and does not mention it", async () => {
    const q = "otter on 7 May 2026";
    const hidden = await ask({ q }, tokens.timeless);
    expect(listScores(hidden)).toEqual(listScores(await ask({ q, time: "words" }, tokens.timeless)));
    expect(findNote(hidden)).toBeUndefined();
    expect(hidden.meta.preferred_times).toBeUndefined();
    // Another stream's time is no reason to compare this one's.
    const partly = await ask({ q: "otter or chimney on 7 May 2026" }, tokens.bills);
    const plain = new Map(listScores(await ask({ q: "otter or chimney on 7 May 2026", time: "words" }, tokens.bills)));
    const changed = listScores(partly).filter(([id, score]) => plain.get(String(id)) !== score);
    expect(changed.map(([id]) => id)).toEqual(["bill-may"]);
    expect(findNote(partly)).toBeDefined();
  });

  it("[SRCH-20] [SRCH-49] takes one more statement", async () => {
    const { store, statements } = countReads(vault.store);
    const reader = createReader({ store, scope: await authenticate(store, tokens.whole, 1), now: () => now });
    const count = async (input: Input<"search">): Promise<number> => {
      await reader.search(input);
      const before = statements();
      await reader.search(input);
      return statements() - before;
    };
    const q = "otter or chimney on 7 May 2026";
    expect(await count({ q })).toBe((await count({ q, time: "words" })) + 1);
  });
});
