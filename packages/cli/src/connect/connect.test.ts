import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { cleanEnvironment, pdppFile, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { createPerson, type Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** `pdpp connect` as a process, and the person who decides. */
function connecting(url: string, home: string, more: readonly string[] = []) {
  const env = cleanEnvironment({ HOME: home, USERPROFILE: home, DISPLAY: "" });
  const child = spawn(process.execPath, [pdppFile, "connect", url, "--name", "My script", ...more], { env });
  const approval = Promise.withResolvers<string>();
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
    const found = /(http\S+\/device\S*)/.exec(err)?.[1];
    if (found !== undefined) approval.resolve(found);
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on("close", (code) => {
      approval.reject(new Error(err));
      resolve({ code, out, err });
    });
  });
  return { approval: approval.promise, ended };
}

describe("pdpp connect", () => {
  let vault: ServedVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await serveSampleVault();
    owner = createPerson(fetchNoFollow, () => false);
    const page = await owner.open(`${site()}/sign-in`);
    await owner.send(page, { code: vault.signInUrl });
  });
  afterAll(() => vault.close());
  const site = () => vault.url.replace("127.0.0.1", "localhost");
  const fetchNoFollow = (request: Request) => fetch(request, { redirect: "manual" });
  const decide = async (url: string, given: Record<string, string | string[]>) => {
    const confirm = await owner.send(await owner.open(url), {});
    return owner.send(await owner.send(confirm, { confirm: "yes" }), given);
  };

  it("[SET-7] waits while the owner decides, keeps the token for itself alone, and reads with it", async () => {
    const { approval, ended } = connecting(site(), vault.home);
    await decide(await approval, { account: ["chat_home"], part: ["chat_home/messages/text"], act: "allow" });
    const { code, out, err } = await ended;
    expect([code, err]).toEqual([0, expect.stringContaining("Waiting for the owner")]);
    expect(out).toContain(site());
    const file = join(vault.home, ".pdpp", "clients", `${new URL(site()).host.replace(":", "_")}.json`);
    const { credential } = JSON.parse(readFileSync(file, "utf8"));
    expect(out + err).not.toContain(credential.access_token);
    const env = { HOME: vault.home, USERPROFILE: vault.home };
    const read = await runPdpp(["read", "streams", "--json"], { env });
    expect([read.code, read.stdout]).toEqual([0, expect.stringContaining("messages")]);
    expect(read.stdout).not.toContain("order_lines");
    const again = await runPdpp(["connect", site()], { env });
    expect([again.code, again.stderr]).toEqual([64, expect.stringContaining("--replace")]);
  });

  it("[PUB-8] a command without a credential names the connect command, which gets one that it takes", async () => {
    const cacheRoot = join(vault.home, "a cache");
    const streams = () =>
      runPdpp(["read", "streams", "--provider-url", site(), "--cache-root", cacheRoot], { env: { HOME: vault.home } });
    const { code, stdout, stderr } = await streams();
    expect([code, stdout]).toEqual([2, ""]);
    const named = /pdpp connect (\S+) --cache-root '([^']+)';/.exec(stderr);
    expect(named?.slice(1)).toEqual([site(), cacheRoot]);
    const { approval, ended } = connecting(site(), vault.home, ["--cache-root", cacheRoot]);
    await decide(await approval, { account: ["chat_home"], part: ["chat_home/messages/text"], act: "allow" });
    expect((await ended).code).toBe(0);
    expect((await streams()).code).toBe(0);
  });

  it("[SET-7] says so when the owner shares nothing", async () => {
    const { approval, ended } = connecting(site(), join(vault.home, "other"));
    await decide(await approval, { act: "deny" });
    const { code, err } = await ended;
    expect([code, err]).toEqual([4, expect.stringContaining("the owner denied the request")]);
  });

  it("[SET-7] goes to no other server than the one that was named", async () => {
    const elsewhere = { issuer: "http://localhost:1", agent_connect_endpoint: "http://evil.example/agent-connect" };
    const server = await answering(() => ({ status: 200, body: elsewhere }));
    const { code, stderr } = await runPdpp(["connect", server.url], { env: { HOME: vault.home } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("which is on another server")]);
    server.close();
  });

  it("[SET-8] doctor meets the server as an agent does, and finds nothing to mend", async () => {
    const { code, stdout } = await runPdpp(["doctor", site(), "--json"]);
    const { ok, checks } = JSON.parse(stdout);
    expect([code, ok]).toEqual([0, true]);
    const names = ["encryption", "server", "challenge", "resource", "issuer", "sign-in"];
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it("[SET-8] doctor says which name a server goes by when it was reached by another", async () => {
    // A proxy that keeps the server's own name to itself.
    const server = await answering(async ({ url = "/", method = "GET" }) => {
      const answer = await fetch(`${site()}${url}`, { method });
      const body: unknown = await answer.json().catch(() => ({}));
      return { status: answer.status, body, challenge: answer.headers.get("www-authenticate") ?? "" };
    });
    const { code, stdout } = await runPdpp(["doctor", server.url]);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`the server identifies itself as ${site()}/mcp`)]);
    expect(stdout).toContain(`--public-url ${server.url}`);
    server.close();
  });

  it("[SET-8] doctor knows a server that is none of ours, and one that is not there", async () => {
    const server = await answering(() => ({ status: 404, body: {} }));
    const stranger = await runPdpp(["doctor", server.url]);
    expect([stranger.code, stranger.stdout]).toEqual([1, expect.stringContaining("returned 404 instead of 401")]);
    server.close();
    const gone = await runPdpp(["doctor", server.url]);
    expect([gone.code, gone.stdout]).toEqual([1, expect.stringContaining("is not reachable")]);
  });
});

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly challenge?: string;
}

async function answering(
  reply: (asked: { url?: string; method?: string }) => Reply | Promise<Reply>,
): Promise<{ readonly url: string; close(): Server }> {
  const server = createServer(async ({ url, method }, response) => {
    const { status, body, challenge } = await reply({ ...(url ? { url } : {}), ...(method ? { method } : {}) });
    response.writeHead(status, {
      "content-type": "application/json",
      connection: "close",
      ...(challenge ? { "www-authenticate": challenge } : {}),
    });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  return { url: `http://localhost:${typeof address === "object" ? address?.port : 0}`, close: () => server.close() };
}
