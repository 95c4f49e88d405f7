import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore, type Store } from "@pdpp/server/store/store";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { OAuthSession } from "#collecting/credentials/contents";
import { type Credentials, openCredentials } from "#collecting/credentials/credentials";
import { raw } from "#server/store/engine/sql";
import { manifest, prelude } from "../connector.ts";
import { type ForeignProvider, startProvider } from "./foreign-provider.ts";

const asking = {
  ...manifest,
  runtime_requirements: { environment_variables: ["SAMPLE_REFUSED"] },
  setup: {
    credential_capture: {
      fields: [
        { name: "password", env: "SAMPLE_PASSWORD", secret: true },
        { name: "access_token", env: "SAMPLE_ACCESS_TOKEN", secret: true },
      ],
    },
  },
};

/** Stores a digest of each access token, and its whole environment. With `SAMPLE_PASSWORD=again` it asks for another token, twice. */
const script = `${prelude}
const { createHash } = await import("node:crypto");
const digest = (text) => createHash("sha256").update(text ?? "none").digest("hex");
await record("notes", "token", { body: digest(process.env.SAMPLE_ACCESS_TOKEN) });
await record("notes", "environment", { body: JSON.stringify(process.env) });
const refused = process.env.SAMPLE_REFUSED;
if (refused === "all" || refused === digest(process.env.SAMPLE_ACCESS_TOKEN)) {
  await done("failed", { error: { code: "auth", message: "refused", retryable: false, recovery_hint: "refresh_credentials" } });
  await leave(1);
  process.exit(1);
}
if (process.env.SAMPLE_PASSWORD === "again") {
  const schema = { type: "object", properties: { SAMPLE_ACCESS_TOKEN: { type: "string" } } };
  for (const id of ["first", "second"]) {
    await say({ type: "INTERACTION", request_id: id, kind: "credentials", message: "The token has expired", schema });
    const { status, data } = await reply();
    await record("notes", id, { body: status + " " + digest(data?.SAMPLE_ACCESS_TOKEN) });
    await say({ type: "PROGRESS", message: "got " + data?.SAMPLE_ACCESS_TOKEN });
  }
}
await done();
await leave();
`;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a source that signs in at a provider", () => {
  let vault: CliVault;
  let provider: ForeignProvider;
  let dataDir: string;
  beforeAll(async () => {
    provider = await startProvider();
    vault = createCliVault({ isInProcess: true });
    dataDir = join(vault.directory, "vault");
    const folder = join(vault.directory, "connector");
    mkdirSync(folder);
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(asking));
    writeFileSync(join(folder, "index.mjs"), script);
    await vault.json(["source", "add", "connector", folder, "--yes", "--id", "one"]);
  });
  afterEach(() => {
    provider.accessTokenSeconds = 3600;
    provider.onRefreshed = () => undefined;
  });
  afterAll(async () => {
    vault.drop();
    await provider.stop();
  });

  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, [pdppFile, "source", ...args, "--data-dir", dataDir], {
      env: cleanEnvironment({
        HOME: vault.directory,
        PDPP_KEY_DIR: join(vault.directory, "keys"),
        PDPP_SOURCE_KEY: "file",
      }),
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
    const ended = new Promise<{ code: number | null; text: string }>((resolve) =>
      child.once("close", (code) => resolve({ code, text })),
    );
    return { child, ended, read: () => text };
  };
  const describeSignIn = (...more: string[]) => [
    ...["sign-in", "one", "--oauth", "custom", "--issuer", provider.issuer, "--client-id", provider.clientId],
    ...["--scope", "openid offline_access mail", "--no-browser", ...more],
  ];
  /** The access token is about to expire from the beginning, unless `lasts`. */
  const signIn = async (lasts = false) => {
    provider.accessTokenSeconds = lasts ? 3600 : 1;
    const signing = start(describeSignIn());
    await expect.poll(signing.read).toMatch(/^http:.*\n/m);
    const [url = ""] = /^http:.*$/m.exec(signing.read()) ?? [];
    await provider.visit(url);
    const signed = await signing.ended;
    expect(signed, signed.text).toMatchObject({ code: 0 });
    provider.accessTokenSeconds = 3600;
    return signed;
  };
  const sync = async (env: Record<string, string> = {}): Promise<RunDocument | undefined> => {
    const ran = await vault.run(["source", "sync", "one", "--json"], { env });
    return (JSON.parse(ran.stdout) as { data: RunDocument[] }).data[0];
  };
  const show = () => vault.json<SourceDocument>(["source", "show", "one"]);
  const countRefreshes = (): number => provider.requests.get("refresh_token") ?? 0;
  const openVault = async <T>(
    work: (parts: { store: Store; owner: OwnerApi; credentials: Credentials }) => Promise<T>,
  ) => {
    const store = await openStore({ dataDir });
    try {
      const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
      return await work({
        store,
        owner,
        credentials: openCredentials(owner, { keyFolder: join(vault.directory, "keys") }),
      });
    } finally {
      await store.close();
    }
  };
  const loadSession = (): Promise<OAuthSession> =>
    openVault(async ({ credentials }) => {
      const contents = (await credentials.open("one"))?.contents;
      if (contents?.method !== "oauth") throw new Error("not signed in");
      return contents;
    });
  const listNotes = (): Promise<Record<string, string>> =>
    openVault(async ({ owner }) => {
      const notes: Record<string, string> = {};
      for await (const { data } of (await owner.reader()).export({})) notes[String(data.id)] = String(data.body);
      return notes;
    });

  it("[COL-57] [COL-59] gives its connector the access token, and nothing else of the sign-in", async () => {
    const { text } = await signIn(true);
    expect(await show()).toMatchObject({ sign_in: "oauth" });
    const session = await loadSession();
    expect(await sync()).toMatchObject({ status: "succeeded" });
    expect(countRefreshes()).toBe(0);
    const notes = await listNotes();
    expect(notes.token).toBe(digest(session.access_token));
    expect(notes.environment).not.toContain(session.refresh_token);
    for (const secret of [session.access_token, session.refresh_token]) expect(text).not.toContain(secret);
  });

  it("[COL-57] signs in with a code, and again with the same client", async () => {
    for (const args of [describeSignIn("--device"), ["sign-in", "one", "--device"]]) {
      const before = (await loadSession()).refresh_token;
      const signing = start(args);
      await expect.poll(signing.read).toMatch(/enter \S+/);
      const [, url = "", code = ""] = /^Open (\S+) on any device and enter (\S+)/m.exec(signing.read()) ?? [];
      await provider.enterCode(url, code);
      expect(await signing.ended).toMatchObject({ code: 0 });
      expect((await loadSession()).refresh_token).not.toBe(before);
    }
  });

  it("[COL-57] keeps the earlier sign-in if the owner declines, and names what is missing", async () => {
    const before = await loadSession();
    provider.isDeclining = true;
    try {
      const signing = start(describeSignIn());
      await expect.poll(signing.read).toMatch(/^http:.*\n/m);
      await provider.visit(/^http:.*$/m.exec(signing.read())?.[0] ?? "");
      expect(await signing.ended).toMatchObject({ code: 4, text: expect.stringContaining("declined") });
    } finally {
      provider.isDeclining = false;
    }
    expect(await loadSession()).toEqual(before);
    const refuse = async (...args: string[]) => (await vault.run(["source", "sign-in", "one", ...args])).stderr;
    expect(await refuse("--oauth", "google")).toContain("--client-id");
    expect(await refuse("--oauth", "google", "--client-id", "x")).toContain("--scope");
    expect(await refuse("--oauth", "custom", "--client-id", "x")).toContain("--issuer");
    expect(await refuse("--oauth", "google", "--client-id", "x", "--password-file", "y")).toContain("not both");
  });

  it("[COL-58] stores a rotated refresh token before the connector starts", async () => {
    await signIn();
    const before = await loadSession();
    const count = countRefreshes();
    expect(await sync()).toMatchObject({ status: "succeeded" });
    const after = await loadSession();
    expect(countRefreshes()).toBe(count + 1);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect((await listNotes()).token).toBe(digest(after.access_token));
    // The new access token lasts.
    expect(await sync()).toMatchObject({ status: "succeeded" });
    expect(countRefreshes()).toBe(count + 1);
    expect((await show()).needs).toBeUndefined();
  });

  it("[COL-58] needs a new sign-in once the refresh token was used elsewhere, and does not send it again", async () => {
    await signIn();
    const { refresh_token: token } = await loadSession();
    expect((await provider.refresh(token)).status).toBe(200);
    const failed = await sync();
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "credentials_rejected", recovery: "refresh_credentials", is_retryable: false },
    });
    expect(JSON.stringify(failed)).not.toContain(token);
    expect(await show()).toMatchObject({ needs: "credentials", sign_in: "oauth" });
    const shown = await vault.run(["source", "show", "one"]);
    expect(shown.stdout).toContain("needs sign-in: pdpp source sign-in one");
    const count = countRefreshes();
    expect(await sync()).toMatchObject({ error: { code: "credentials_rejected" } });
    expect(countRefreshes()).toBe(count);
    await signIn(true);
    expect((await show()).needs).toBeUndefined();
    expect(await sync()).toMatchObject({ status: "succeeded" });
  });

  it("[COL-58] refreshes once when two processes collect at the same time", async () => {
    await signIn();
    const count = countRefreshes();
    let second: { code: number | null; text: string } | undefined;
    // The other process runs while the first one refreshes.
    provider.onRefreshed = async () => {
      second = await start(["sync", "one"]).ended;
    };
    expect(await start(["sync", "one"]).ended).toMatchObject({ code: 0 });
    expect(second).toMatchObject({ code: 1, text: expect.stringContaining("is being collected already") });
    expect(countRefreshes()).toBe(count + 1);
    provider.onRefreshed = () => undefined;
    expect(await sync()).toMatchObject({ status: "succeeded" });
    const { refresh_token: token } = await loadSession();
    expect((await provider.refresh(token)).status).toBe(200);
  });

  it("[COL-58] asks for a new sign-in after a kill between a refresh and storing it", async () => {
    await signIn();
    const killed = start(["sync", "one"]);
    provider.onRefreshed = async () => {
      killed.child.kill("SIGKILL");
      await killed.ended;
    };
    expect(await killed.ended).toMatchObject({ code: null });
    provider.onRefreshed = () => undefined;
    // As if the lease had expired.
    await openVault(({ store }) => store.engine.write((on) => on.run(raw("UPDATE source SET lease_until = 1"))));
    expect(await sync()).toMatchObject({ status: "failed", error: { code: "credentials_rejected" } });
    expect(await show()).toMatchObject({ needs: "credentials" });
  });

  it("[COL-58] continues after a kill if the provider does not rotate", async () => {
    provider.isRotating = false;
    try {
      await signIn();
      const before = await loadSession();
      const killed = start(["sync", "one"]);
      provider.onRefreshed = async () => {
        killed.child.kill("SIGKILL");
        await killed.ended;
      };
      await killed.ended;
      provider.onRefreshed = () => undefined;
      await openVault(({ store }) => store.engine.write((on) => on.run(raw("UPDATE source SET lease_until = 1"))));
      expect(await sync()).toMatchObject({ status: "succeeded" });
      expect((await loadSession()).refresh_token).toBe(before.refresh_token);
    } finally {
      provider.isRotating = true;
    }
  });

  it("[COL-58] uses a new sign-in that arrives during a refresh, and does not replace it", async () => {
    await signIn(true);
    const fresh = await loadSession();
    await signIn();
    provider.onRefreshed = () => openVault(({ credentials }) => credentials.put("one", fresh));
    expect(await sync()).toMatchObject({ status: "succeeded" });
    expect((await listNotes()).token).toBe(digest(fresh.access_token));
    expect(await loadSession()).toEqual(fresh);
  });

  it("[COL-58] does not use or store what a run has refreshed after it lost its lease", async () => {
    await signIn();
    const before = await loadSession();
    provider.onRefreshed = () =>
      openVault(async ({ store }) => {
        await store.engine.write((on) => on.run(raw("UPDATE source SET lease_id = 'run_other'")));
      });
    const lost = await vault.run(["source", "sync", "one"]);
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("another run of source one has started") });
    expect(await loadSession()).toEqual(before);
    await openVault(({ store }) => store.engine.write((on) => on.run(raw("UPDATE source SET lease_id = NULL"))));
  });

  it("[COL-59] gets another access token when it asks, without a person, and not at once again", async () => {
    await signIn(true);
    const count = countRefreshes();
    const run = await sync({ SAMPLE_PASSWORD: "again" });
    expect(run).toMatchObject({ status: "succeeded" });
    expect(countRefreshes()).toBe(count + 1);
    const { access_token: token } = await loadSession();
    const notes = await listNotes();
    expect(notes.first).toBe(`success ${digest(token)}`);
    expect(notes.second).toBe(`cancelled ${digest("none")}`);
    expect(notes.token).not.toBe(digest(token));
  });

  it("[COL-58] collects again with a new token if one was refused early, and asks the owner only if that is refused too", async () => {
    await signIn(true);
    const { access_token: early } = await loadSession();
    const count = countRefreshes();
    expect(await sync({ SAMPLE_REFUSED: digest(early) })).toMatchObject({ status: "succeeded" });
    expect(countRefreshes()).toBe(count + 1);
    const { data } = await vault.json<{ data: RunDocument[] }>(["source", "runs", "one", "--limit", "2"]);
    expect(data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    expect(await sync({ SAMPLE_REFUSED: "all" })).toMatchObject({ status: "failed", error: { code: "auth" } });
    expect(countRefreshes()).toBe(count + 2);
    expect((await show()).needs).toBe("credentials");
    expect(await sync()).toMatchObject({ status: "succeeded" });
  });

  it("[COL-58] [COL-60] tells an unreachable provider from a refused sign-in, and repeats no secret of its answer", async () => {
    await signIn();
    const session = await loadSession();
    const echo = createServer((request, response) => {
      const issuer = `http://${request.headers.host}`;
      if (request.url?.startsWith("/.well-known/"))
        return response
          .setHeader("content-type", "application/json")
          .end(JSON.stringify({ issuer, token_endpoint: `${issuer}/token`, authorization_endpoint: `${issuer}/auth` }));
      const body = { error: "server_error", error_description: `cannot refresh ${session.refresh_token} now` };
      return response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => void echo.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
    await openVault(({ credentials }) => credentials.put("one", { ...session, issuer }));
    const refused = await sync();
    expect(refused).toMatchObject({
      status: "failed",
      error: { message: "the provider refused: server_error: cannot refresh [secret] now" },
    });
    expect(JSON.stringify(refused)).not.toContain(session.refresh_token);
    await new Promise<void>((resolve) => void echo.close(() => resolve()));
    echo.closeAllConnections();
    expect(await sync()).toMatchObject({ status: "failed", error: { is_retryable: true } });
    expect((await show()).needs).toBeUndefined();
    await openVault(({ credentials }) => credentials.put("one", session));
    expect(await sync()).toMatchObject({ status: "succeeded" });
  });
});
