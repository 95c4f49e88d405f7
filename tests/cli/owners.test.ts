import { buildTinyManifest, type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { runInProcess } from "@pdpp/test-support/cli/run-in-process";
import { afterAll, beforeAll, expect, it } from "vitest";

let files: CliVault;
const vault = {
  run: (args: readonly string[]) => runInProcess([...args, "--data-dir", `${files.directory}/vault`]),
  async json<T>(args: readonly string[]): Promise<T> {
    const ran = await vault.run([...args, "--json"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    return JSON.parse(ran.stdout);
  },
};
beforeAll(async () => {
  files = createCliVault();
  await vault.json(["connector", "add", files.file("notes.json", buildTinyManifest("notes", "entries"))]);
});
afterAll(() => files.drop());

it("[OWN-4] shows, sets and resets the owner's time zone", async () => {
  expect((await vault.run(["owner", "time-zone"])).stdout).toBe("UTC (the server's)\n");
  expect(await vault.json(["owner", "time-zone", "europe/berlin"])).toMatchObject({ time_zone: "Europe/Berlin" });
  expect((await vault.run(["owner", "time-zone"])).stdout).toBe("Europe/Berlin\n");
  const wrong = await vault.run(["owner", "time-zone", "Atlantis"]);
  expect([wrong.code === 0, wrong.stderr]).toEqual([false, expect.stringContaining("give an IANA name")]);
  expect((await vault.run(["owner", "time-zone", "UTC", "--reset"])).code).not.toBe(0);
  expect(await vault.json(["owner", "time-zone", "--reset"])).toMatchObject({ is_time_zone_set: false });
});

interface List<T> {
  readonly data: readonly T[];
}

it("[OWN-2] [OWN-3] starts with one owner; with several, every command asks which one", async () => {
  const listNames = async () =>
    (await vault.json<List<{ name: string }>>(["owner", "list"])).data.map(({ name }) => name);
  expect(await listNames()).toEqual(["owner"]);
  await vault.json(["connection", "add", "notes", "--id", "first-notes"]);
  await vault.json(["owner", "add", "grace"]);
  await vault.json(["owner", "rename", "owner", "ada"]);
  expect(await listNames()).toEqual(["ada", "grace"]);
  const unnamed = await vault.run(["connection", "list"]);
  expect([unnamed.code === 0, unnamed.stderr]).toEqual([false, expect.stringContaining("--owner: ada, grace")]);
  const listConnections = async (name: string) =>
    (await vault.json<List<{ connection_id: string }>>(["connection", "list", "--owner", name])).data;
  expect([(await listConnections("ada")).map((each) => each.connection_id), await listConnections("grace")]).toEqual([
    ["first-notes"],
    [],
  ]);
  await vault.json(["connection", "add", "notes", "--id", "first-notes", "--owner", "grace"]);
  const records = files.file("entries.ndjson", '{"data":{"id":"g1","title":"Mine","at":"2026-01-01T00:00:00Z"}}\n');
  await vault.json(["ingest", "first-notes", "entries", records, "--owner", "grace"]);
  expect((await listConnections("ada"))[0]).toMatchObject({ record_count: 0 });
  expect((await listConnections("grace"))[0]).toMatchObject({ record_count: 1 });

  const unknown = await vault.run(["connection", "list", "--owner", "eve"]);
  expect(unknown.stderr).toContain("there is no owner eve; this vault has: ada, grace");
  for (const name of ["grace", "removed 2", "", "a b", "../x"])
    expect((await vault.run(["owner", "add", name])).code).not.toBe(0);
  expect((await vault.run(["owner", "remove", "grace"])).stderr).toContain("1 records, all grants and all tokens");
  expect(await vault.json(["owner", "remove", "grace", "--yes"])).toMatchObject({ deleted: true, records_deleted: 1 });
  const last = await vault.run(["owner", "remove", "ada", "--yes"]);
  expect(last.stderr).toContain("at least one owner");
  expect((await vault.json<List<unknown>>(["connection", "list"])).data.length).toBe(1);
});
