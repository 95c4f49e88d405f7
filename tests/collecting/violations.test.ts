import { rmSync } from "node:fs";
import type { JsonObject } from "@pdpp/contract/declaration";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CollectRequest } from "#collecting/run/collect";
import { createWorld, declareStream, manifest, type World, withStreams } from "./connector.ts";

type Options = Partial<CollectRequest> & { readonly manifest?: JsonObject };

const finish = "await done(); await leave();";
const coverage = (fields: string): string =>
  `await say({ type: "DETAIL_COVERAGE", reference_only: true, stream: "details", state_stream: "lists", required_keys: ["a"], hydrated_keys: ["a"], ${fields} }); ${finish}`;
const interaction = (fields = ""): string =>
  `{ type: "INTERACTION", request_id: "i", kind: "otp", message: "Code?", ${fields} }`;
const skip = (hint: string): string => `await say({ type: "SKIP_RESULT", recovery_hint: ${hint} }); ${finish}`;
const onlyNotes = (limits: object): Options => ({ scope: [{ name: "notes", ...limits }] });
const waits: Options = { interact: () => new Promise(() => undefined) };

/** Each sends a record and a cursor before it breaks the protocol. */
const broken: [what: string, script: string, message: RegExp, options?: Options][] = [
  ["a line that is not JSON", `await raw("hello\\n"); ${finish}`, /not JSON/],
  ["a line that is not UTF-8", `await raw(Buffer.from([0x22, 0xff, 0xfe, 0x22, 10])); ${finish}`, /not UTF-8/],
  ["a JSON array", `await say([1]); ${finish}`, /is unknown/],
  ["a JSON text", `await say("DONE"); ${finish}`, /is unknown/],
  ["null", `await say(null); ${finish}`, /is unknown/],
  ["a message without a type", `await say({ stream: "notes" }); ${finish}`, /is unknown/],
  ["an unknown type", `await say({ type: "LOG" }); ${finish}`, /LOG is unknown/],
  ["the host's own START", `await say(start); ${finish}`, /START is unknown/],
  [
    "the host's own answer",
    `await say({ type: "INTERACTION_RESPONSE" }); ${finish}`,
    /INTERACTION_RESPONSE is unknown/,
  ],
  [
    "two messages on a line",
    `await raw('{"type":"PROGRESS","message":"a"}{"type":"PROGRESS","message":"b"}\\n'); ${finish}`,
    /not JSON/,
  ],
  ["deep nesting", `await raw("[".repeat(2000000) + "\\n"); ${finish}`, /not JSON/],
  ["a record of an unknown stream", `await record("secrets", "out"); ${finish}`, /outside the scope/],
  [
    "a record of a stream outside the scope",
    `await record("tasks", "out"); ${finish}`,
    /outside the scope/,
    onlyNotes({}),
  ],
  [
    "a record outside the resources",
    `await record("notes", "out"); ${finish}`,
    /its key/,
    onlyNotes({ resources: ["n0"] }),
  ],
  [
    "a deletion outside the resources",
    `await record("notes", "out", {}, { op: "delete" }); ${finish}`,
    /its key/,
    onlyNotes({ resources: ["n0"] }),
  ],
  [
    "a record outside the fields",
    `await record("notes", "out", { body: "x" }); ${finish}`,
    /a field/,
    onlyNotes({ fields: ["at"] }),
  ],
  [
    "a record before the time range",
    `await record("notes", "out", { at: "2020-01-01T00:00:00Z" }); ${finish}`,
    /its time/,
    onlyNotes({ time_range: { since: "2026-01-01T00:00:00Z" } }),
  ],
  [
    "a record after the time range",
    `await record("notes", "out", { at: "2027-01-01T00:00:00Z" }); ${finish}`,
    /its time/,
    onlyNotes({ time_range: { until: "2026-12-01T00:00:00Z" } }),
  ],
  [
    "a record without a time in a time range",
    `await record("notes", "out", { at: null }); ${finish}`,
    /its time/,
    onlyNotes({ time_range: { since: "2026-01-01T00:00:00Z" } }),
  ],
  [
    "a record without data",
    `await say({ type: "RECORD", stream: "notes", key: "out", emitted_at: at }); ${finish}`,
    /RECORD with a wrong data/,
  ],
  [
    "a record whose data is a list",
    `await record("notes", "out", {}, { data: [] }); ${finish}`,
    /RECORD with a wrong data/,
  ],
  [
    "a record without a key",
    `await record("notes", "out", {}, { key: undefined }); ${finish}`,
    /RECORD with a wrong key/,
  ],
  [
    "a record without a time of emission",
    `await record("notes", "out", {}, { emitted_at: 5 }); ${finish}`,
    /RECORD with a wrong emitted_at/,
  ],
  ["an unknown operation", `await record("notes", "out", {}, { op: "merge" }); ${finish}`, /RECORD with a wrong op/],
  ["a cursor of an unknown stream", `await state("secrets", 1); ${finish}`, /STATE for a stream outside/],
  ["a cursor of a stream that rides on another", `await state("marks", 1); ${finish}`, /STATE for marks/],
  ["a cursor of a stream with parents", `await state("details", 1); ${finish}`, /STATE for details/],
  ["STATE without a cursor", `await say({ type: "STATE", stream: "notes" }); ${finish}`, /STATE with a wrong cursor/],
  ["a huge cursor", `await state("notes", "x".repeat(2000000)); ${finish}`, /cursor of more than/],
  [
    "a secret in a cursor",
    `await state("notes", { key: process.env.SAMPLE_KEY }); ${finish}`,
    /secret in STATE/,
    { loadSecrets: async () => ({ SAMPLE_KEY: "hunter-2-canary" }) },
  ],
  ["a record after DONE", `await done(); await record("notes", "out"); await leave();`, /RECORD after DONE/],
  ["a cursor after DONE", `await done(); await state("tasks", 1); await leave();`, /STATE after DONE/],
  ["a second DONE", `await done(); await done(); await leave();`, /DONE after DONE/],
  ["text after DONE", `await done(); await raw("bye\\n"); await leave();`, /not JSON/],
  ["a DONE that counts too many", `sent += 5; ${finish}`, /reported 6 records/],
  ["a DONE that counts too few", `sent = 0; ${finish}`, /reported 0 records/],
  [
    "a DONE without a count",
    `await say({ type: "DONE", status: "succeeded" }); await leave();`,
    /DONE with a wrong records_emitted/,
  ],
  ["an unknown status", `await done("partial"); await leave();`, /DONE with a wrong status/],
  [
    "an error without a message",
    `await done("failed", { error: { retryable: true } }); await leave(1);`,
    /DONE with a wrong error.message/,
  ],
  [
    "an error code that is a sentence",
    `await done("failed", { error: { code: "It broke", message: "x", retryable: true } }); await leave(1);`,
    /error.code/,
  ],
  ["success with a failing exit code", `await done(); await leave(3);`, /exit code 3 after DONE succeeded/],
  [
    "failure with a clean exit code",
    `await done("failed", { error: { message: "x", retryable: true } }); await leave(0);`,
    /exit code 0 after DONE failed/,
  ],
  ["no DONE", `process.exit(0);`, /without DONE \(exit code 0\)/],
  ["a crash", `throw new Error("kaboom");`, /without DONE \(exit code 1\): Error: kaboom$/],
  ["a crash in the middle of a line", `await raw('{"type":"RECO'); process.exit(2);`, /not JSON/],
  ["a question that was not offered", `await say(${interaction()}); ${finish}`, /START did not offer/],
  [
    "a second question",
    `await say(${interaction()}); await say(${interaction('request_id: "j"')}); ${finish}`,
    /while it waits/,
    waits,
  ],
  [
    "an unknown kind of question",
    `await say(${interaction('kind: "captcha"')}); ${finish}`,
    /INTERACTION with a wrong kind/,
    waits,
  ],
  ["an unknown recovery", skip('"reboot"'), /SKIP_RESULT with a wrong recovery_hint/],
  ["a recovery without an action", skip("{ retryable: true }"), /SKIP_RESULT with a wrong recovery_hint/],
  [
    "a continuation without its facts",
    `await say({ type: "SKIP_RESULT", continuation: { remaining: true } }); ${finish}`,
    /continuation/,
  ],
  ["details of a stream that rides on another", coverage('stream: "marks"'), /declares a state_stream/],
  ["details for a stream that is not a parent", coverage('state_stream: "tasks"'), /not one of its parents/],
  ["details with a key twice", coverage('hydrated_keys: ["a", "a"]'), /a key twice/],
  ["details with a key that was not required", coverage('gap_keys: ["z"]'), /not required/],
  ["details without the mark of evidence", coverage("reference_only: false"), /wrong reference_only/],
  ["details of an unknown stream", coverage('stream: "secrets"'), /outside the scope/],
  [
    "a gap of an unknown stream",
    `await say({ type: "DETAIL_GAP", stream: "secrets" }); ${finish}`,
    /outside the scope/,
  ],
];

describe("a connector that breaks the protocol", () => {
  let vault: TestVault;
  let world: World;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    world = await createWorld(vault);
  });
  afterAll(async () => {
    rmSync(world.folder, { recursive: true, force: true });
    await vault.drop();
  });

  it("[COL-6] has more than forty ways to do so", () => expect(broken.length).toBeGreaterThan(40));

  it.each(broken)("[COL-6] is stopped and saves no cursor: %s", async (_, script, message, options = {}) => {
    const run = await world.run(`await record("notes", "n0"); await state("notes", 1); ${script}`, options);
    expect(run).toMatchObject({ status: "failed", error: { message: expect.stringMatching(message) } });
    const next = await world.owner.sources.beginRun("sample", { mode: "incremental", version: "1" });
    expect(next.state).toBeNull();
    await world.owner.sources.finishRun(next.run_id, { status: "succeeded", cursors: {}, report: {} });
    for (const stream of ["notes", "tasks"])
      expect((await world.list(stream)).filter(({ id }) => id === "out")).toEqual([]);
  });

  const cycle = { coverage_strategy: "checkpoint_window" };
  const details = { coverage_strategy: "parent_detail_accounting" };
  const invalid: [what: string, manifest: JsonObject, message: RegExp][] = [
    [
      "a browser",
      { ...manifest, runtime_requirements: { bindings: { browser: { required: true } } } },
      /needs browser/,
    ],
    [
      "interaction that nobody offers",
      { ...manifest, runtime_requirements: { bindings: { interactive: { required: true } } } },
      /needs interactive/,
    ],
    ["itself as its parent", withStreams([declareStream("a", { ...cycle, state_stream: "a" })]), /names itself/],
    ["an unknown parent", withStreams([declareStream("a", { ...cycle, state_stream: "b" })]), /names the parent b/],
    [
      "a parent twice",
      withStreams([declareStream("a", { ...details, parent_streams: ["b", "b"] }), declareStream("b")]),
      /twice/,
    ],
    [
      "both kinds of parents",
      withStreams([declareStream("a", { ...cycle, state_stream: "b", parent_streams: ["b"] }), declareStream("b")]),
      /both/,
    ],
    ["no parents", withStreams([declareStream("a", { ...details, parent_streams: [] })]), /empty/],
    [
      "a cycle",
      withStreams([
        declareStream("a", { ...cycle, state_stream: "b" }),
        declareStream("b", { ...cycle, state_stream: "c" }),
        declareStream("c", { ...cycle, state_stream: "a" }),
      ]),
      /depends on itself/,
    ],
    [
      "a strategy that does not match",
      withStreams([declareStream("a", { state_stream: "b" }), declareStream("b")]),
      /needs coverage_strategy/,
    ],
  ];
  it.each(invalid)("[COL-7] is not started if its manifest needs or declares %s", async (_, other, message) => {
    const run = await world.run(`await record("notes", "out"); ${finish}`, { manifest: other });
    expect(run).toMatchObject({ status: "failed", error: { message: expect.stringMatching(message) } });
    expect(run.tally.read).toBe(0);
  });
});
