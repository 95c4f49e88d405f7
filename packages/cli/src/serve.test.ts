import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { cliVault, tinyManifest } from "../../../tests/support/cli-vault.ts";
import { cleanEnvironment, pdppFile } from "../../../tests/support/run-pdpp.ts";

const vault = cliVault();
afterAll(() => vault.drop());

test("serve says when it is ready, answers, stops on a signal, and the log tells what was read", async () => {
  await vault.json(["connector", "add", vault.file("notes.json", tinyManifest("notes", "notes"))]);
  await vault.json(["connection", "add", "notes", "--id", "n"]);
  const flags = ["--client", "Reader", "--connection", "n", "--stream", "notes"];
  const { token, grants } = await vault.json<{ token: string; grants: { grant_id: string }[] }>([
    "grant",
    "create",
    ...flags,
  ]);

  const args = ["serve", "--port", "0", "--json", "--data-dir", join(vault.directory, "vault")];
  const server = spawn(process.execPath, [pdppFile, ...args], {
    env: cleanEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const ready = JSON.parse(line) as { url: string };
  expect(ready).toEqual({
    event: "ready",
    url: expect.any(String),
    mcp_url: `${ready.url}/mcp`,
    console_url: `${ready.url}/`,
  });
  const answer = await fetch(`${ready.url}/v1/streams`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  server.kill("SIGTERM");
  expect(await once(server, "exit")).toEqual([0, null]);

  const grantId = grants[0]!.grant_id;
  const entry = {
    object: "access",
    client: "Reader",
    grant_ids: [grantId],
    operation: "streams",
    connection_ids: ["n"],
    status: 200,
  };
  expect(await vault.json(["log", "--grant", grantId])).toMatchObject({ object: "list", data: [entry] });
  expect((await vault.run(["log"])).stdout).toMatch(/^TIME .*\n\S+Z {2}Reader {2}streams {4}/);
  expect(await vault.run(["log", "--grant", "grt_other"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("there is no grant or package"),
  });
});
