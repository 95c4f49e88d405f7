import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { runWhileServing } from "@pdpp/test-support/processes/server-process";
import { afterAll, expect, it } from "vitest";

/** Runs the README's commands as written, in an empty folder. */

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "pdpp-readme-"));
const env = cleanEnvironment({ PDPP_DATA_DIR: join(folder, "vault"), HOME: folder, USERPROFILE: folder });
const command = `"${process.execPath}" "${pdppFile}"`;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("[SET-2] follows the owner's steps: manifest, connection, records, grant, and a client that reads just that", async () => {
  const script = /```sh\n([\s\S]+?)```/
    .exec(readme)![1]!
    .replace(/npx pdpp serve.*\n/, "")
    .replaceAll("npx pdpp", command);
  const { stdout } = await promisify(execFile)("bash", ["-euc", script], { cwd: folder, env });
  const token = /pdpp_client_\S+/.exec(stdout)![0];
  await runWhileServing([], env, async ({ url }) => {
    const response = await fetch(`${url}/v1/streams/notes/records`, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { data: { data: object }[] };
    expect(page.data.map(({ data }) => data)).toEqual([{ id: "n1", text: "Call the plumber" }]);
    const found = await fetch(`${url}/v1/search?q=plumber`, { headers: { authorization: `Bearer ${token}` } });
    expect(((await found.json()) as { data: object[] }).data).toHaveLength(1);
  });
});

it("follows the reader's steps: curl reads what npm start prints", async () => {
  const calls = [...readme.matchAll(/^ {4}curl (?:-g )?-H "Authorization: Bearer \$TOKEN" "?(http:\S+?)"?$/gm)].map(
    (found) => found[1]!,
  );
  expect(calls.length).toBeGreaterThanOrEqual(3);
  await runWhileServing(["--demo", "--data-dir", join(folder, "demo")], env, async ({ url, demo_token: token }) => {
    for (const call of calls) {
      const response = await fetch(call.replace("http://127.0.0.1:7663", url), {
        headers: { authorization: `Bearer ${token}` },
      });
      const body = (await response.json()) as { data?: object[]; groups?: object[] };
      expect([call, response.status, (body.groups ?? body.data)!.length > 0]).toEqual([call, 200, true]);
    }
  });
});

it("links only to documents that exist", () => {
  for (const [, path] of readme.matchAll(/\]\(([\w/.-]+)\)/g))
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).not.toBe("");
});
