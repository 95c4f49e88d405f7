import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildTinyManifest, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile, printedCommand, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { startServer } from "@pdpp/test-support/processes/server-process";
import { afterAll, expect, test } from "vitest";

const vault = createCliVault();
afterAll(() => vault.drop());

test("[CON-8] serve --demo shows a command that creates another sign-in link for its vault", async () => {
  const env = { ...cleanEnvironment(), HOME: vault.directory };
  const server = startServer(["--demo"], env);
  try {
    let shown = "";
    for await (const line of server.output) {
      shown += `${line}\n`;
      if (line.startsWith("another link")) break;
    }
    const [, url = ""] = /^serving +(\S+)$/m.exec(shown) ?? [];
    const [, words = ""] = new RegExp(`^another link +${RegExp.escape(printedCommand)} (.+)$`, "m").exec(shown) ?? [];
    const { stdout } = await promisify(execFile)(process.execPath, [pdppFile, ...words.split(" ")], { env });
    const code = new URL(stdout.trim()).hash.slice(1);
    const body = new URLSearchParams({ code });
    const entered = await fetch(`${url}/sign-in`, { method: "POST", body, redirect: "manual" });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
  } finally {
    await server.stop();
  }
});

test("[CLI-5] serve and doctor report a port used by pdpp, and a port used by another program", async () => {
  const first = startServer(["--json", "--data-dir", join(vault.directory, "first")], cleanEnvironment());
  const checkPort = async (port: string) => {
    const { stdout } = await vault.run(["doctor", "--port", port, "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    return checks.find(({ name }) => name === "port");
  };
  const stranger = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  try {
    const [line] = (await once(first.output, "line")) as [string];
    const { port } = new URL((JSON.parse(line) as { url: string }).url);
    const at = `http://127.0.0.1:${port}`;
    expect(await vault.run(["serve", "--port", port])).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: pdpp is already running at ${at}; stop it first, or add --port ${Number(port) + 1}\n`,
    });
    expect(await checkPort(port)).toEqual({ name: "port", state: "ok", detail: `pdpp is running at ${at}` });

    const other = String((stranger.address() as AddressInfo).port);
    expect(await vault.run(["serve", "--port", other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`port ${other} is taken`),
    });
    expect(await checkPort(other)).toMatchObject({ state: "warning", detail: `port ${other} is in use` });
  } finally {
    await first.stop();
    stranger.close();
  }
});

test("[CLI-10] a server stopped while it starts closes its vault and exits normally", async () => {
  const folder = join(vault.directory, "early");
  const server = startServer(["--json", "--demo", "--data-dir", folder], cleanEnvironment({ HOME: vault.directory }));
  await expect.poll(() => existsSync(join(folder, "vault.db"))).toBe(true);
  expect(await server.stop("SIGTERM")).toEqual([0, null]);
  expect(await runPdpp(["doctor", "--data-dir", folder, "--json"])).toMatchObject({ code: 0 });
});

test("serve says when it is ready, answers, stops on a signal, and logs what was read", async () => {
  await vault.json(["connector", "add", vault.file("notes.json", buildTinyManifest("notes", "notes"))]);
  await vault.json(["connection", "add", "notes", "--id", "n"]);
  const flags = ["--client", "Reader", "--connection", "n", "--stream", "notes"];
  const { token, grants } = await vault.json<{ token: string; grants: { grant_id: string }[] }>([
    "grant",
    "create",
    ...flags,
  ]);

  const server = startServer(["--json", "--data-dir", join(vault.directory, "vault")], cleanEnvironment());
  const [line] = (await once(server.output, "line")) as [string];
  const ready = JSON.parse(line) as { url: string };
  expect(ready).toEqual({
    event: "ready",
    url: expect.any(String),
    mcp_url: `${ready.url}/mcp`,
    console_url: `${ready.url}/`,
    sign_in_url: expect.stringMatching(/^http:\/\/localhost:\d+\/sign-in#[\w-]{22}$/),
  });
  const answer = await fetch(`${ready.url}/v1/streams?connection_id=n`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  expect(await server.stop("SIGTERM")).toEqual([0, null]);

  const grantId = grants[0]!.grant_id;
  const entry = {
    object: "access",
    client: "Reader",
    grant_ids: [grantId],
    operation: "streams",
    connection_ids: ["n"],
    status: 200,
    request: { operation: "streams", arguments: { connection_id: "n" } },
  };
  const data = [
    { kind: "act", operation: "grant.create", subject: "Reader" },
    { ...entry, kind: "read" },
  ];
  expect(await vault.json(["log", "--grant", grantId])).toMatchObject({ object: "list", data });
  expect((await vault.run(["log"])).stdout).toMatch(/\n\S+Z {2}Reader {2,}streams {2,}.* {2}connection_id=n\n/);
  expect(await vault.run(["log", "--grant", "grt_other"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("there is no grant or package"),
  });
});
