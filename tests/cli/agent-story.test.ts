import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buildTinyManifest, type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, printedCommand, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { type Ready, runWhileServing } from "@pdpp/test-support/processes/server-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveCredential } from "../../packages/cli/src/credentials/credentials.ts";

const local = "http://127.0.0.1:7663";
const flags = ["grant", "create", "--client", "Agent", "--connection", "n", "--stream", "notes"];

let vault: CliVault;
const vaults: CliVault[] = [];
afterAll(() => vaults.forEach((held) => void held.drop()));
const openVault = (): CliVault => {
  const made = createCliVault();
  vaults.push(made);
  return made;
};

beforeAll(async () => {
  vault = openVault();
  await vault.json(["connector", "add", vault.file("notes.json", buildTinyManifest("notes", "notes"))]);
  await vault.json(["connection", "add", "notes", "--id", "n"]);
});

const locateFile = (...parts: string[]): string => join(vault.directory, ...parts);
const readBody = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const findToken = (path: string): string => readBody(path).credential.access_token;
const grantsLeft = async () =>
  (await vault.json<{ data: { status: string }[] }>(["grant", "list"])).data.filter(
    ({ status }) => status === "active",
  );

const withServedVault = <T>(held: CliVault, args: readonly string[], work: (ready: Ready) => Promise<T>): Promise<T> =>
  runWhileServing(
    ["--data-dir", join(held.directory, "vault"), ...args],
    cleanEnvironment({ HOME: held.directory, USERPROFILE: held.directory }),
    work,
  );

test("[SET-2] grant create --save keeps the token for agents instead of showing it", async () => {
  const path = locateFile(".pdpp", "clients", "127.0.0.1_7663.json");
  const ran = await vault.run([...flags, "--save", "--expires", "2999-01-01"]);
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("pdpp setup CLIENT") });
  expect(ran.stdout).toContain(path);
  const token = findToken(path);
  expect(token).toMatch(/^pdpp_client_/);
  expect(ran.stdout + ran.stderr).not.toContain(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readBody(path)).toMatchObject({
    provider_url: local,
    credential: { expires_at: "2999-01-01T00:00:00.000Z", grant_id: expect.stringMatching(/^grt_/) },
  });

  const before = await grantsLeft();
  const refused = await vault.run([...flags, "--save"]);
  expect(refused).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("add --replace") });
  expect(refused.stderr).not.toContain(token);
  expect(await grantsLeft()).toEqual(before);
  expect(findToken(path)).toBe(token);

  const replaced = await vault.json<Record<string, unknown>>([...flags, "--save", "--replace"]);
  expect(replaced).toEqual({ grants: [expect.any(Object)], saved_to: path, provider_url: local });
  expect(findToken(path)).not.toBe(token);

  const root = locateFile("elsewhere");
  const other = ["--save", "--provider-url", "https://Vault.example.org/", "--cache-root", root];
  expect(await vault.json([...flags, ...other])).toMatchObject({
    saved_to: join(root, "clients", "vault.example.org.json"),
    provider_url: "https://vault.example.org",
  });
  expect(await vault.run([...flags, "--replace"])).toMatchObject({ code: 64 });
  expect(await vault.run([...flags, "--save", "--provider-url", "x"])).toMatchObject({ code: 64 });
});

test("revokes a grant at once if its token cannot be saved", async () => {
  const before = (await grantsLeft()).length;
  const blocked = vault.file("blocked", "a file, where a folder is needed");
  expect(await vault.run([...flags, "--save", "--cache-root", blocked])).toMatchObject({ code: 1, stdout: "" });
  expect(await grantsLeft()).toHaveLength(before);
});

interface Doctor {
  readonly ok: boolean;
  readonly checks: { name: string; state: string; detail: string; advice?: string }[];
}

async function runDoctor(args: readonly string[], env: Record<string, string> = {}) {
  const ran = await vault.run(["doctor", "--port", "1", "--json", ...args], { env });
  const { checks } = JSON.parse(ran.stdout) as Doctor;
  return { ran, of: (name: string) => checks.find((check) => check.name === name) };
}

test("[SET-5] doctor lists what an agent is missing, and how to fix each", async () => {
  const root = locateFile("doctored");
  const scoped = ["--cache-root", root];
  const none = await runDoctor(scoped);
  expect(none.of("agents")).toMatchObject({ state: "warning", advice: expect.stringContaining("--save") });
  expect(none.of("server")).toBeUndefined();
  expect(none.of("adapter")).toMatchObject({ state: "ok" });
  expect((await runDoctor(scoped, { PDPP_OWNER_TOKEN: "x" })).of("adapter")).toMatchObject({
    state: "warning",
    advice: "start agents without PDPP_OWNER_TOKEN",
  });

  await withServedVault(vault, [], async ({ url }) => {
    const made = await vault.json<{ saved_to: string; grants: { grant_id: string }[] }>([
      ...[...flags, "--save", "--provider-url", url],
      ...scoped,
    ]);
    const good = await runDoctor(scoped);
    expect(good.of("agents")).toMatchObject({ state: "ok", detail: expect.stringContaining(made.saved_to) });
    expect([good.of("server")?.state, good.of("token")?.state]).toEqual(["ok", "ok"]);
    await vault.json(["grant", "revoke", made.grants[0]!.grant_id]);
    const revoked = await runDoctor(scoped);
    expect(revoked.ran.code).toBe(1);
    expect(revoked.of("token")).toMatchObject({ state: "failed", advice: expect.stringContaining("--save") });
    expect(revoked.ran.stdout).not.toContain(findToken(made.saved_to));
  });
  const away = await runDoctor(scoped);
  expect(away.of("server")).toMatchObject({ state: "warning", advice: expect.stringContaining("pdpp serve") });
  expect(away.of("token")).toBeUndefined();

  const ended = locateFile("ended");
  saveCredential(ended, { providerUrl: local, accessToken: `pdpp_client_${"a".repeat(43)}`, expiresAt: "2020-01-01" });
  expect((await runDoctor(["--cache-root", ended])).of("agents")).toMatchObject({ state: "failed" });
});

test("[CLI-6] reports a saved token that the server does not know, with the command to get another", async () => {
  const root = locateFile("stale");
  const scoped = ["--cache-root", root];
  const accessToken = `pdpp_client_${"a".repeat(43)}`;
  await withServedVault(vault, [], async ({ url }) => {
    const message = `the saved token for ${url} is unknown to this server: it now serves another vault, or the grant was deleted`;
    const formatNextStep = (more: string) =>
      `connect again with: ${printedCommand} connect ${url}${more} --cache-root ${root}`;
    for (const [demo, more] of [
      [true, ""],
      [false, " --replace"],
    ] as const) {
      saveCredential(root, { providerUrl: url, accessToken, demo });
      const read = await runPdpp(["read", "search", "boiler", ...scoped]);
      expect([read.code, read.stdout]).toEqual([3, ""]);
      expect(read.stderr).toMatch(/\nrequest \S+\n$/);
      expect(read.stderr.replace(/\nrequest.*/s, "")).toBe(`error: ${message}\n${formatNextStep(more)}`);
      const found = await runDoctor(scoped);
      expect([found.ran.code, found.of("token")]).toEqual([
        1,
        { name: "token", state: "failed", detail: message, advice: formatNextStep(more) },
      ]);
    }
    const env = { PDPP_ACCESS_TOKEN: accessToken };
    const told = await runPdpp(["read", "streams", url], { env });
    expect([told.code, told.stderr]).toEqual([3, expect.stringContaining("the bearer token is unknown")]);
  });
});

test("[AUT-1] doctor never sends the token to the target of a redirect", async () => {
  const seen: (string | undefined)[] = [];
  const target = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  const source = createServer((_request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` }).end();
  }).listen(0, "127.0.0.1");
  await Promise.all([target, source].map(async (server) => server.listening || (await once(server, "listening"))));
  try {
    const env = {
      PDPP_ACCESS_TOKEN: `pdpp_client_${"a".repeat(43)}`,
      PDPP_PROVIDER_URL: `http://127.0.0.1:${(source.address() as AddressInfo).port}`,
    };
    expect((await runDoctor([], env)).of("token")).toMatchObject({ state: "warning" });
    expect(seen).toEqual([]);
  } finally {
    target.close();
    source.close();
  }
});

test("[SET-1] serve --demo leaves one step to connect an agent, and does not touch a real credential", async () => {
  const demo = openVault();
  const path = join(demo.directory, ".pdpp", "clients", "127.0.0.1_7663.json");
  // Clients get the default address; the port is free, so that tests do not collide.
  const atDefault = ["--demo", "--public-url", local];
  await withServedVault(demo, ["--demo"], async ({ saved_to }) => expect(saved_to).not.toBe(path));
  expect(readdirSync(join(demo.directory, ".pdpp", "clients"))).toEqual([]);
  await withServedVault(demo, atDefault, async ({ demo_token, saved_to }) => {
    expect(saved_to).toBe(path);
    expect(readBody(path)).toMatchObject({ demo: true, credential: { access_token: demo_token } });
  });
  const wired = await demo.run(["setup", "claude-code", "--write"]);
  expect(wired).toMatchObject({ code: 0, stderr: "" });

  const own = { ...readBody(path), demo: false };
  writeFileSync(path, JSON.stringify(own));
  await withServedVault(demo, atDefault, async (ready) => expect(ready).not.toHaveProperty("saved_to"));
  expect(readBody(path)).toEqual(own);
});
