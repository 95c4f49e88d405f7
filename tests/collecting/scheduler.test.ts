import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunResult } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { addOwner, findOwner } from "@pdpp/server/owner/owners";
import { claimDueSources } from "@pdpp/server/owner/schedule/due-sources";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Clock } from "#collecting/schedule/clock";
import type { Sync } from "#collecting/schedule/runner";
import { startCollecting } from "#collecting/schedule/start-collecting";
import type { WatchSource } from "#collecting/schedule/watchers";
import { manifest } from "./connector.ts";

const minute = 60_000;

/** As long as other polls may take on a busy machine. */
const waitFor = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 120_000 });

interface TestClock extends Clock {
  /** Moves the time and calls what is due by then. */
  advance(ms: number): void;
}

function createClock(start: string): TestClock {
  let at = Date.parse(start);
  const waiting = new Map<() => void, number>();
  return {
    now: () => at,
    callAfter(ms, callback) {
      waiting.set(callback, at + ms);
      return () => waiting.delete(callback);
    },
    advance(ms) {
      at += ms;
      for (const [callback, due] of [...waiting]) if (due <= at && waiting.delete(callback)) callback();
    },
  };
}

/** Runs that end when the test says so. */
function createRuns() {
  const running = new Map<string, (result?: Partial<RunResult>) => Promise<void>>();
  const started: string[] = [];
  const sync: Sync = async (owner, { source_id: id }, { mode, signal }) => {
    const { run_id } = await owner.sources.beginRun(id, { mode, version: "1" });
    started.push(id);
    const { promise, resolve } = Promise.withResolvers<Partial<RunResult>>();
    const ended = Promise.withResolvers<void>();
    running.set(id, (result = {}) => {
      resolve(result);
      return ended.promise;
    });
    const cancel = (): void => resolve({ status: "cancelled" });
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    const result = await promise;
    running.delete(id);
    const run = await owner.sources.finishRun(run_id, { status: "succeeded", cursors: {}, report: {}, ...result });
    ended.resolve();
    return run;
  };
  return { sync, started, running, end: (id: string, result?: Partial<RunResult>) => running.get(id)?.(result) };
}

describe.each(engineNames)("a server that collects, on %s", (engine) => {
  let vault: TestVault;
  let clock: TestClock;
  let owner: OwnerApi;
  let runs: ReturnType<typeof createRuns>;
  let servers: { close(): Promise<void> }[];
  const faults: unknown[] = [];
  beforeEach(async () => {
    vault = await createVault(engine);
    clock = createClock("2026-11-02T12:00:00Z");
    owner = createOwner({ store: vault.store, ownerNo: await findOwner(vault.store), now: clock.now });
    await owner.connectors.register(parseManifest(manifest));
    runs = createRuns();
    servers = [];
    faults.length = 0;
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await vault.drop();
    expect(faults).toEqual([]);
  });

  const start = (sync: Sync = runs.sync, watch: WatchSource = () => undefined) => {
    const { store, dataDir } = vault;
    const onBug = (error: unknown): unknown => faults.push(error);
    const server = startCollecting({ store, dataDir, env: {}, clock, sync, watch, onBug });
    servers.push(server);
    return server;
  };
  const add = async (id: string, by = owner) => {
    await by.connections.add({ connector_key: "sample", connection_id: id });
    await by.sources.add({ source_id: id, kind: "connector", connection_id: id, settings: {} });
  };
  const expectStarted = (...ids: string[]) => waitFor(() => expect(runs.started.toSorted()).toEqual(ids.toSorted()));
  /** Nothing else starts: a check has passed since. */
  const settle = async () => {
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it("[COL-70] runs two of three due sources, and the third when one has ended", async () => {
    for (const id of ["a", "b", "c"]) {
      await add(id);
      clock.advance(1000);
    }
    start();
    await expectStarted("a", "b");
    clock.advance(minute);
    await settle();
    expect(runs.started.toSorted()).toEqual(["a", "b"]);
    await runs.end("b");
    await expectStarted("a", "b", "c");
  });

  it("[COL-70] notices what is added, paused and resumed, for every owner", async () => {
    start();
    await settle();
    await add("late");
    await addOwner(vault.store, "grete", clock.now());
    const ownerNo = await findOwner(vault.store, "grete");
    const other = createOwner({ store: vault.store, ownerNo, now: clock.now });
    await add("hers", other);
    await owner.sources.setPaused("late", true);
    clock.advance(15_000);
    await expectStarted("hers");
    await runs.end("hers");
    await owner.sources.setPaused("late", false);
    clock.advance(15_000);
    await expectStarted("hers", "late");
    await runs.end("late");
    // An hour later both are due again.
    clock.advance(67 * minute);
    await waitFor(() => expect(runs.started.slice(2).sort()).toEqual(["hers", "late"]));
  });

  it("[COL-74] starts a due source once, on two servers", async () => {
    const others = ["a", "b", "c", "d"];
    for (const id of others) await add(id);
    start();
    start();
    for (let round = 0; round < 3; round += 1) {
      await waitFor(() => expect([...runs.running.keys()].sort()).toEqual(others));
      await settle();
      expect(runs.started.toSorted()).toEqual(others);
      runs.started.length = 0;
      for (const id of others) await runs.end(id);
      clock.advance(67 * minute);
    }
  });

  it("[COL-74] gives each due source to one of two servers that look at the same moment", async () => {
    const ids = ["a", "b", "c", "d"];
    for (const id of ids) await add(id);
    const claim = () => claimDueSources(vault.store, clock.now(), ids.length);
    const claimed = (await Promise.all([claim(), claim()])).flat();
    expect(claimed.map(({ sourceId }) => sourceId).sort()).toEqual(ids);
  });

  it("[COL-75] ends its runs when it stops, and they are due again", async () => {
    await add("a");
    const server = start();
    await expectStarted("a");
    await server.close();
    expect(runs.running.size).toBe(0);
    expect(await owner.sources.get("a")).toMatchObject({
      status: "active",
      last_run: { status: "cancelled" },
      next_run: "2026-11-02T12:00:00.000Z",
    });
    start();
    await expectStarted("a", "a");
  });

  it("[COL-72] records why a connector could not be started, and waits for the owner", async () => {
    await add("a");
    start(() => Promise.reject(new Error("the files have changed")));
    await waitFor(async () =>
      expect(await owner.sources.get("a")).toMatchObject({
        last_run: { status: "failed", error: { code: "not_started", message: "the files have changed" } },
      }),
    );
    expect(await owner.sources.get("a")).not.toHaveProperty("next_run");
  });

  it("[COL-74] does not call a lost race a failure", async () => {
    await add("a");
    const { run_id } = await owner.sources.beginRun("a", { mode: "incremental", version: "1" });
    await owner.sources.requestRun("a");
    await settle();
    start();
    await settle();
    expect(runs.started).toEqual([]);
    await owner.sources.finishRun(run_id, { status: "succeeded", cursors: {}, report: {} });
    clock.advance(15_000);
    await expectStarted("a");
    expect((await owner.sources.listRuns("a", 10)).map(({ status }) => status)).toEqual(["running", "succeeded"]);
  });

  it("[COL-76] waits until the quiet hours are over", async () => {
    await owner.setTimeZone("UTC");
    await add("a");
    await owner.sources.setSchedule("a", { quiet_hours: { from: "11:00", to: "13:00" } });
    start();
    await settle();
    expect(runs.started).toEqual([]);
    expect(await owner.sources.get("a")).toMatchObject({ next_run: "2026-11-02T13:00:00.000Z" });
    clock.advance(60 * minute);
    await expectStarted("a");
  });

  it("[COL-74] takes over a source whose server died before its run began", async () => {
    await add("a");
    const [died] = await claimDueSources(vault.store, clock.now(), 1);
    expect(died).toMatchObject({ sourceId: "a" });
    start();
    clock.advance(15_000);
    await settle();
    expect(runs.started).toEqual([]);
    clock.advance(scaleTimeLimit(5 * minute));
    await expectStarted("a");
  });

  it("[COL-78] collects a watched folder when it changes, and stops watching when it is paused", async () => {
    await owner.sources.add({ source_id: "inbox", kind: "folder", settings: { path: "/inbox" } });
    await add("other");
    let isWatched = false;
    let change: () => void = () => undefined;
    start(runs.sync, ({ sourceId, settings }, { signal, onChange }) => {
      expect([sourceId, settings]).toEqual(["inbox", { path: "/inbox" }]);
      isWatched = true;
      change = onChange;
      signal.addEventListener("abort", () => {
        isWatched = false;
      });
    });
    await waitFor(() => expect(runs.started.toSorted()).toEqual(["inbox", "other"]));
    await runs.end("inbox");
    change();
    await waitFor(() => expect(runs.started).toHaveLength(3));
    // During a run: it is collected once more.
    change();
    change();
    await settle();
    expect(runs.started).toHaveLength(3);
    await runs.end("inbox");
    await waitFor(() => expect(runs.started.slice(2)).toEqual(["inbox", "inbox"]));
    await owner.sources.setPaused("inbox", true);
    clock.advance(15_000);
    await waitFor(() => expect(isWatched).toBe(false));
    await owner.sources.setPaused("inbox", false);
    clock.advance(15_000);
    await waitFor(() => expect(isWatched).toBe(true));
    await servers.pop()?.close();
    expect(isWatched).toBe(false);
  });
});
