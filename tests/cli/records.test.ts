import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { buildTinyManifest, createCliVault, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const vault = createCliVault({ isInProcess: true });
const parseLines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map(
      (line) =>
        JSON.parse(line) as { id: string; stream: string; connection_id: string; data: Record<string, unknown> },
    );
const listExported = async (...args: string[]) => parseLines((await vault.run(["export", ...args])).stdout);

beforeAll(async () => {
  await vault.json(["connector", "add", vault.file("notes.json", buildTinyManifest("notes", "notes"))]);
  await Promise.all(["a", "b", "c", "d", "e"].map((id) => vault.json(["connection", "add", "notes", "--id", id])));
});
afterAll(() => vault.drop());

const notes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ data: { id: `n${String(i).padStart(6, "0")}`, title: `Note ${i} ü` } }));

test.concurrent("what is exported can be ingested again", async () => {
  const blob = await vault.json<{ blob_id: string }>([
    "blob",
    "add",
    "a",
    vault.file("p.png", new Uint8Array([1, 2, 3])),
  ]);
  expect(blob).toEqual({
    blob_id: expect.any(String),
    mime_type: "image/png",
    size_bytes: 3,
    sha256: createHash("sha256")
      .update(new Uint8Array([1, 2, 3]))
      .digest("hex"),
  });
  const input = toNdjson([...notes(450), { data: { id: "with blob", title: "", blob_ref: blob } }]);
  expect(await vault.json(["ingest", "a", "notes", vault.file("a.ndjson", input)])).toMatchObject({
    records_accepted: 451,
  });

  const first = await listExported("--connection", "a");
  expect(first).toHaveLength(451);
  expect(first[0]).toMatchObject({
    object: "record",
    id: "n000000",
    stream: "notes",
    connection_id: "a",
    data: { title: "Note 0 ü" },
  });
  // A line that says where it belongs goes nowhere else.
  expect(await vault.run(["ingest", "b", "notes"], { input: toNdjson(first) })).toMatchObject({ code: 1 });
  const unnamed = first.map(({ id, data }) => ({ id, data }));
  await vault.json(["ingest", "b", "notes"], { input: toNdjson(unnamed) });
  const second = await listExported("--connection", "b", "--stream", "notes");
  expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  expect(second.slice(0, 450).map(({ data }) => data)).toEqual(first.slice(0, 450).map(({ data }) => data));

  const [list, empty] = await Promise.all([
    vault.json<{ data: unknown[] }>(["export", "--connection", "a"]),
    vault.json(["export", "--connection", "d"]),
    leaveEarly(),
  ]);
  expect(list.data).toEqual(first);
  expect(empty).toEqual({ object: "list", data: [] });
  expect(await vault.run(["export", "--stream", "nothing"])).toMatchObject({ code: 5, stdout: "" });
});

describe.concurrent("deleting and pruning", () => {
  test("one record, then all, then their history", async () => {
    await vault.json(["ingest", "c", "notes"], { input: toNdjson(notes(3)) });
    expect(await vault.run(["delete", "c", "notes", "n000001"])).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("--yes"),
    });
    expect(await vault.json(["delete", "c", "notes", "n000001", "--yes"])).toMatchObject({
      records_deleted: 1,
      record_id: "n000001",
    });
    expect(await vault.run(["delete", "c", "notes", "n000001", "--yes"])).toMatchObject({ code: 5 });
    expect((await listExported("--connection", "c")).map(({ id }) => id)).toEqual(["n000000", "n000002"]);
    expect(await vault.json(["delete", "c", "notes", "--yes"])).toMatchObject({ records_deleted: 2 });
    expect(await listExported("--connection", "c")).toEqual([]);
    expect(await vault.json(["prune", "--older-than", "1"])).toMatchObject({ object: "pruning", versions_pruned: 0 });
    const pruned = await vault.json<{ versions_pruned: number }>(["prune", "--older-than", "0"]);
    expect(pruned.versions_pruned).toBeGreaterThanOrEqual(3);
    expect(await vault.run(["connection", "remove", "c"])).toMatchObject({ code: 64 });
    expect(await vault.json(["connection", "remove", "c", "--yes"])).toMatchObject({
      connection_id: "c",
      deleted: true,
    });
    expect(await vault.run(["connection", "remove", "c", "--yes"])).toMatchObject({ code: 5 });
  });
});

test.concurrent("ingest fails when a line was rejected, and succeeds without lines", async () => {
  expect(await vault.run(["ingest", "d", "notes"], { input: "" })).toMatchObject({
    code: 0,
    stdout: "stored 0, unchanged 0, rejected 0\n",
  });
  const bad = await vault.run(["ingest", "d", "notes"], { input: "x\n".repeat(25) });
  expect(bad.code).toBe(1);
  expect(bad.stdout.trimEnd().split("\n")).toHaveLength(22);
  expect(bad.stdout).toContain("and 5 more");
});

test.concurrent("what --progress reported as stored survives kill -9", async () => {
  const args = ["ingest", "e", "notes", "-", "--progress", "--data-dir", join(vault.directory, "vault")];
  const child = spawn(process.execPath, [pdppFile, ...args], {
    env: cleanEnvironment(),
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.write(toNdjson(notes(1500)));
  const [chunk] = (await once(child.stderr, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(JSON.parse(chunk.toString())).toEqual({ event: "stored", accepted: 1000 });
  expect(await listExported("--connection", "e")).toHaveLength(1000);
});

/** A reader that goes away ends an export quietly. */
async function leaveEarly(): Promise<void> {
  const args = ["export", "--data-dir", join(vault.directory, "vault")];
  const child = spawn(process.execPath, [pdppFile, ...args], { env: cleanEnvironment() });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = await once(child, "exit");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}
