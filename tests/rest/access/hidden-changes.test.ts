import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { createVault, type EngineName, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { pruneRecords } from "#server/owner/records";
import { createReader } from "#server/read/reader";
import { findIntegrityFaults } from "../../store/integrity.ts";

/**
 * Two vaults with the same changes inside a grant. One of them also has many changes outside it: fields the grant
 * lacks, records outside its bounds, another connection. Everything the grant reads must be equal byte for byte.
 * Bookmarks and cursors that contain a timestamp always differ, so they must have the same length and lead to the
 * same results.
 */

const start = Date.parse("2026-06-01T12:00:00Z");

const manifest = parseManifest({
  connector_key: "notes",
  version: "1",
  streams: [
    {
      name: "notes",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "at",
      consent_time_field: "day",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id", "at", "day"],
        properties: {
          id: { type: "string" },
          at: { type: "string", format: "date-time" },
          day: { type: "string", format: "date-time" },
          text: { type: ["string", "null"] },
          secret: { type: ["string", "null"] },
          mood: { type: ["string", "null"] },
        },
      },
      query: { search: { lexical_fields: ["text", "secret"] }, aggregations: { count: true } },
    },
  ],
});

const inside = "2026-03-01T00:00:00Z";
const outside = "2020-01-01T00:00:00Z";

const limits: Record<string, Partial<NonNullable<GrantRequest["sources"]>[number]["streams"][number]>> = {
  none: {},
  time: { time_range: { since: "2026-01-01T00:00:00Z" } },
  resources: { resources: ["a", "b", "c", "d", "late", "comes", "e", "ee", "eee"] },
};

interface World {
  readonly vault: TestVault;
  /** Opens a reader as a request would, with the current state of the vault. */
  reader(): Promise<ReadApi>;
  now: number;
  bookmark: string;
  readonly cursors: { [name: string]: string };
}

async function createWorld(engine: EngineName, limit: string): Promise<World> {
  const vault = await createVault(engine, "a secret for both vaults");
  await vault.store.register(manifest, start);
  for (const id of ["mine", "other"]) await addConnection(vault.store, 1, { connectorKey: "notes", id }, start);
  const stream = { name: "notes", fields: ["id", "text", "at"], connection_ids: ["mine"], ...limits[limit] };
  const sources = [{ connector_key: "notes", streams: [stream] }];
  const { token } = await issueGrant(vault.store, 1, { client: { name: "client" }, sources }, start);
  const made: World = {
    vault,
    async reader() {
      const authenticated = await authenticate(vault.store, token, start);
      const streams = authenticated.streams.map((each) => ({ ...each, grantId: "one for both" }));
      const scope = { ...authenticated, grantIds: ["one for both"], streams };
      return createReader({ store: vault.store, scope, now: () => made.now });
    },
    now: start,
    bookmark: "beginning",
    cursors: {},
  };
  return made;
}

const note = (id: string, text: string, more: JsonObject = {}) => ({
  data: { id, at: `2026-05-01T10:00:0${id.length}Z`, day: inside, text, secret: null, mood: null, ...more },
});
const buildDeletion = (id: string) => ({ op: "delete", key: id });

type Step = (world: World) => Promise<unknown>;
const write =
  (...records: object[]): Step =>
  ({ vault, now }) =>
    putRecords(vault, "mine", "notes", records, now);
const writeOther =
  (...records: object[]): Step =>
  ({ vault, now }) =>
    putRecords(vault, "other", "notes", records, now);

/** Records that rank equally; hidden changes touch one after another. */
const alike = ["e", "ee", "eee"];

/** The changes made in both vaults. */
const shared: readonly Step[] = [
  write(note("a", "first"), note("b", "second words"), note("c", "third"), note("d", "fourth")),
  write(...alike.map((id) => note(id, "equal words in equal texts"))),
  write(note("b", "second words, edited")),
  write(note("b", "second words, edited again"), note("c", "third, edited")),
  write(buildDeletion("d")),
  write(note("d", "fourth, back again")),
  ({ vault, now }) => pruneRecords(vault.store, 1, now - 100),
  write(buildDeletion("a"), note("late", "a late one")),
  ({ vault, now }) => pruneRecords(vault.store, 1, now + 1),
  write(note("a", "first again")),
  write(note("comes", "it comes")),
];

const buildHiddenNote = (id: string, text: string, n: number) =>
  note(id, text, { secret: `x${n} ${"equal words ".repeat(n % 7)}`, mood: `${n % 3}` });

/** A change made in only one vault; `n` increases. The texts are those the last step left. */
function createHiddenStep(limit: string, n: number): Step {
  const texts: Record<string, string>[] = [
    { a: "first", b: "second words", c: "third", d: "fourth" },
    { a: "first", b: "second words", c: "third", d: "fourth" },
    { a: "first", b: "second words, edited", c: "third" },
    { b: "second words, edited again", c: "third, edited", a: "first" },
    { b: "second words, edited again", a: "first" },
    { d: "fourth, back again" },
    { d: "fourth, back again" },
    { late: "a late one" },
    { b: "second words, edited again" },
    { a: "first again" },
    { comes: "it comes" },
  ];
  return async (world) => {
    for (const round of [1, 2]) {
      const records = Object.entries(texts[n] ?? {}).map(([id, text]) => buildHiddenNote(id, text, 10 * n + round));
      const id = alike[n % alike.length];
      const equal =
        n === 0 || id === undefined ? [] : [buildHiddenNote(id, "equal words in equal texts", 10 * n + round)];
      await write(...records, ...equal)(world);
      await writeOther(...records, note(`n${n}`, "second words"))(world);
    }
    if (limit === "none") return;
    const day = limit === "time" ? outside : inside;
    const buildRecord = (text: string) => note("hid", text, { day });
    await write(buildRecord(`words ${n}`), note(`only${n}`, "words once", { day }))(world);
    if (n % 3 === 2) await write(buildDeletion("hid"))(world);
    // It changes outside the bounds, and is as new as any other when it moves inside.
    if (limit === "time" && n < 10) await write(note("comes", `words ${n}`, { day, mood: String(n) }))(world);
    if (limit === "time" && n === 9) await write(buildDeletion("comes"))(world);
  };
}

/** Answers that contain timestamps. */
const withMoments = /^(search|all|again)/;

const toComparable = (name: string, answer: unknown): string => {
  const text = JSON.stringify(answer, null, 1);
  const unequal = /(next_cursor": "|next_changes_since": "|[?&](?:cursor|changes_since)=)([\w-]{20,})/g;
  return withMoments.test(name) ? text.replaceAll(unequal, (_, of, sealed) => `${of}${sealed.length} chars`) : text;
};

const readOrCatch = async (read: Promise<unknown>): Promise<unknown> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PdppError) return { status: error.status, code: error.code, message: error.message };
    throw error;
  }
};

/** Sends every request a client may make, and returns the answers as text. */
async function collectAnswers(world: World): Promise<string[]> {
  const { cursors } = world;
  const reader = await world.reader();
  const here = { stream: "notes" };
  const answers: Record<string, unknown> = {};
  const keep = async (name: string, read: Promise<unknown>) => {
    answers[name] = await readOrCatch(read);
  };
  await keep("list", reader.queryRecords({ ...here, count: "exact" }));
  await keep("cards", reader.queryRecords({ ...here, view: "evidence", order: "asc" }));
  await keep("page", reader.queryRecords({ ...here, limit: 1 }));
  await keep("streams", reader.streams({}));
  await keep("schema", reader.schema({}));
  await keep("aggregate", reader.aggregate({ ...here, metric: "count" }));
  const lines: unknown[] = [];
  for await (const line of reader.export({})) lines.push(line);
  answers.export = lines;
  for (const record_id of ["a", "b", "c", "d", "late", "comes", "hid"]) {
    await keep(`fetch ${record_id}`, reader.fetch({ ...here, record_id }));
    await keep(`document ${record_id}`, reader.fetch({ ...here, record_id, view: "document" }));
    await keep(`window ${record_id}`, reader.readField({ ...here, record_id, field: "text", limit_chars: 5 }));
    for (const version of ["1", "3", "1001"])
      await keep(
        `version ${version} ${record_id}`,
        reader.readField({ ...here, record_id, field: "text", version, offset_chars: 2 }),
      );
    if (cursors[record_id] !== undefined)
      await keep(
        `goes on ${record_id}`,
        reader.readField({ ...here, record_id, field: "text", cursor: cursors[record_id] }),
      );
  }
  for (const q of ["second", "words", "edited -again", "x1", "first", "equal words", "texts"]) {
    await keep(`search ${q}`, reader.search({ q, limit: 1 }));
    await keep(`search all ${q}`, reader.search({ q, limit: 20 }));
    const cursor = cursors[`search ${q}`];
    if (cursor !== undefined) await keep(`search on ${q}`, reader.search({ q, limit: 1, cursor }));
  }
  const changes = async (since: string) => {
    const seen: unknown[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await reader.queryRecords({
        ...here,
        limit: 2,
        changes_since: since,
        ...(cursor ? { cursor } : {}),
      });
      seen.push(page);
      if (page.has_more && page.data.length === 0) throw new Error("an empty page");
      if (page.next_changes_since !== undefined) return { seen, bookmark: page.next_changes_since };
      cursor = page.next_cursor;
    }
  };
  await keep(
    "all",
    changes("beginning").then(({ seen }) => seen),
  );
  await keep(
    "again",
    changes(world.bookmark).then(({ seen }) => seen),
  );
  return Object.entries(answers).map(([name, answer]) => `${name}: ${toComparable(name, answer)}`);
}

/** Stores bookmarks and cursors for the next steps. */
async function remember(world: World): Promise<void> {
  const { cursors } = world;
  const reader = await world.reader();
  const page = await reader.queryRecords({ stream: "notes", changes_since: "beginning", limit: 100 });
  world.bookmark = page.next_changes_since ?? "";
  for (const record_id of ["b", "c", "d"]) {
    const window = await readOrCatch(reader.readField({ stream: "notes", record_id, field: "text", limit_chars: 5 }));
    const cursor = (window as { window?: { next_cursor: string | null } }).window?.next_cursor;
    if (cursor != null) cursors[record_id] = cursor;
  }
  for (const q of ["second", "words", "equal words", "texts"]) {
    const { next_cursor } = await reader.search({ q, limit: 1 });
    if (next_cursor !== undefined) cursors[`search ${q}`] = next_cursor;
  }
}

describe.each(surfaceEngines)("[AUT-20] hidden changes on %s", (engine) => {
  it.each(Object.keys(limits))(
    "does not show them in any version, time, bookmark, cursor, window or search (limit: %s)",
    async (limit) => {
      const worlds = [await createWorld(engine, limit), await createWorld(engine, limit)] as const;
      const [plain, busy] = worlds;
      const expectSame = async (when: string) => {
        const [expected, got] = [await collectAnswers(plain), await collectAnswers(busy)];
        for (const [i, answer] of got.entries()) expect([when, answer]).toEqual([when, expected[i]]);
      };
      try {
        for (const [n, step] of shared.entries()) {
          for (const each of worlds) {
            each.now = start + n * 1000;
            await step(each);
          }
          await expectSame(`after step ${n}`);
          for (const each of worlds) await remember(each);
          busy.now += 500;
          await createHiddenStep(limit, n)(busy);
          plain.now += 500;
          await expectSame(`after what is hidden, ${n}`);
          if (n % 4 === 3) for (const each of worlds) await each.vault.store.sweep();
        }
        expect(await findIntegrityFaults(busy.vault.store)).toEqual([]);
      } finally {
        for (const { vault } of worlds) await vault.drop();
      }
    },
  );

  it("returns no empty page for very many of them, and bookmarks cannot be compared", async () => {
    const at = await createWorld(engine, "none");
    const { vault } = at;
    const reader = await at.reader();
    try {
      const all = Array.from({ length: 1200 }, (_, n) => `r${String(n).padStart(4, "0")}`);
      await write(...all.map((id) => ({ data: { ...note("a", "text").data, id } })))(at);
      const first = await reader.queryRecords({ stream: "notes", changes_since: "beginning", limit: 100 });
      const walked: string[] = [];
      let page = first;
      while (page.next_cursor !== undefined) {
        const { next_cursor: cursor } = page;
        page = await reader.queryRecords({ stream: "notes", changes_since: "beginning", limit: 100, cursor });
        walked.push(...page.data.map(({ id }) => id));
      }
      expect(walked).toEqual(all.slice(100));
      const bookmark = page.next_changes_since ?? "";
      await write(...all.map((id) => ({ data: { ...note("a", "text", { secret: "x" }).data, id } })))(at);
      await write({ data: { ...note("a", "other text").data, id: "r0007" } })(at);
      const next = await reader.queryRecords({ stream: "notes", changes_since: bookmark, limit: 1 });
      expect(next.data).toMatchObject([{ id: "r0007", record_version: "2" }]);
      expect(next.has_more).toBe(false);
      await write(
        ...all
          .map((id) => ({ data: { ...note("a", "text", { secret: "y" }).data, id } }))
          .filter(({ data }) => data.id !== "r0007"),
      )(at);
      const last = await reader.queryRecords({ stream: "notes", changes_since: next.next_changes_since ?? "" });
      expect([last.data, last.has_more]).toEqual([[], false]);
      const again = await reader.queryRecords({ stream: "notes", changes_since: next.next_changes_since ?? "" });
      expect(again.next_changes_since).not.toBe(last.next_changes_since);
      expect(again.next_changes_since?.length).toBe(bookmark.length);
    } finally {
      await vault.drop();
    }
  });
});
