import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { measureExportMemory } from "@pdpp/test-support/cli/export-memory";
import { type ReadServer, startReadServer } from "@pdpp/test-support/cli/read-server";
import { afterAll, beforeAll, expect, test } from "vitest";

const count = 20_000;

let server: ReadServer;
beforeAll(async () => {
  server = await startReadServer(function* () {
    for (let i = 0; i < count; i += 1)
      yield { id: `m${String(i).padStart(6, "0")}`, subject: `Mail ${i}`, body: "All is well. ".repeat(20) };
  });
});
afterAll(() => server.close());

const formatHandle = (n: number): string => `cin_x/mails:m${String(n).padStart(6, "0")}`;

const listIds = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id as string);

test("[BIG-5] an export of all records needs little more memory than one of two", async () => {
  const two = await measureExportMemory(server, ["--after", formatHandle(count - 3)]);
  const all = await measureExportMemory(server);
  expect([two.lines, all.lines]).toEqual([2, count]);
  expect(all.peakMb - two.peakMb).toBeLessThan(100);
});

test("[BIG-5] an export ends quietly when its reader disconnects", async () => {
  expect(await server.shell("pdpp read export 2> err | head -n 3 | wc -l; cat err")).toMatchObject({
    code: 0,
    stdout: "3\n",
  });
});

test("[BIG-5] an export resumes after a record, and in an incomplete file", async () => {
  const file = join(server.directory, "mails.ndjson");
  const { code, stdout } = await server.run(["read", "export", "--output", file, "--json"]);
  expect([code, JSON.parse(stdout)]).toEqual([0, { object: "export", output: file, records: count, resumed: false }]);
  const whole = readFileSync(file, "utf8");

  const rest = await server.run(["read", "export", "--after", formatHandle(count - 3)]);
  expect(listIds(rest.stdout)).toEqual([`m0${count - 2}`, `m0${count - 1}`]);

  expect(await server.run(["read", "export", "--output", file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--resume"),
  });
  truncateSync(file, Math.floor(whole.length / 2));
  expect(await server.run(["read", "export", "--output", file, "--resume"])).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe(whole);
  expect(
    JSON.parse((await server.run(["read", "export", "--output", file, "--resume", "--json"])).stdout),
  ).toMatchObject({ records: 0, resumed: true });
  appendFileSync(file, "something else\n");
  expect(await server.run(["read", "export", "--output", file, "--resume"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not an exported record"),
  });
});
