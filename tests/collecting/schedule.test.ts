import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunError, RunResult } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { leaveQuietHours } from "#server/store/sources/schedule";
import { manifest } from "./connector.ts";

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse("2026-11-02T12:00:00Z");

describe("the schedule of a source", () => {
  let vault: TestVault;
  let owner: OwnerApi;
  let now = start;
  beforeEach(async () => {
    now = start;
    vault = await createVault("sqlite");
    owner = createOwner({ store: vault.store, ownerNo: await findOwner(vault.store), now: () => now });
  });
  afterEach(() => vault.drop());

  const add = async (policy?: JsonObject) => {
    const declared = policy === undefined ? manifest : { ...manifest, capabilities: { refresh_policy: policy } };
    await owner.connectors.register(parseManifest(declared));
    await owner.connections.add({ connector_key: "sample", connection_id: "sample" });
    return owner.sources.add({ source_id: "sample", kind: "connector", connection_id: "sample", settings: { a: 1 } });
  };
  const finish = async (status: RunResult["status"], error?: RunError) => {
    const { run_id } = await owner.sources.beginRun("sample", { mode: "incremental", version: "1" });
    await owner.sources.finishRun(run_id, { status, cursors: {}, report: error === undefined ? {} : { error } });
    return measureDelay();
  };
  /** Until the next run, in minutes. */
  const measureDelay = async (): Promise<number | undefined> => {
    const { next_run } = await owner.sources.get("sample");
    return next_run === undefined ? undefined : (Date.parse(next_run) - now) / minute;
  };
  const expectDelay = (delay: number | undefined, minutes: number): void => {
    expect(delay).toBeGreaterThanOrEqual(minutes);
    expect(delay).toBeLessThanOrEqual(minutes * 1.1);
  };
  const failure = (more: Partial<RunError> = {}): RunError => ({
    code: "unreachable",
    message: "no answer",
    is_retryable: true,
    ...more,
  });

  it("[COL-71] is hourly without a policy, and due at once when added", async () => {
    const source = await add();
    expect(source.next_run).toBe("2026-11-02T12:00:00.000Z");
    expect(source.schedule).toEqual({ mode: "automatic", interval_seconds: 3600, minimum_interval_seconds: 60 });
    const delay = await finish("succeeded");
    expectDelay(delay, 60);
    // Runs are spread.
    expect(await finish("succeeded")).not.toBe(delay);
  });

  it("[COL-71] follows the manifest's interval and minimum", async () => {
    const { schedule } = await add({ recommended_interval_seconds: 1800, minimum_interval_seconds: 900 });
    expect(schedule).toMatchObject({ interval_seconds: 1800, minimum_interval_seconds: 900 });
    expectDelay(await finish("succeeded"), 30);
    await expect(owner.sources.setSchedule("sample", { interval_seconds: 600 })).rejects.toThrow("every 900 seconds");
    const changed = await owner.sources.setSchedule("sample", { interval_seconds: 1200 });
    expect(changed).toMatchObject({ schedule: { interval_seconds: 1200 }, settings: { a: 1 } });
    expect(await measureDelay()).toBe(0);
    expectDelay(await finish("succeeded"), 20);
  });

  it.each([{ recommended_mode: "manual" }, { background_safe: false }])(
    "[COL-71] does not schedule a connector with %j unless its owner sets an interval",
    async (policy) => {
      expect(await add(policy)).toMatchObject({ schedule: { mode: "manual" } });
      expect(await measureDelay()).toBeUndefined();
      expect(await finish("succeeded")).toBeUndefined();
      await owner.sources.setSchedule("sample", { interval_seconds: 3600 });
      expectDelay(await finish("succeeded"), 60);
      await owner.sources.setSchedule("sample", { mode: "manual" });
      expect(await measureDelay()).toBeUndefined();
    },
  );

  it("[COL-71] ignores a policy that makes no sense", async () => {
    const { schedule } = await add({ recommended_interval_seconds: "soon", minimum_interval_seconds: -5 });
    expect(schedule).toEqual({ mode: "automatic", interval_seconds: 3600, minimum_interval_seconds: 60 });
  });

  it("[COL-72] retries soon, then waits longer after each failure, up to a day", async () => {
    await add();
    const delays: number[] = [];
    for (let i = 0; i < 12; i += 1) delays.push((await finish("failed", failure())) ?? 0);
    for (const [i, delay] of delays.entries()) expectDelay(delay, Math.min(5 * 2 ** i, 24 * 60));
    // A cancelled run is not a failure.
    expectDelay(await finish("cancelled"), 60);
    expectDelay(await finish("failed", failure()), 24 * 60);
    expectDelay(await finish("succeeded"), 60);
    expectDelay(await finish("failed", failure({ is_retryable: false })), 60);
  });

  it("[COL-73] waits for the owner if the connector asks for them", async () => {
    await add();
    for (const recovery of ["refresh_credentials", "manual_action_required"]) {
      expect(await finish("failed", failure({ recovery }))).toBeUndefined();
      await owner.sources.setPaused("sample", false);
      expect(await measureDelay()).toBe(0);
    }
    expect(await finish("failed", failure({ recovery: "refresh_credentials" }))).toBeUndefined();
    await owner.sources.requestRun("sample");
    expect(await measureDelay()).toBe(0);
    expectDelay(await finish("failed", failure({ recovery: "retry_by_runtime" })), 40);
  });

  it("[COL-78] keeps a request that came during a run", async () => {
    await add();
    const { run_id } = await owner.sources.beginRun("sample", { mode: "incremental", version: "1" });
    await owner.sources.requestRun("sample");
    await owner.sources.finishRun(run_id, { status: "succeeded", cursors: {}, report: {} });
    expect(await measureDelay()).toBe(0);
    expectDelay(await finish("succeeded"), 60);
  });

  it("[COL-70] has no next run while it is paused", async () => {
    await add();
    await owner.sources.setPaused("sample", true);
    expect(await measureDelay()).toBeUndefined();
    await owner.sources.requestRun("sample");
    expect(await measureDelay()).toBeUndefined();
    await owner.sources.setPaused("sample", false);
    expect(await measureDelay()).toBe(0);
  });

  it("[COL-77] says since when a source fails", async () => {
    await add();
    await finish("succeeded");
    now += hour;
    await finish("failed", failure());
    const since = now;
    now += hour;
    await finish("failed", failure());
    expect(await owner.sources.get("sample")).toMatchObject({ failing_since: new Date(since).toISOString() });
    now += hour;
    await finish("succeeded");
    expect(await owner.sources.get("sample")).not.toHaveProperty("failing_since");
  });

  it("[COL-76] moves a run out of the quiet hours of the owner's zone", async () => {
    await owner.setTimeZone("Europe/Berlin");
    await add();
    await owner.sources.setSchedule("sample", { quiet_hours: { from: "23:00", to: "07:00" } });
    now = Date.parse("2026-11-02T21:30:00Z");
    // 22:30 in Berlin; an hour later it is quiet until 07:00, which is 06:00 UTC.
    await finish("succeeded");
    expect((await owner.sources.get("sample")).next_run).toBe("2026-11-03T06:00:00.000Z");
  });

  it("[COL-76] ends quiet hours at the written time, also when the clocks change", () => {
    const night = { from: "23:00", to: "07:00" };
    const leave = (at: string) => new Date(leaveQuietHours(night, "Europe/Berlin", Date.parse(at))).toISOString();
    expect(leave("2026-10-24T22:30:00Z")).toBe("2026-10-25T06:00:00.000Z");
    expect(leave("2026-03-28T22:30:00Z")).toBe("2026-03-29T05:00:00.000Z");
    expect(leave("2026-11-02T06:00:00Z")).toBe("2026-11-02T06:00:00.000Z");
    expect(leave("2026-11-02T05:59:59Z")).toBe("2026-11-02T06:00:00.000Z");
    const noon = leaveQuietHours({ from: "12:00", to: "14:00" }, "UTC", Date.parse("2026-11-02T13:00:00Z"));
    expect(new Date(noon).toISOString()).toBe("2026-11-02T14:00:00.000Z");
  });
});
