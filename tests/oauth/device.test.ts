import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { origin, type Stage, someText, stage } from "./agent.ts";
import { createDeviceClient, type DeviceClient, enterCode } from "./device.ts";

const call = { name: "query_records", arguments: { stream: "messages" } };
const readJson = async (response: Response): Promise<Record<string, unknown>> => JSON.parse(await response.text());
const readFailure = async (response: Response) => [response.status, (await readJson(response)).error];

describe.each(surfaceEngines)("the device flow, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let device: DeviceClient;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    device = await createDeviceClient(on);
  });
  afterAll(() => vault.drop());

  it("[CON-13] connects the app whose code the owner entered, with the access the owner chose", async () => {
    const asked = await device.begin();
    expect(asked.user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    expect(asked).toMatchObject({ verification_uri: `${origin}/device`, interval: 5, expires_in: 600 });
    expect(await readFailure(await device.poll(asked))).toEqual([400, "authorization_pending"]);
    const owner = on.owner();
    const signIn = await owner.open(asked.verification_uri_complete);
    const enter = await owner.send(signIn, { code: await on.code() });
    expect(enter.url).toContain("/device");
    expect(enter.html).toContain(asked.user_code);
    expect(enter.html).not.toContain("<script>");
    const confirm = await owner.send(enter, {});
    expect(confirm.html).toContain("Test program");
    const page = await owner.send(confirm, { confirm: "yes" });
    expect(page.url).toContain("/consent/");
    expect(page.html).toContain("Access goes to the app showing the code you entered");
    const done = await owner.send(page, { ...someText, act: "allow" });
    expect([done.status, done.url.startsWith(`${origin}/device/`)]).toEqual([200, true]);
    expect(done.html).toContain("Return to the app");
    on.wait(5000);
    const tokens = await readJson(await device.poll(asked));
    const agent = on.as(device.clientId, "");
    expect((await agent.mcp(String(tokens.access_token), "tools/call", call)).status).toBe(200);
    expect((await agent.refresh(String(tokens.refresh_token))).status).toBe(200);
  });

  it("[CON-13] accepts a device code once, and revokes the grant when it is used again", async () => {
    const asked = await device.begin();
    await device.approve(asked);
    const tokens = await readJson(await device.poll(asked));
    on.wait(5000);
    expect(await readFailure(await device.poll(asked))).toEqual([400, "invalid_grant"]);
    const agent = on.as(device.clientId, "");
    expect((await agent.mcp(String(tokens.access_token), "tools/call", call)).status).toBe(403);
  });

  it("[CON-13] rejects a device code of another client, and after ten minutes", async () => {
    const asked = await device.begin();
    const other = await createDeviceClient(on);
    await device.approve(asked);
    expect(await readFailure(await other.poll(asked))).toEqual([400, "invalid_grant"]);
    const late = await device.begin();
    on.wait(601_000);
    expect((await device.poll(late)).status).toBe(400);
    const owner = on.owner();
    const page = await enterCode(on, owner, late.user_code);
    expect(page.html).toContain("No app is waiting with this code");
  });

  it("[CON-13] tells a client that polls too often to slow down", async () => {
    on.freeze();
    const asked = await device.begin();
    await device.poll(asked);
    expect(await readFailure(await device.poll(asked))).toEqual([400, "slow_down"]);
    on.wait(5000);
    expect(await readFailure(await device.poll(asked))).toEqual([400, "slow_down"]);
    on.wait(60_000);
    expect(await readFailure(await device.poll(asked))).toEqual([400, "authorization_pending"]);
    let status = 0;
    for (let n = 0; n < 1300 && status !== 429; n += 1) status = (await device.poll(asked)).status;
    expect(status).toBe(429);
  });

  it("[CON-13] needs a signed-in owner to enter a code, and limits the attempts", async () => {
    on.freeze();
    const asked = await device.begin();
    const stranger = on.owner();
    const page = await stranger.open(asked.verification_uri);
    expect(page.url).toContain("/sign-in");
    const body = new URLSearchParams({ user_code: asked.user_code, confirm: "yes" });
    const forced = await on.fetch(new Request(`${origin}/device`, { method: "POST", body }));
    expect(forced.headers.get("location")).toContain("/sign-in");
    const owner = on.owner();
    let guessed = await enterCode(on, owner, "BCDF-GHJK");
    for (let n = 0; n < 40 && guessed.status !== 429; n += 1)
      guessed = await owner.send(await owner.open(asked.verification_uri), { user_code: "BCDF-GHJK" });
    expect(guessed.status).toBe(429);
  });

  it("[CON-13] rejects forms of another site, or without a CSRF token", async () => {
    const asked = await device.begin();
    const owner = on.owner();
    const page = await enterCode(on, owner, asked.user_code);
    const forged = await owner.send(page, { confirm: "yes", xsrf: "x" });
    expect(forged.url).not.toContain("/consent/");
    const jar = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const elsewhere = await on.fetch(
      new Request(`${origin}/device`, {
        method: "POST",
        headers: { cookie: jar, origin: "https://evil.example" },
        body: new URLSearchParams({ user_code: asked.user_code, confirm: "yes" }),
      }),
    );
    expect(elsewhere.status).toBe(403);
    expect(await readFailure(await device.poll(asked))).toEqual([400, "authorization_pending"]);
  });

  it("[CON-13] lets the owner cancel at every step, and tells the client", async () => {
    const stopped = await device.begin();
    const owner = on.owner();
    const confirm = await enterCode(on, owner, stopped.user_code);
    const over = await owner.send(confirm, { abort: "yes" });
    expect(over.html).toContain("Nothing was shared");
    expect(await readFailure(await device.poll(stopped))).toEqual([400, "access_denied"]);
    const denied = await device.begin();
    const page = await owner.send(await enterCode(on, owner, denied.user_code), { confirm: "yes" });
    expect((await owner.send(page, { act: "deny" })).html).toContain("Nothing was shared");
    expect(await readFailure(await device.poll(denied))).toEqual([400, "access_denied"]);
  });

  it("[CON-9] [CON-10] [CON-13] prevents framing of its pages, and stores no codes in plain text", async () => {
    const asked = await device.begin();
    const owner = on.owner();
    const confirm = await enterCode(on, owner, asked.user_code);
    const page = await owner.send(confirm, { confirm: "yes" });
    const rows = await vault.store.engine.read((db) => db.all(raw("SELECT * FROM oauth_thing")));
    const dump = JSON.stringify(rows);
    for (const secret of [asked.device_code, asked.user_code, asked.user_code.replace("-", "")])
      expect(dump).not.toContain(secret);
    const done = await owner.send(page, { ...someText, act: "allow" });
    for (const { headers } of [confirm, page, done]) {
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });
});
