import { appendFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest, prelude } from "./connector.ts";

const asking = {
  ...manifest,
  runtime_requirements: {
    bindings: { filesystem: { required: true } },
    environment_variables: ["SAMPLE_DIR", "NODE_OPTIONS"],
  },
  setup: { credential_capture: { fields: [{ name: "secret", env: ["SAMPLE_KEY"] }] } },
};

/** Counts its runs in its cursor, and stores what it was given. */
const script = `${prelude}
const { readFileSync } = await import("node:fs");
const runs = (start.state?.notes?.runs ?? 0) + 1;
if (process.env.SAMPLE_KEY === "wrong-key") {
  await done("failed", { error: { code: "auth", message: "the key wrong-key is not valid", retryable: false, recovery_hint: "refresh_credentials" } });
  await leave(1);
} else {
  await say({ type: "PROGRESS", message: "Run " + runs });
  await record("notes", "run-" + runs, { body: readFileSync(process.env.SAMPLE_DIR + "/note.txt", "utf8") });
  await record("notes", "variables", { body: [process.env.NODE_OPTIONS ?? "none", process.env.SAMPLE_KEY ?? "none"].join() });
  await state("notes", { runs });
  await done();
  await leave();
}
`;

describe("pdpp source", () => {
  let vault: CliVault;
  let folder: string;
  const list = <T>(data: { data: T[] }): T[] => data.data;
  const add = (...more: string[]) => ["source", "add", "connector", folder, ...more];
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
    folder = join(vault.directory, "sample-connector");
    mkdirSync(folder);
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(asking));
    writeFileSync(join(folder, "index.mjs"), script);
    mkdirSync(join(vault.directory, "given"));
    writeFileSync(join(vault.directory, "given", "note.txt"), "boiler");
    symlinkSync("/etc/passwd", join(folder, "link"));
  });
  afterAll(() => vault.drop());

  it("[COL-13] installs a connector by digest after the owner has approved what it asks for", async () => {
    const asked = await vault.run(add());
    expect(asked).toMatchObject({ code: 64, stdout: "" });
    expect(asked.stderr).toMatch(/Sample 1\.2\.0 \(sample\), sha256 [0-9a-f]{64}/);
    expect(asked.stderr).toContain("collects: notes, tasks, details, lists, marks");
    expect(asked.stderr).toContain("asks for: filesystem");
    expect(asked.stderr).toContain("reads variables: SAMPLE_DIR, SAMPLE_KEY");
    expect(asked.stderr).toContain("add --yes");
    expect(list(await vault.json<{ data: SourceDocument[] }>(["source", "list"]))).toEqual([]);

    const given = `SAMPLE_DIR=${join(vault.directory, "given")}`;
    expect(await vault.run(add("--yes", "--path", "NODE_OPTIONS=/tmp"))).toMatchObject({ code: 64 });
    const source = await vault.json<SourceDocument>(add("--yes", "--path", given));
    expect(source).toMatchObject({
      source_id: "sample",
      connection_id: "sample",
      status: "active",
      settings: { manifest: "manifest.json", entry: "index.mjs", version: "1.2.0" },
      asks_for: { bindings: ["filesystem"], variables: ["SAMPLE_DIR", "SAMPLE_KEY"] },
    });
    const installed = join(vault.directory, "vault", "connectors", String(source.settings.digest));
    expect(readdirSync(installed).sort()).toEqual(["index.mjs", "manifest.json"]);
    // The same files need no second approval; other files do.
    expect(await vault.json<SourceDocument>(add("--path", given))).toMatchObject({ source_id: "sample-2" });
    appendFileSync(join(folder, "index.mjs"), "\n// changed\n");
    expect(await vault.run(add())).toMatchObject({ code: 64 });
    expect(await vault.run(["source", "add", "connector", join(vault.directory, "given"), "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no manifest"),
    });
  });

  it("[COL-13] gives a path to a connector whose manifest names no variables", async () => {
    const quiet = join(vault.directory, "quiet-connector");
    mkdirSync(quiet);
    const { environment_variables: _, ...requirements } = asking.runtime_requirements;
    writeFileSync(join(quiet, "manifest.json"), JSON.stringify({ ...manifest, runtime_requirements: requirements }));
    writeFileSync(join(quiet, "index.mjs"), script);
    const given = join(vault.directory, "given");
    const addQuiet = (name: string) =>
      vault.run(["source", "add", "connector", quiet, "--yes", "--id", "quiet", "--path", `${name}=${given}`]);
    expect(await addQuiet("NODE_OPTIONS")).toMatchObject({ code: 64 });
    expect(await addQuiet("SAMPLE_DIR")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("(SAMPLE_DIR, which its manifest does not name)"),
    });
    const synced = await vault.json<{ data: RunDocument[] }>(["source", "sync", "quiet"]);
    expect(list(synced)).toMatchObject([{ status: "succeeded", tally: { streams: { notes: { stored: 2 } } } }]);
    await vault.run(["source", "remove", "quiet", "--yes"]);
  });

  it("[COL-14] syncs without a server, and shows how runs ended", async () => {
    const env = { SAMPLE_KEY: "right-key", NODE_OPTIONS: "" };
    const sync = (...more: string[]) =>
      vault.json<{ data: RunDocument[] }>(["source", "sync", "sample", ...more], { env });
    expect(list(await sync())).toMatchObject([{ status: "succeeded", tally: { streams: { notes: { stored: 2 } } } }]);
    expect(list(await sync())).toMatchObject([{ tally: { streams: { notes: { stored: 1, unchanged: 1 } } } }]);
    expect((await vault.run(["source", "show", "sample"])).stdout).not.toContain("{");
    expect(list(await sync("--full"))).toMatchObject([
      { mode: "full_refresh", tally: { streams: { notes: { stored: 0, unchanged: 2 } } } },
    ]);
    const failed = await vault.run(["source", "sync"], { env: { SAMPLE_KEY: "wrong-key" } });
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stdout).toContain("auth: the key [secret] is not valid");
    expect(failed.stdout).toContain("sign in with: npx pdpp source sign-in sample");
    const runs = list(await vault.json<{ data: RunDocument[] }>(["source", "runs", "sample"]));
    expect(runs.map(({ status }) => status)).toEqual(["failed", "succeeded", "succeeded", "succeeded"]);
    const shown = await vault.run(["source", "show", "sample"]);
    expect(shown.stdout).toContain(
      "sample: Needs a new password\n  sign in with: npx pdpp source sign-in sample\n  connector, into connection sample\n",
    );
    expect((await vault.run(["source", "list"])).stdout).toMatch(/sample +connector +Needs a new password +2/);
    expect((await vault.run(["source", "runs", "sample"])).stdout).not.toContain("wrong-key");
  });

  it("[COL-14] pauses, resumes and removes a source, and keeps its records", async () => {
    expect(await vault.json(["source", "pause", "sample"])).toMatchObject({ status: "paused" });
    expect(await vault.run(["source", "sync", "sample"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("pdpp source resume sample"),
    });
    expect(await vault.json(["source", "resume", "sample"])).toMatchObject({ status: "active" });
    expect(await vault.run(["source", "remove", "sample"])).toMatchObject({ code: 64 });
    expect(await vault.json(["source", "remove", "sample", "--yes"])).toMatchObject({ deleted: true });
    expect(await vault.run(["source", "show", "sample"])).toMatchObject({ code: 5 });
    expect(await vault.run(["source", "sync", "nothing"])).toMatchObject({ code: 5 });
    const { data } = await vault.json<{ data: { connection_id: string; record_count: number }[] }>([
      "connection",
      "list",
    ]);
    expect(data.find(({ connection_id }) => connection_id === "sample")).toMatchObject({ record_count: 3 });
  });

  it("[COL-71] chooses the schedule of a source", async () => {
    const schedule = (...more: string[]) => vault.run(["source", "schedule", "sample-2", ...more]);
    expect(await schedule()).toMatchObject({ code: 0, stdout: "sample-2 is collected every hour\n" });
    expect((await schedule("--every", "30m", "--quiet", "23:00-07:00")).stdout).toBe(
      "sample-2 is collected every 30 minutes, not between 23:00 and 07:00\n",
    );
    expect((await schedule("--every", "2d")).stdout).toContain("every 2 days, not between 23:00");
    expect((await schedule("--quiet", "none")).stdout).toBe("sample-2 is collected every 2 days\n");
    expect((await schedule("--manual")).stdout).toBe("sample-2 is collected only by hand\n");
    expect(await vault.json(["source", "show", "sample-2"])).not.toHaveProperty("next_run");
    expect(await schedule("--manual", "--every", "1h")).toMatchObject({ code: 64 });
    expect(await schedule("--every", "1s")).toMatchObject({ code: 64, stderr: expect.stringContaining("30m, 6h") });
    expect(await schedule("--quiet", "25:00-07:00")).toMatchObject({ code: 64 });
    expect((await schedule("--default")).stdout).toBe("sample-2 is collected every hour\n");
  });

  it("[COL-15] refuses a connector whose files have changed since, and still collects the others", async () => {
    const { settings } = await vault.json<SourceDocument>(["source", "show", "sample-2"]);
    appendFileSync(join(vault.directory, "vault", "connectors", String(settings.digest), "index.mjs"), "// evil");
    const changed = await vault.run(["source", "sync", "sample-2"]);
    expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining("have changed since you approved them") });
    await vault.json(add("--yes", "--id", "fresh", "--path", `SAMPLE_DIR=${join(vault.directory, "given")}`));
    const all = await vault.run(["source", "sync", "--json"]);
    expect(all.code).toBe(1);
    expect(list(JSON.parse(all.stdout) as { data: RunDocument[] })).toMatchObject([
      { source_id: "fresh", status: "succeeded" },
      { source_id: "sample-2", status: "not_started", error: { message: expect.stringContaining("have changed") } },
    ]);
  });
});
