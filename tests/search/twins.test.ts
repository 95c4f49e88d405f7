import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { countReads } from "@pdpp/test-support/vaults/count-reads";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { createReader } from "#server/read/reader";

/**
 * Two vaults that differ only outside the grant must give the same results: hits, order, scores, passages, counts and warnings. The
 * hidden data contains exactly the words that would change how a query is understood.
 */

const now = Date.parse("2026-06-01T12:00:00Z");
const nullable = { type: ["string", "null"] };

const manifest = parseManifest({
  connector_key: "notes",
  version: "1",
  streams: [
    {
      name: "notes",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "at",
      consent_time_field: "at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id", "at"],
        properties: {
          id: { type: "string" },
          at: { type: "string", format: "date-time" },
          text: nullable,
          secret: nullable,
        },
      },
      query: { search: { lexical_fields: ["text", "secret"] } },
    },
  ],
});

type Limit = "time" | "resources" | "none";

interface Note {
  readonly id: string;
  readonly text: string;
  readonly secret?: string;
  readonly isOutside?: boolean;
  /** Stored and then deleted. */
  readonly isDeleted?: boolean;
}

const makeLine = ({ id, text, secret, isOutside }: Note): JsonObject => ({
  data: { id, at: isOutside ? "2020-01-01T00:00:00Z" : "2026-03-01T00:00:00Z", text, secret: secret ?? null },
});

interface World {
  readonly vault: TestVault;
  readonly reader: ReadApi;
}

async function createTwin(
  engine: (typeof engineNames)[number],
  limit: Limit,
  notes: readonly Note[],
  other: readonly Note[],
) {
  const vault = await createVault(engine, "a secret for both vaults");
  await vault.store.register(manifest, now);
  for (const id of ["mine", "other"]) await addConnection(vault.store, 1, { connectorKey: "notes", id }, now);
  // One by one, so that hidden and visible records share segments.
  for (const note of notes) {
    await putRecords(vault, "mine", "notes", [makeLine(note)], now);
    if (note.isDeleted) await putRecords(vault, "mine", "notes", [{ op: "delete", key: note.id }], now);
  }
  if (other.length > 0) await putRecords(vault, "other", "notes", other.map(makeLine), now);
  const stream = {
    name: "notes",
    fields: ["text", "at"],
    connection_ids: ["mine"],
    ...(limit === "time" ? { time_range: { since: "2026-01-01T00:00:00Z" } } : {}),
    ...(limit === "resources" ? { resources: inside.map(({ id }) => id) } : {}),
  };
  const { token } = await issueGrant(
    vault.store,
    1,
    { client: { name: "client" }, sources: [{ connector_key: "notes", streams: [stream] }] },
    now,
  );
  const scope = await authenticate(vault.store, token, now);
  return { vault, scope, reader: createReader({ store: vault.store, scope }) };
}

const inside: readonly Note[] = [
  { id: "n1", text: "The boiler invoice came with the insurance papers" },
  { id: "n2", text: "ice cream in the summer house by the lake" },
  { id: "n3", text: "Haftpflichtversicherung und Kündigungsfrist" },
  { id: "n4", text: "receive the parcel from the neighbour" },
  { id: "n5", text: "a short one about the boilers" },
  { id: "n6", text: `a long one: ${"walking the dog along the river and ".repeat(30)} boiler` },
  { id: "n7", text: "The well-known e-mail of the plumber" },
];

/** Each word would change how one of the questions is understood, if it were visible. */
const disturbing = [
  "icecream",
  "cream",
  "boiller",
  "boilerhouse",
  "recieve",
  "recive",
  "Kündigung",
  "Versicherung",
  "Versicherungsnummer",
  "Hausratversicherung",
  "insurances",
  "plumbing",
  "plumberr",
  "email",
  "wellknown",
  "boilerplate",
  "summerhouse",
  "lakeside",
  "neighbor",
  "invoicing",
  "unknownword",
  "unknown",
  "word",
  "bo",
  "zzzz",
  "TH-25-1893",
  "TH",
  "plumer",
];

const questions = [
  "boiler",
  "boiller",
  "boliers",
  "icecream",
  "summerhouse",
  "recieve",
  "Versicherung",
  "Kündigung",
  "bo*",
  "i*",
  '"ice cream"',
  '"cream ice"',
  '"unknown word"',
  "unknownword",
  "email",
  "e-mail plumber",
  "wellknown",
  "neighbor -boiler",
  "boiler -bo*",
  "what about the insurance invoice?",
  "zzzz",
  "boiler zzzz",
  "TH-25-1893",
  "invoice TH-25-1893",
  "plumer parcel",
  "did the plumer ever receive zzzz?",
];

async function askAll(reader: ReadApi): Promise<string[]> {
  const told: string[] = [];
  for (const q of questions) {
    const { data, meta, has_more } = await reader.search({ q, limit: 3 });
    told.push(JSON.stringify({ q, data, meta, has_more }, null, 1));
  }
  return told;
}

/**
 * If a grant covers a whole connection, average lengths still include deleted records, so scores may differ slightly. What was
 * searched for may not.
 */
const extractNotes = (answer: string): string => {
  const { q, data, meta } = JSON.parse(answer);
  return JSON.stringify({ q, meta, hits: data.length });
};

const hidden = fc.record({
  words: fc.array(fc.constantFrom(...disturbing), { minLength: 1, maxLength: 6 }),
  place: fc.constantFrom("outside", "field", "deleted", "connection"),
  before: fc.nat(inside.length),
});

async function expectSameAsTwin(
  engine: (typeof engineNames)[number],
  limit: Limit,
  list: readonly (typeof hidden extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const mine: Note[] = inside.map((note, i) => {
    const secret = list
      .flatMap(({ words, place, before }) => (place === "field" && before === i ? words : []))
      .join(" ");
    return secret === "" ? note : { ...note, secret };
  });
  const other: Note[] = [];
  const told = limit === "none" ? extractNotes : (each: string) => each;
  for (const [n, { words, place, before }] of list.entries()) {
    const note = { id: `h${n}`, text: `${words.join(" ")} ${n % 2 === 0 ? "filler ".repeat(80) : ""}` };
    if (place === "connection") other.push(note);
    if (place === "deleted") mine.splice(before, 0, { ...note, isOutside: true, isDeleted: true });
    // Without a limit, the grant covers every record of the connection.
    if (place === "outside" && limit !== "none") mine.splice(before, 0, { ...note, isOutside: true });
  }
  const worlds: World[] = [];
  try {
    for (const notes of [inside, mine])
      worlds.push(await createTwin(engine, limit, notes, notes === mine ? other : []));
    const [plain, twin] = [await askAll(worlds[0]!.reader), await askAll(worlds[1]!.reader)];
    expect(twin.map(told)).toEqual(plain.map(told));
    await worlds[1]!.vault.store.sweep();
    expect((await askAll(worlds[1]!.reader)).map(told)).toEqual(plain.map(told));
  } finally {
    for (const { vault } of worlds) await vault.drop();
  }
}

describe.each(engineNames)("[AUT-4] [SRCH-7] a search on %s", (engine) => {
  it.each(["time", "resources", "none"] as const)("reveals nothing outside the grant (limit: %s)", async (limit) => {
    const all = (["outside", "field", "deleted", "connection"] as const).map((place, i) => ({
      words: disturbing,
      place,
      before: 2 * i,
    }));
    await expectSameAsTwin(engine, limit, all);
    await fc.assert(
      fc.asyncProperty(fc.array(hidden, { minLength: 1, maxLength: 12, size: "max" }), (list) =>
        expectSameAsTwin(engine, limit, list),
      ),
      { numRuns: chooseRuns(1, 30) },
    );
  });

  it("[SRCH-21] reads as much for a word that occurs only outside the grant as for one that does not occur", async () => {
    const asked = [
      "qqwortex",
      "zzvertig",
      "kkmantel",
      "kkmantelzzvertig",
      "zzverti*",
      '"zzvertig kkmantel"',
      "boiler zzvertig",
    ];
    const read = async (words: string): Promise<{ statements: number; rows: number }[]> => {
      const mine = inside.map((note) => ({ ...note, secret: words }));
      const others = Array.from({ length: 50 }, (_, n) => ({ id: `o${n}`, text: words }));
      const { vault, scope } = await createTwin(engine, "none", mine, others);
      const seen: { statements: number; rows: number }[] = [];
      try {
        for (const q of asked) {
          // A separate store, so that nothing is cached from the previous question.
          await vault.reopen();
          const { store, statements, rows } = countReads(vault.store);
          await createReader({ store, scope }).search({ q });
          seen.push({ statements: statements(), rows: rows() });
        }
      } finally {
        await vault.drop();
      }
      return seen;
    };
    expect(await read("qqwortex zzvertig kkmantel")).toEqual(await read("qqwartix zzvortag kkmuntol"));
  });
});
