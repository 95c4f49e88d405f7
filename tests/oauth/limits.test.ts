import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { origin, type Stage, stage } from "./agent.ts";

const evil = "https://evil.example";

describe.each(surfaceEngines)("limits, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let address: string;
  const time = Date.now();
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(() => {
    address = "192.168.1.7";
    const app = createApp({ store: vault.store, now: () => time });
    on = stage(vault, [
      { fetch: (request: Request) => app.fetch(request, { incoming: { socket: { remoteAddress: address } } }) },
    ]);
  });
  afterAll(() => vault.drop());

  const signIn = (code: string, headers: Record<string, string> = {}) => {
    const body = String(new URLSearchParams({ code }));
    const type = { "content-type": "application/x-www-form-urlencoded", "content-length": String(body.length) };
    return on.fetch(new Request(`${origin}/sign-in`, { method: "POST", headers: { ...type, ...headers }, body }));
  };
  const guessUntilLimited = async () => {
    let status = 0;
    for (let n = 0; n < 40 && status !== 429; n += 1) ({ status } = await signIn("guess"));
    expect(status).toBe(429);
  };

  it("[WEB-6] let the owner sign in while strangers guess, at their address or another", async () => {
    await guessUntilLimited();
    expect((await signIn(await createSignInCode(vault.store, 1, time))).status).toBe(303);
    expect((await signIn("guess")).status).toBe(429);
    address = "192.168.1.8";
    expect((await signIn("guess")).status).toBe(403);
    expect((await signIn(await createSignInCode(vault.store, 1, time))).status).toBe(303);
  });

  it("[WEB-6] read nothing large from a source over its limit", async () => {
    await guessUntilLimited();
    expect((await signIn("x".repeat(5000))).status).toBe(429);
    const code = await createSignInCode(vault.store, 1, time);
    expect((await signIn(code, { "content-length": "60000" })).status).toBe(429);
  });

  it("[WEB-6] let a client refresh while another sends invalid tokens", async () => {
    const agent = await on.register();
    const { refresh_token } = await on.granted(agent);
    let status = 0;
    for (let n = 0; n < 1300 && status !== 429; n += 1) ({ status } = await agent.refresh(`guess${n}`));
    expect(status).toBe(429);
    const refreshed = await agent.refresh(refresh_token);
    expect(refreshed.status).toBe(200);
    // A valid token has a limit, too.
    for (let n = 0; n < 70 && status !== 200; n += 1)
      status = (await agent.refresh(refresh_token)).status === 429 ? 200 : 0;
    expect(status).toBe(200);
  });

  it("[WEB-6] count registrations by address", async () => {
    const register = () =>
      on.register().then(
        () => true,
        () => false,
      );
    let isLimited = false;
    for (let n = 0; n < 130 && !isLimited; n += 1) isLimited = !(await register());
    expect(isLimited).toBe(true);
    address = "192.168.1.9";
    expect(await register()).toBe(true);
  });

  it("[WEB-7] reject web pages before they count", async () => {
    const paths = ["token", "register", "revoke", "par", "device_authorization"].map((name) => `/oauth/${name}`);
    for (const path of [...paths, "/agent-connect", "/agent-connect/x/token", "/introspect"])
      for (const from of [evil, "null"]) {
        const headers = { origin: from, "content-type": "text/plain" };
        const answer = await on.fetch(new Request(`${origin}${path}`, { method: "POST", headers, body: "{}" }));
        expect([path, from, answer.status]).toEqual([path, from, 403]);
      }
    const headers = { origin: evil, "content-type": "text/plain" };
    for (let n = 0; n < 200; n += 1)
      await on.fetch(new Request(`${origin}/oauth/register`, { method: "POST", headers, body: "{}" }));
    const agent = await on.register();
    const embedded = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" };
    for (let n = 0; n < 310; n += 1)
      expect((await on.fetch(new Request(agent.authorizeUrl(), { headers: embedded }))).status).toBe(403);
    expect((await on.granted(agent)).access_token).toBeTruthy();
  });

  it("[WEB-7] accept programs, which send no origin, and pages of this computer", async () => {
    for (const from of [undefined, origin, "http://localhost:6274", "http://127.0.0.1:6274"]) {
      const headers = { "content-type": "application/json", ...(from === undefined ? {} : { origin: from }) };
      const body = JSON.stringify({ client_name: "x", redirect_uris: ["http://localhost:1/cb"] });
      const answer = await on.fetch(new Request(`${origin}/oauth/register`, { method: "POST", headers, body }));
      expect(answer.status).toBe(201);
    }
  });
});
