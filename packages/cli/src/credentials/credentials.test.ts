import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CredentialError, reportFailure, UsageError } from "../runtime/failure.ts";
import { type CredentialRequest, findClientCredential, saveCredential } from "./credentials.ts";

const token = `pdpp_client_${"a".repeat(43)}`;
const otherToken = `pdpp_client_${"b".repeat(43)}`;
const ownerToken = `pdpp_owner_${"c".repeat(43)}`;
const local = "http://127.0.0.1:7663";
const before = process.cwd();

let home: string;
let root: string;
let project: string;
let warnings: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pdpp-home-"));
  root = join(home, ".pdpp");
  project = join(home, "project");
  mkdirSync(project);
  process.chdir(project);
  warnings = [];
});
afterEach(() => {
  process.chdir(before);
  rmSync(home, { recursive: true, force: true });
});

const ask = (request: Partial<CredentialRequest> = {}, env: Record<string, string> = {}) =>
  findClientCredential({
    ...request,
    env: { HOME: home, USERPROFILE: home, ...env },
    warn: (text) => warnings.push(text),
  });

function catchFailure(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    for (const secret of [token, otherToken, ownerToken]) expect(String(error)).not.toContain(secret);
    return error as Error;
  }
  throw new Error("it did not fail");
}

const expectMissing = (text: string | RegExp) => ({
  reason: expect.stringMatching(/^(missing|unusable)$/),
  message: expect.stringMatching(text),
  details: {
    next_step: expect.stringContaining("pdpp grant create --client NAME --connection ID --stream STREAM --save"),
  },
});

function write(body: unknown, where = root, name = "127.0.0.1_7663.json"): string {
  mkdirSync(join(where, "clients"), { recursive: true });
  const path = join(where, "clients", name);
  writeFileSync(path, typeof body === "string" ? body : JSON.stringify(body));
  return path;
}

describe("the cache", () => {
  test("has the layout of the public protocol, and nobody else can read it", () => {
    const path = saveCredential(root, {
      providerUrl: "https://me:secret@Vault.Example.org:8443/?a=b#c",
      accessToken: token,
      expiresAt: "2999-01-01T00:00:00.000Z",
      grantId: "grt_1",
    });
    expect(path).toBe(join(root, "clients", "vault.example.org_8443.json"));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      provider_url: "https://vault.example.org:8443",
      authorization_server: "https://vault.example.org:8443",
      scope: "pdpp:read",
      client: null,
      credential: {
        access_token: token,
        token_type: "Bearer",
        expires_at: "2999-01-01T00:00:00.000Z",
        grant_id: "grt_1",
        scope: "pdpp:read",
      },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, "clients")).mode & 0o777).toBe(0o700);
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, "clients"))).toEqual(["vault.example.org_8443.json"]);
  });

  test("of a project is kept out of its repository, and the folder's looser mode is mended", () => {
    const own = join(project, ".pdpp");
    mkdirSync(join(own, "clients"), { recursive: true, mode: 0o755 });
    chmodSync(join(own, "clients"), 0o755);
    saveCredential(own, { providerUrl: local, accessToken: token });
    expect(readFileSync(join(own, ".gitignore"), "utf8")).toBe("*\n!.gitignore\n");
    expect(statSync(join(own, "clients")).mode & 0o777).toBe(0o700);
  });
});

describe("the credential of a client", () => {
  test("[SET-6] comes from the home, or from a given root alone, and never from the folder of the moment", () => {
    const inHome = saveCredential(root, { providerUrl: local, accessToken: token });
    expect(ask()).toMatchObject({ providerUrl: local, accessToken: token, from: inHome });
    expect(ask({ providerUrl: `${local}/` })).toMatchObject({ from: inHome });
    const project = join(process.cwd(), ".pdpp");
    const inProject = saveCredential(project, { providerUrl: local, accessToken: otherToken });
    saveCredential(project, { providerUrl: "https://evil.example", accessToken: otherToken });
    expect(ask()).toMatchObject({ providerUrl: local, accessToken: token, from: inHome });
    expect(catchFailure(() => ask({ providerUrl: "https://evil.example" }))).toMatchObject(
      expectMissing("no saved credential for"),
    );
    expect(ask({ cacheRoot: ".pdpp", providerUrl: local })).toMatchObject({ accessToken: otherToken, from: inProject });
    const given = join(home, "elsewhere");
    expect(catchFailure(() => ask({ cacheRoot: given }))).toMatchObject(expectMissing("no saved credential"));
    const path = saveCredential(given, { providerUrl: local, accessToken: token });
    expect(ask({}, { PDPP_CACHE_ROOT: given })).toMatchObject({ accessToken: token, from: path });
  });

  test("of the environment comes before the cache", () => {
    expect(ask({}, { PDPP_ACCESS_TOKEN: `${token}\n` })).toEqual({
      providerUrl: local,
      accessToken: token,
      from: "environment",
    });
    saveCredential(root, { providerUrl: "https://vault.example.org", accessToken: otherToken });
    const env = { PDPP_ACCESS_TOKEN: token };
    expect(ask({}, env)).toMatchObject({ providerUrl: "https://vault.example.org", accessToken: token });
    expect(ask({}, { ...env, PDPP_PROVIDER_URL: "https://a.example" })).toMatchObject({
      providerUrl: "https://a.example",
    });
    expect(
      ask({ providerUrl: "https://b.example/x/" }, { ...env, PDPP_PROVIDER_URL: "https://a.example" }),
    ).toMatchObject({
      providerUrl: "https://b.example/x",
    });
    expect(catchFailure(() => ask({}, { PDPP_ACCESS_TOKEN: "two words" }))).toMatchObject({ reason: "unusable" });
  });

  test("of the environment is not sent where a file of the current folder says", () => {
    saveCredential(join(process.cwd(), ".pdpp"), { providerUrl: "https://evil.example", accessToken: otherToken });
    expect(ask({}, { PDPP_ACCESS_TOKEN: token })).toMatchObject({ providerUrl: local });
  });

  test("for one of several servers has to be chosen, unless the others have ended", () => {
    saveCredential(root, { providerUrl: local, accessToken: token });
    saveCredential(root, { providerUrl: "https://old.example", accessToken: otherToken, expiresAt: "2020-01-01" });
    expect(ask()).toMatchObject({ providerUrl: local });
    saveCredential(root, { providerUrl: "https://vault.example.org", accessToken: otherToken });
    const error = catchFailure(ask);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(`${local}, https://vault.example.org; choose one with --provider-url URL`);
    expect(ask({}, { PDPP_PROVIDER_URL: "https://vault.example.org" })).toMatchObject({ accessToken: otherToken });
  });

  test("[SET-5] when missing, ended, malformed, unreadable or another server's says how to get one", () => {
    expect(catchFailure(ask)).toMatchObject(expectMissing(/^no saved credential$/));
    const wanted = { providerUrl: "https://vault.example.org" };
    expect(catchFailure(() => ask(wanted))).toMatchObject({
      details: { next_step: expect.stringMatching(/--save --provider-url https:\/\/vault\.example\.org$/) },
    });
    for (const bad of ["{", "null", "[]", "7", {}, { provider_url: local }, { provider_url: local, credential: {} }]) {
      const path = write(bad);
      expect(catchFailure(ask)).toMatchObject(expectMissing(`${path} is not a client credential`));
      expect(catchFailure(() => ask({ providerUrl: local }))).toMatchObject(
        expectMissing("is not a client credential"),
      );
    }
    write({ provider_url: local, credential: { access_token: token, expires_at: "2020-01-01T00:00:00Z" } });
    expect(catchFailure(ask)).toMatchObject(expectMissing("expired at 2020-01-01T00:00:00Z"));
    write({ provider_url: "https://127.0.0.1:7663/other", credential: { access_token: token } });
    expect(catchFailure(() => ask({ providerUrl: local }))).toMatchObject(
      expectMissing(`for https://127.0.0.1:7663/other, not for ${local}`),
    );
    rmSync(join(root, "clients"), { recursive: true });
    mkdirSync(join(root, "clients", "127.0.0.1_7663.json"), { recursive: true });
    expect(catchFailure(ask)).toMatchObject(expectMissing("cannot be read"));
  });

  test("[AUT-1] is never an owner's", () => {
    for (const name of ["kind", "role", "token_kind", "pdpp_token_kind"]) {
      write({ provider_url: local, credential: { access_token: token, [name]: "Owner" } });
      expect(catchFailure(ask)).toMatchObject({ reason: "owner" });
      write({ provider_url: local, [name]: "OWNER_AGENT", credential: { access_token: token } });
      expect(catchFailure(ask)).toMatchObject({ reason: "owner" });
    }
    write({ provider_url: local, credential: { access_token: token, kind: "client" } });
    expect(ask()).toMatchObject({ accessToken: token });
    write({ provider_url: local, credential: { access_token: ownerToken } });
    expect(catchFailure(ask)).toMatchObject({ reason: "owner" });
    expect(catchFailure(() => ask({}, { PDPP_ACCESS_TOKEN: ownerToken }))).toMatchObject({ reason: "owner" });
  });

  test("[AUT-1] is refused while an owner's is in the environment, where that is asked for", () => {
    saveCredential(root, { providerUrl: local, accessToken: token });
    for (const name of ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"]) {
      expect(ask({}, { [name]: ownerToken })).toMatchObject({ accessToken: token });
      const error = catchFailure(() => ask({ refuseOwner: true }, { [name]: ownerToken }));
      expect(error).toMatchObject({ reason: "owner", message: expect.stringContaining(name) });
    }
    expect(ask({ refuseOwner: true }, { PDPP_OWNER_TOKEN: "" })).toMatchObject({ accessToken: token });
  });

  test("warns of an unencrypted way, and refuses what is no server's address without repeating secrets", () => {
    const env = { PDPP_ACCESS_TOKEN: token };
    for (const url of [local, "http://localhost:1", "http://[::1]:1", "https://vault.example.org"])
      ask({ providerUrl: url }, env);
    expect(warnings).toEqual([]);
    ask({ providerUrl: "http://vault.example.org" }, env);
    expect(warnings).toEqual([expect.stringContaining("http://vault.example.org is not encrypted")]);
    for (const url of ["vault.example.org", "localhost:7663", "ftp://me:hidden@vault.example.org?hidden#hidden"]) {
      const error = catchFailure(() => ask({ providerUrl: url }, env));
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).not.toContain("hidden");
    }
  });
});

test("exit codes are those of the public protocol", () => {
  const quiet = process.stderr.write;
  process.stderr.write = () => true;
  try {
    const codes = (command?: string) =>
      [new UsageError("x"), new CredentialError("owner", "x", "y"), new CredentialError("missing", "x", "y")].map(
        (error) => reportFailure(error, false, command),
      );
    expect(codes()).toEqual([64, 77, 78]);
    expect(codes("mcp")).toEqual([64, 77, 78]);
    expect(codes("read")).toEqual([2, 2, 2]);
  } finally {
    process.stderr.write = quiet;
  }
});
