import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { stage } from "./agent.ts";
import { createDeviceClient, enterCode } from "./device.ts";

const call = { name: "query_records", arguments: { stream: "messages" } };
const buildDetail = (id: string, stream: string, access_mode: string) => ({
  type: "https://pdpp.dev/data-access",
  source: { id },
  access_mode,
  streams: [{ name: stream }],
});
const readJson = async (response: Response): Promise<Record<string, unknown>> => JSON.parse(await response.text());

describe.each(engineNames)("single-use access, on %s", (engine) => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  it("[CON-15] lasts an hour and has no refresh token for any form", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const owner = on.owner();
    const details = [buildDetail("chat", "messages", "single_use"), buildDetail("shop", "order_lines", "continuous")];
    const page = await on.consent(agent, owner, { authorization_details: JSON.stringify(details) });
    expect(page.html).toContain("for one use within one hour");
    expect(page.html).not.toContain("<select");
    const answered = await owner.send(page, { act: "allow", days: "0" });
    const tokens = await readJson(await agent.exchange(new URL(answered.url).searchParams.get("code") ?? ""));
    expect(tokens.refresh_token).toBeUndefined();
    expect(tokens.expires_in).toBeLessThanOrEqual(3600);
    expect(tokens.authorization_details).toMatchObject([{ access_mode: "single_use" }, { access_mode: "single_use" }]);
    expect((await agent.mcp(String(tokens.access_token), "tools/call", call)).status).toBe(200);
    const { grants } = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const given = (await grants.list()).at(-1);
    expect(Date.parse(given?.expires_at ?? "")).toBeLessThanOrEqual(on.now() + 3_600_000);
    on.wait(3_601_000);
    expect((await agent.mcp(String(tokens.access_token), "tools/call", call)).status).toBe(403);
  });

  it("[CON-15] works the same in the device flow", async () => {
    const on = stage(vault);
    const device = await createDeviceClient(on);
    const details = JSON.stringify([buildDetail("chat", "messages", "single_use")]);
    const asked = await device.begin({ authorization_details: details });
    const owner = on.owner();
    const page = await owner.send(await enterCode(on, owner, asked.user_code), { confirm: "yes" });
    await owner.send(page, { act: "allow" });
    const tokens = await readJson(await device.poll(asked));
    expect([tokens.refresh_token, Number(tokens.expires_in) <= 3600]).toEqual([undefined, true]);
  });

  it("[CON-15] is not forced on a client that asks for continuous access", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const owner = on.owner();
    const details = JSON.stringify([buildDetail("chat", "messages", "continuous")]);
    const page = await on.consent(agent, owner, { authorization_details: details });
    const answered = await owner.send(page, { act: "allow" });
    const tokens = await readJson(await agent.exchange(new URL(answered.url).searchParams.get("code") ?? ""));
    expect(tokens.refresh_token).toBeDefined();
  });
});
