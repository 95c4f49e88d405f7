import { rmSync } from "node:fs";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "./connector.ts";

describe.each(engineNames)("a connector, on %s", (engine) => {
  let vault: TestVault;
  let world: World;
  beforeEach(async () => {
    vault = await createVault(engine);
    world = await createWorld(vault);
  });
  afterEach(async () => {
    rmSync(world.folder, { recursive: true, force: true });
    await vault.drop();
  });

  it("[COL-1] speaks every message, and its records, cursors and report are kept", async () => {
    const seen: string[] = [];
    const run = await world.run(
      `
await say({ type: "PROGRESS", message: "Reading", stream: "notes", count: 1, total: 2, phase: "list" });
await record("notes", "n1", { body: "boiler" });
await record("notes", "n2", { count: 3 }, { op: "upsert" });
await record("tasks", "t1");
await record("tasks", "t2");
await say({ type: "RECORD", stream: "tasks", key: "t2", data: {}, emitted_at: at, op: "delete" }); sent += 1;
await say({ type: "ASSISTANCE", text: "x" });
await say({ type: "ASSISTANCE_STATUS", text: "x" });
await say({ type: "DETAIL_GAP_RECOVERED", stream: "details" });
await say({ type: "DETAIL_GAP_ATTEMPTED", stream: "details" });
await say({ type: "DETAIL_GAPS_PAGE_REQUEST", reference_only: true, request_id: "g1" });
const page = await reply();
await say({ type: "INTERACTION", request_id: "i1", kind: "otp", message: "Code?", schema: { type: "object" }, timeout_seconds: 60 });
const answer = await reply();
await record("notes", "n3", { body: JSON.stringify([page, answer, start.bindings, start.state]) });
await record("lists", "l1");
await record("details", "d1");
await say({ type: "DETAIL_GAP", stream: "details", record_key: "d2", reason: "temporary_unavailable", retryable: true });
await say({ type: "DETAIL_COVERAGE", reference_only: true, stream: "details", state_stream: "lists", required_keys: ["d1", "d2"], hydrated_keys: ["d1"], gap_keys: ["d2"] });
await say({ type: "SKIP_RESULT", stream: "tasks", reason: "rate_limited", message: "later", recovery_hint: { action: "retry_by_runtime", retryable: true } });
await raw("\\n");
await state("notes", { page: 1 });
await state("notes", { page: 2 });
await state("lists", ["any", "json"]);
await done();
await leave();
`,
      {
        interact: async ({ message }) => ({ status: "success", data: { code: `${message} 123456` } }),
        onProgress: ({ message }) => seen.push(message),
      },
    );
    expect(run).toMatchObject({
      status: "succeeded",
      mode: "incremental",
      skipped: [{ stream: "tasks", reason: "rate_limited", message: "later" }],
      gaps: { details: 1 },
      tally: {
        streams: {
          notes: { stored: 3 },
          tasks: { stored: 2, deleted: 1 },
          lists: { stored: 1 },
          details: { stored: 1 },
        },
      },
    });
    expect(run).not.toHaveProperty("withheld");
    expect(seen).toEqual(["Reading"]);
    const [, , third] = (await world.list("notes")).sort((a, b) => String(a.id).localeCompare(String(b.id)));
    expect(JSON.parse(String(third?.body))).toEqual([
      { type: "DETAIL_GAPS_PAGE_RESPONSE", reference_only: true, request_id: "g1", detail_gaps: [] },
      { type: "INTERACTION_RESPONSE", request_id: "i1", status: "success", data: { code: "Code? 123456" } },
      { interactive: {} },
      null,
    ]);
    expect((await world.list("tasks")).map(({ id }) => id)).toEqual(["t1"]);

    const next = await world.run(`
await record("notes", "n1", { body: JSON.stringify(start) });
await done();
await leave();
`);
    expect(next).toMatchObject({ status: "succeeded", tally: { streams: { notes: { changed: 1 } } } });
    const started = JSON.parse(String((await world.list("notes")).find(({ id }) => id === "n1")?.body));
    expect(started).toEqual({
      type: "START",
      run_id: next.run_id,
      collection_mode: "incremental",
      scope: { streams: ["notes", "tasks", "details", "lists", "marks"].map((name) => ({ name })) },
      state: { lists: ["any", "json"], notes: { page: 2 } },
      bindings: {},
    });
    const full = await world.run(
      `await record("notes", "n9", { body: JSON.stringify(start.state) }); await done(); await leave();`,
      { mode: "full_refresh" },
    );
    expect(full.status).toBe("succeeded");
    expect((await world.list("notes")).find(({ id }) => id === "n9")).toMatchObject({ body: "null" });
  });

  it("[COL-2] keeps which run brought and last changed a record", async () => {
    const first = await world.run(
      `await record("notes", "n1"); await record("notes", "n2"); await done(); await leave();`,
    );
    const second = await world.run(
      `await record("notes", "n1", { body: "new" }); await record("notes", "n2"); await done(); await leave();`,
    );
    const find = (id: string) => world.owner.imports.findOrigin("sample", "notes", id);
    expect(await find("n1")).toMatchObject({ first_import: first.run_id, last_import: second.run_id });
    expect(await find("n2")).toMatchObject({ first_import: first.run_id, last_import: first.run_id });
    expect(second.tally.streams.notes).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await world.owner.imports.list()).toEqual([]);
    const listed = await world.owner.sources.listRuns("sample", 10);
    expect(listed.map(({ run_id, status }) => [run_id, status])).toEqual([
      [second.run_id, "succeeded"],
      [first.run_id, "succeeded"],
    ]);
    await world.owner.connections.remove("sample");
    expect(await world.owner.sources.list()).toEqual([]);
  });

  it("[COL-3] saves cursors only after success, or for streams that a certified failure does not concern", async () => {
    const loadState = async (): Promise<unknown> => {
      await world.run(
        `await record("tasks", "state", { body: JSON.stringify(start.state) }); await done(); await leave();`,
      );
      return JSON.parse(String((await world.list("tasks")).find(({ id }) => id === "state")?.body));
    };
    const failure = (code: string) =>
      `{ error: { code: "${code}", message: "no", retryable: true, recovery_hint: "refresh_credentials" } }`;
    const failed = await world.run(
      `await record("notes", "n1"); await state("notes", 1); await done("failed", ${failure("broken")}); await leave(1);`,
    );
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "broken", message: "no", is_retryable: true, recovery: "refresh_credentials" },
      tally: { streams: { notes: { stored: 1 } } },
    });
    const cancelled = await world.run(`await state("notes", 2); await done("cancelled"); await leave(1);`);
    expect(cancelled.status).toBe("cancelled");
    const uncertified = await world.run(
      `await state("notes", 3); await done("failed", ${failure("stream_collection_failed")}); await leave(1);`,
    );
    expect(uncertified.status).toBe("failed");
    expect(await loadState()).toBeNull();

    const certified = await world.run(`
await state("notes", 4);
await state("tasks", 4);
await say({ type: "SKIP_RESULT", stream: "marks", reason: "stream_collection_failed" });
await done("failed", ${failure("stream_collection_failed")});
await leave(1);
`);
    // Marks ride on the cursor of notes.
    expect(certified).toMatchObject({ status: "failed", withheld: ["notes"] });
    expect(await loadState()).toEqual({ tasks: 4 });

    const cover = (hydrated: string, gaps: string) => `
await state("lists", 5);
await state("notes", 5);
await say({ type: "DETAIL_COVERAGE", reference_only: true, stream: "details", state_stream: "lists", required_keys: ["a", "b"], hydrated_keys: ${hydrated}, gap_keys: ${gaps} });
await done();
await leave();
`;
    expect(await world.run(cover('["a"]', "[]"))).toMatchObject({ status: "succeeded", withheld: ["lists"] });
    expect(await world.run(cover('["a"]', '["b"]'))).toMatchObject({ withheld: ["lists"] });
    expect(await world.run(`await state("lists", 5); await done(); await leave();`)).toMatchObject({
      withheld: ["lists"],
    });
    expect(await loadState()).toEqual({ tasks: 4, notes: 5 });
    expect(await world.run(cover('["a", "b"]', "[]"))).not.toHaveProperty("withheld");
    expect(await loadState()).toEqual({ tasks: 4, notes: 5, lists: 5 });
  });

  it("[COL-4] stores a record as sent: the last one wins, and one that does not fit is put aside", async () => {
    const run = await world.run(`
await record("notes", "n1", { body: "a much longer first text" });
await record("notes", "n1", { body: "last" });
await record("notes", "n2", { count: "many" });
await say({ type: "RECORD", stream: "notes", key: "other", data: { id: "n3" }, emitted_at: at }); sent += 1;
await raw('{"type":"RECORD","stream":"notes","key":"n4","data":{"id":"n4","count":12345678901234567891},"emitted_at":"2026-11-01"}\\n'); sent += 1;
for (let n = 0; n < 1200; n += 1) await record("tasks", "t" + n);
await state("notes", 1);
await done();
await leave();
`);
    expect(run).toMatchObject({ status: "succeeded", tally: { streams: { tasks: { stored: 1200 } } } });
    expect(await world.list("notes")).toMatchObject([{ id: "n1", body: "last" }]);
    const rejected = await world.owner.imports.listRejected(run.run_id);
    expect(rejected.map(({ code }) => code)).toEqual([
      "schema_violation",
      "invalid_record_identity",
      "number_not_exact",
    ]);
  });

  it("[COL-5] lets one run of a source write at a time, and takes over from a process that died", async () => {
    const { sources } = world.owner;
    const running = await sources.beginRun("sample", { mode: "incremental", version: "1" });
    await expect(sources.beginRun("sample", { mode: "incremental", version: "1" })).rejects.toThrow(
      "is being collected already",
    );
    expect((await sources.get("sample")).status).toBe("running");
    // As if its process had died long ago.
    await vault.store.engine.write(async (on) => {
      const { raw } = await import("#server/store/engine/sql");
      await on.run(raw("UPDATE source SET lease_until = 1"));
    });
    const next = await sources.beginRun("sample", { mode: "incremental", version: "1" });
    const line = JSON.stringify({ key: "x", data: { id: "x" }, emitted_at: "2026-11-01" });
    const late = [{ stream: "notes", data: { id: "x" }, changed_at: 0, line }];
    await expect(sources.storeRecords(running.run_id, late)).rejects.toThrow("another run");
    const result = { status: "succeeded", cursors: { notes: 9 }, report: {} } as const;
    await expect(sources.finishRun(running.run_id, result)).rejects.toThrow("another run");
    expect((await sources.finishRun(next.run_id, { ...result, cursors: {} })).status).toBe("succeeded");
    expect((await sources.listRuns("sample", 5)).map(({ status }) => status)).toEqual(["succeeded", "interrupted"]);
    expect(await world.list("notes")).toEqual([]);
    await sources.setPaused("sample", true);
    await expect(world.run("await done(); await leave();")).rejects.toThrow("paused");
    await sources.setPaused("sample", false);
    expect(await world.run("await done(); await leave();")).toMatchObject({ status: "succeeded" });
  });
});
