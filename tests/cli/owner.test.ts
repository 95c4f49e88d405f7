import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobRef, ingestReport, record } from "@pdpp/contract/wire";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { runInProcess } from "@pdpp/test-support/cli/run-in-process";
import { printedCommand, type RunResult, testedProgram } from "@pdpp/test-support/cli/run-pdpp";
import { listen } from "@pdpp/test-support/mcp/clients";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { listGrants } from "#server/store/access/grants";

/** The output of the owner's commands on a terminal, in a pipe, and with --json: the same steps on three vaults. */

const ways = ["terminal", "pipe", "json"] as const;
type Way = (typeof ways)[number];

const folder = mkdtempSync(join(tmpdir(), "pdpp-owner-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const writeFixture = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const notes = (count: number) =>
  toNdjson(
    Array.from({ length: count }, (_, i) => ({
      data: { id: `n${i}`, title: `Note ${i}`, at: `2026-01-0${i + 1}T10:00:00Z` },
      emitted_at: "2026-02-01T00:00:00Z",
    })),
  );
/** Keeps the tests independent of other servers on this machine. */
let freePort = 0;
beforeAll(async () => {
  const held = await listen(() => new Response());
  freePort = Number(new URL(held.url).port);
  await held.close();
  writeFixture("notes.json", JSON.stringify(buildTinyManifest("notes", "notes")));
  writeFixture("broken.json", JSON.stringify({ connector_key: "broken", version: "1", streams: [{ name: "x" }] }));
  writeFixture("notes.ndjson", notes(3));
  writeFixture("partly.ndjson", `${notes(1)}{"data":\n${toNdjson([{ data: { id: "n9" } }])}`);
  writeFixture("scan.txt", "a scan");
});

/** Values from the output of earlier commands, by name. */
type Known = Map<string, string>;
interface Step {
  readonly name: string;
  readonly args: (known: Known) => string[];
  readonly code?: number;
  readonly shape?: z.ZodType;
  readonly keep?: (document: { data: { grant_id: string }[] }, known: Known) => void;
}

const list = z.looseObject({ object: z.literal("list"), data: z.array(z.looseObject({})) });
const defineObject = (name: string) => z.looseObject({ object: z.literal(name) });
const locateFile = (name: string): string => join(folder, name);
const createStep = (line: string, more: Partial<Step> = {}): Step => ({
  name: line,
  args: () => line.split(" "),
  ...more,
});

const steps: readonly Step[] = [
  createStep("connector list", { shape: list }),
  createStep("connector add FILE", { args: () => ["connector", "add", locateFile("notes.json")], shape: list }),
  createStep("connector add BROKEN", { args: () => ["connector", "add", locateFile("broken.json")], code: 1 }),
  createStep("connector list, with one", { args: () => ["connector", "list"], shape: list }),
  createStep("connector show notes", { shape: defineObject("connector") }),
  createStep("connection add notes --label Work --id work", { shape: defineObject("connection") }),
  createStep("connection add nothing", { code: 5 }),
  createStep("ingest work notes FILE", {
    args: () => ["ingest", "work", "notes", locateFile("notes.ndjson")],
    shape: ingestReport,
  }),
  createStep("ingest, partly", {
    args: () => ["ingest", "work", "notes", locateFile("partly.ndjson")],
    code: 1,
    shape: ingestReport,
  }),
  createStep("connection list", { shape: list }),
  createStep("blob add work FILE", {
    args: () => ["blob", "add", "work", locateFile("scan.txt"), "--mime", "text/plain"],
    shape: blobRef,
  }),
  createStep("grant create --client Agent --connection work --stream notes", {
    shape: z.looseObject({ token: z.string(), grants: z.array(z.looseObject({ grant_id: z.string() })) }),
  }),
  createStep("grant list", {
    shape: list,
    keep: ({ data }, known) => known.set("grant", data[0]!.grant_id),
  }),
  createStep("grant show ID", {
    args: (known) => ["grant", "show", known.get("grant")!],
    shape: defineObject("grant"),
  }),
  createStep("grant show nope", { code: 5 }),
  createStep("log, acts", { args: () => ["log"], shape: list }),
  createStep("log --grant nope", { code: 5 }),
  createStep("log, read", { args: (known) => ["log", "--grant", known.get("grant")!], shape: list }),
  createStep("log --record work/notes:n0", { shape: defineObject("record_readers") }),
  createStep("log --record work/notes:n0 --before 5", { shape: defineObject("record_readers") }),
  createStep("log --before 5", { code: 64 }),
  createStep("log --record work/notes:n1", { shape: defineObject("record_readers") }),
  createStep("log --record work/notes:n2", { shape: defineObject("record_readers") }),
  createStep("log --record work/notes:none", { code: 5 }),
  createStep("log --record nothing", { code: 64 }),
  createStep("log --record work/notes:n1 --follow", { code: 64 }),
  createStep("grant revoke ID", {
    args: (known) => ["grant", "revoke", known.get("grant")!],
    shape: defineObject("grant"),
  }),
  createStep("owner-token list", { shape: list }),
  createStep("owner-token create --name backup", { shape: defineObject("owner_token") }),
  createStep("owner-token list, with one", { args: () => ["owner-token", "list"], shape: list }),
  createStep("export --stream notes", { shape: z.looseObject({ object: z.literal("list"), data: z.array(record) }) }),
  createStep("delete work notes n1 --yes", { shape: defineObject("deletion") }),
  createStep("delete work nothing --yes", { code: 5 }),
  createStep("prune --older-than 3000"),
  createStep("log verify", { shape: defineObject("log_verification") }),
  createStep("log verify --kept nothing", { code: 64 }),
  createStep("log prune --older-than 90d", { shape: defineObject("log_pruning") }),
  createStep("log prune --older-than 90", { code: 64 }),
  createStep("doctor", { args: () => ["doctor", "--port", String(freePort)], shape: defineObject("doctor") }),
  createStep("connection remove work --yes"),
];

/** Replaces values that differ between runs. */
const removeVolatile = (text: string): string =>
  text
    .replaceAll(folder, "FOLDER")
    .replaceAll(`${printedCommand} `, "pdpp ")
    .replaceAll(/FOLDER\/(terminal|pipe|json)/g, "FOLDER/WAY")
    .replaceAll(/\b(grt|cli|otk|tok|pkg|cin|req)_[\w-]{16,}/g, (_, kind) => `${kind.toUpperCase()}_ID`)
    .replaceAll(/pdpp_(client|owner)_[\w-]{43}/g, "pdpp_$1_TOKEN")
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, (time) => (/^2026-0[12]-0/.test(time) ? time : "NOW"))
    .replaceAll(/v\d+\.\d+\.\d+|[\d.]+ [GM]B free/g, "MACHINE")
    .replaceAll(/\b\d{4,5} is free/g, "PORT is free")
    .replaceAll(/(schema: |"schema".{1,30})version \d+/g, "$1version SCHEMA")
    .replaceAll(/\b\d+:[\w-]{43}\b|(?<="hash": ?")[\w-]{43}/g, "HASH");

async function runSteps(way: Way): Promise<Map<string, RunResult>> {
  const dataDir = join(folder, way);
  const known: Known = new Map();
  const ran = new Map<string, RunResult>();
  const env = { HOME: dataDir };
  for (const { name, args, keep } of steps) {
    if (name === "log, read") await readSomething(dataDir);
    const words = [...args(known), "--data-dir", dataDir];
    ran.set(
      name,
      await runInProcess(way === "json" ? [...words, "--json"] : words, { env, terminal: way === "terminal" }),
    );
    if (keep !== undefined) keep(JSON.parse((await runInProcess([...words, "--json"], { env })).stdout), known);
  }
  return ran;
}

async function readSomething(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir });
  const [stored] = await store.engine.read((on) => listGrants(on, 1));
  const read = {
    ownerNo: 1,
    at: Date.parse("2026-10-10T00:00:00Z"),
    requestId: "req_0123456789abcdef",
    client: "Agent",
    grantIds: [stored!.grant.grant_id],
    operation: "streams",
    connectionIds: ["work"],
    stream: null,
    status: 200,
    records: 0,
    bytes: 12,
  };
  store.log.note(read);
  // The first record that was stored has the first version.
  store.log.note({ ...read, operation: "fetch", stream: "notes", records: 1, versions: "1" });
  const asked = {
    q: "boiler \u202e invoice of the year before last",
    streams: ["notes"],
    filter: { size: { gte: 10 } },
  };
  const request = JSON.stringify({ operation: "search", arguments: asked, continued: true });
  store.log.note({ ...read, operation: "search", request });
  store.log.note({ ...read, operation: "export", stream: "notes", records: 400, versions: "1+2" });
  await store.log.flush();
  await store.close();
}

const lives = new Map<Way, Map<string, RunResult>>();
beforeAll(async () => {
  for (const way of ways) lives.set(way, await runSteps(way));
});

// An installed program has its cache in the home folder, which is the vault's folder here, so its doctor warns.
const compared = steps.filter(({ name }) => testedProgram === undefined || name !== "doctor");

test.each(compared)("[CLI-2] $name", ({ name, code = 0, shape }) => {
  for (const way of ways) {
    const ran = lives.get(way)!.get(name)!;
    expect([way, ran.code, ran.stderr]).toEqual([way, code, ran.stderr]);
    expect({ stdout: removeVolatile(ran.stdout), stderr: removeVolatile(ran.stderr) }).toMatchSnapshot(way);
    if (way !== "json") continue;
    if (code === 0 || shape !== undefined) (shape ?? z.looseObject({})).parse(JSON.parse(ran.stdout));
    else expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: expect.any(String) } });
  }
});
