import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunDocument } from "@pdpp/contract/sources";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { createProviderWorld, digest, type ProviderWorld } from "./provider-world.ts";

describe("a source that signs in at a provider", () => {
  let world: ProviderWorld;
  beforeAll(async () => {
    world = await createProviderWorld();
  });
  afterEach(() => {
    world.provider.accessTokenSeconds = 3600;
    world.provider.onRefreshed = () => undefined;
  });
  afterAll(() => world.drop());

  it("[COL-57] [COL-59] gives its connector the access token, and nothing else of the sign-in", async () => {
    const { text } = await world.signIn(true);
    expect(await world.show()).toMatchObject({ sign_in: "oauth" });
    const session = await world.loadSession();
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
    expect(world.countRefreshes()).toBe(0);
    const notes = await world.listNotes();
    expect(notes.token).toBe(digest(session.access_token));
    expect(notes.environment).not.toContain(session.refresh_token);
    for (const secret of [session.access_token, session.refresh_token]) expect(text).not.toContain(secret);
  });

  it("[COL-57] signs in with a code, and again with the same client", async () => {
    for (const args of [world.describeSignIn("--device"), ["sign-in", "one", "--device"]]) {
      const before = (await world.loadSession()).refresh_token;
      const signing = world.start(args);
      await expect.poll(signing.read).toMatch(/enter \S+/);
      const [, url = "", code = ""] = /^Open (\S+) on any device and enter (\S+)/m.exec(signing.read()) ?? [];
      await world.provider.enterCode(url, code);
      expect(await signing.ended).toMatchObject({ code: 0 });
      expect((await world.loadSession()).refresh_token).not.toBe(before);
    }
  });

  it("[COL-57] keeps the earlier sign-in if the owner declines, and names what is missing", async () => {
    const before = await world.loadSession();
    world.provider.isDeclining = true;
    try {
      const signing = world.start(world.describeSignIn());
      await expect.poll(signing.read).toMatch(/^http:.*\n/m);
      await world.provider.visit(/^http:.*$/m.exec(signing.read())?.[0] ?? "");
      expect(await signing.ended).toMatchObject({ code: 4, text: expect.stringContaining("declined") });
    } finally {
      world.provider.isDeclining = false;
    }
    expect(await world.loadSession()).toEqual(before);
    const refuse = async (...args: string[]) => (await world.vault.run(["source", "sign-in", "one", ...args])).stderr;
    expect(await refuse("--oauth", "google")).toContain("--client-id");
    expect(await refuse("--oauth", "google", "--client-id", "x")).toContain("--scope");
    expect(await refuse("--oauth", "custom", "--client-id", "x")).toContain("--issuer");
    expect(await refuse("--oauth", "google", "--client-id", "x", "--password-file", "y")).toContain("not both");
  });

  it("[COL-58] stores a rotated refresh token before the connector starts", async () => {
    await world.signIn();
    const before = await world.loadSession();
    const count = world.countRefreshes();
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
    const after = await world.loadSession();
    expect(world.countRefreshes()).toBe(count + 1);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect((await world.listNotes()).token).toBe(digest(after.access_token));
    // The new access token lasts.
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
    expect(world.countRefreshes()).toBe(count + 1);
    expect((await world.show()).needs).toBeUndefined();
  });

  it("[COL-58] needs a new sign-in once the refresh token was used elsewhere, and does not send it again", async () => {
    await world.signIn();
    const { refresh_token: token } = await world.loadSession();
    expect((await world.provider.refresh(token)).status).toBe(200);
    const failed = await world.sync();
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "credentials_rejected", recovery: "refresh_credentials", is_retryable: false },
    });
    expect(JSON.stringify(failed)).not.toContain(token);
    expect(await world.show()).toMatchObject({ needs: "credentials", sign_in: "oauth" });
    const shown = await world.vault.run(["source", "show", "one"]);
    expect(shown.stdout).toMatch(/Needs you to sign in again\n +sign in with: npx pdpp source sign-in one/);
    const count = world.countRefreshes();
    expect(await world.sync()).toMatchObject({ error: { code: "credentials_rejected" } });
    expect(world.countRefreshes()).toBe(count);
    await world.signIn(true);
    expect((await world.show()).needs).toBeUndefined();
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
  });

  it("[COL-58] refreshes once when two processes collect at the same time", async () => {
    await world.signIn();
    const count = world.countRefreshes();
    let second: { code: number | null; text: string } | undefined;
    // The other process runs while the first one refreshes.
    world.provider.onRefreshed = async () => {
      second = await world.start(["sync", "one"]).ended;
    };
    expect(await world.start(["sync", "one"]).ended).toMatchObject({ code: 0 });
    expect(second).toMatchObject({ code: 1, text: expect.stringContaining("is being collected already") });
    expect(world.countRefreshes()).toBe(count + 1);
    world.provider.onRefreshed = () => undefined;
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
    const { refresh_token: token } = await world.loadSession();
    expect((await world.provider.refresh(token)).status).toBe(200);
  });

  it("[COL-58] asks for a new sign-in after a kill between a refresh and storing it", async () => {
    await world.signIn();
    const killed = world.start(["sync", "one"]);
    world.provider.onRefreshed = async () => {
      killed.child.kill("SIGKILL");
      await killed.ended;
    };
    expect(await killed.ended).toMatchObject({ code: null });
    world.provider.onRefreshed = () => undefined;
    // As if the lease had expired.
    await world.openVault(({ store }) => store.engine.write((on) => on.run(raw("UPDATE source SET lease_until = 1"))));
    expect(await world.sync()).toMatchObject({ status: "failed", error: { code: "credentials_rejected" } });
    expect(await world.show()).toMatchObject({ needs: "credentials" });
  });

  it("[COL-58] continues after a kill if the provider does not rotate", async () => {
    world.provider.isRotating = false;
    try {
      await world.signIn();
      const before = await world.loadSession();
      const killed = world.start(["sync", "one"]);
      world.provider.onRefreshed = async () => {
        killed.child.kill("SIGKILL");
        await killed.ended;
      };
      await killed.ended;
      world.provider.onRefreshed = () => undefined;
      await world.openVault(({ store }) =>
        store.engine.write((on) => on.run(raw("UPDATE source SET lease_until = 1"))),
      );
      expect(await world.sync()).toMatchObject({ status: "succeeded" });
      expect((await world.loadSession()).refresh_token).toBe(before.refresh_token);
    } finally {
      world.provider.isRotating = true;
    }
  });

  it("[COL-58] uses a new sign-in that arrives during a refresh, and does not replace it", async () => {
    await world.signIn(true);
    const fresh = await world.loadSession();
    await world.signIn();
    world.provider.onRefreshed = () => world.openVault(({ credentials }) => credentials.put("one", fresh));
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
    expect((await world.listNotes()).token).toBe(digest(fresh.access_token));
    expect(await world.loadSession()).toEqual(fresh);
  });

  it("[COL-58] does not use or store what a run has refreshed after it lost its lease", async () => {
    await world.signIn();
    const before = await world.loadSession();
    world.provider.onRefreshed = () =>
      world.openVault(async ({ store }) => {
        await store.engine.write((on) => on.run(raw("UPDATE source SET lease_id = 'run_other'")));
      });
    const lost = await world.vault.run(["source", "sync", "one"]);
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("another run of source one has started") });
    expect(await world.loadSession()).toEqual(before);
    await world.openVault(({ store }) => store.engine.write((on) => on.run(raw("UPDATE source SET lease_id = NULL"))));
  });

  it("[COL-59] gets another access token when it asks, without a person, and not at once again", async () => {
    await world.signIn(true);
    const count = world.countRefreshes();
    const run = await world.sync({ SAMPLE_PASSWORD: "again" });
    expect(run).toMatchObject({ status: "succeeded" });
    expect(world.countRefreshes()).toBe(count + 1);
    const { access_token: token } = await world.loadSession();
    const notes = await world.listNotes();
    expect(notes.first).toBe(`success ${digest(token)}`);
    expect(notes.second).toBe(`cancelled ${digest("none")}`);
    expect(notes.token).not.toBe(digest(token));
  });

  it("[COL-58] collects again with a new token if one was refused early, and asks the owner only if that is refused too", async () => {
    await world.signIn(true);
    const { access_token: early } = await world.loadSession();
    const count = world.countRefreshes();
    expect(await world.sync({ SAMPLE_REFUSED: digest(early) })).toMatchObject({ status: "succeeded" });
    expect(world.countRefreshes()).toBe(count + 1);
    const { data } = await world.vault.json<{ data: RunDocument[] }>(["source", "runs", "one", "--limit", "2"]);
    expect(data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    expect(await world.sync({ SAMPLE_REFUSED: "all" })).toMatchObject({ status: "failed", error: { code: "auth" } });
    expect(world.countRefreshes()).toBe(count + 2);
    expect((await world.show()).needs).toBe("credentials");
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
  });

  it("[COL-58] [COL-60] tells an unreachable provider from a refused sign-in, and repeats no secret of its answer", async () => {
    await world.signIn();
    const session = await world.loadSession();
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
    await world.openVault(({ credentials }) => credentials.put("one", { ...session, issuer }));
    const refused = await world.sync();
    expect(refused).toMatchObject({
      status: "failed",
      error: { message: "the provider refused: server_error: cannot refresh [secret] now" },
    });
    expect(JSON.stringify(refused)).not.toContain(session.refresh_token);
    await new Promise<void>((resolve) => void echo.close(() => resolve()));
    echo.closeAllConnections();
    expect(await world.sync()).toMatchObject({ status: "failed", error: { is_retryable: true } });
    expect((await world.show()).needs).toBeUndefined();
    await world.openVault(({ credentials }) => credentials.put("one", session));
    expect(await world.sync()).toMatchObject({ status: "succeeded" });
  });
});
