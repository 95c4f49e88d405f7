import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeBrowser } from "#console/settings/describe-browser";
import { createSignInCode } from "#server/auth/sessions";
import { addOwner } from "#server/owner/owners";
import { type Stage, stage } from "../oauth/agent.ts";

const site = "http://localhost:7663";
const list = { name: "query_records", arguments: { stream: "messages", limit: 3 } };

describe.each(surfaceEngines)("the owner's pages, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(() => {
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  const signIn = async (): Promise<Person> => {
    const owner = on.owner();
    await owner.send(await owner.open(`${site}/sign-in`), { code: await on.code() });
    return owner;
  };
  const letIn = async (name: string) => {
    const agent = await on.register({ client_name: name, redirect_uris: ["http://localhost:41234/callback"] });
    const owner = on.owner();
    const single = await owner.send(await on.consent(agent, owner), { act: "by-field" });
    const ticked = {
      account: ["chat_home"],
      field: ["chat_home/messages/sent_at", "chat_home/messages/text"],
      days: "7",
    };
    const answered = await owner.send(single, { ...ticked, act: "allow" });
    const exchanged = await agent.exchange(new URL(answered.url).searchParams.get("code") ?? "");
    const { access_token: token }: { access_token: string } = JSON.parse(await exchanged.text());
    return { token, call: () => agent.mcp(token, "tools/call", list) };
  };
  const findRow = (html: string, name: string): string =>
    html.split("<li>").find((row) => row.includes(`>${name}</a>`)) ?? "";

  it("[PAG-1] show who can read what, since when, and when it was last used", async () => {
    const { call } = await letIn("Reading agent");
    const owner = await signIn();
    const before = findRow((await owner.open(`${site}/agents`)).html, "Reading agent");
    expect(before).toContain("Never used");
    await call();
    const row = findRow((await owner.open(`${site}/agents`)).html, "Reading agent");
    for (const shown of ["Chat", "Home", "dates and texts", "until ", "Read 3 records today"])
      expect(row).toContain(shown);
    for (const hidden of ["Work", "likes", "Channels"]) expect(row).not.toContain(hidden);
    const link = /href="(\/agents\/[\w-]+)"/.exec(row)?.[1] ?? "";
    const { html } = await owner.open(`${site}${link}`);
    for (const shown of ["Sent at", "Recent activity", "listed", "<bdi>Messages</bdi>"]) expect(html).toContain(shown);
  });

  it("[PAG-1] require signing in, and return to the page afterwards", async () => {
    const stranger = on.owner();
    for (const path of ["/agents", "/browsers", "/agents/pkg_x"]) {
      const page = await stranger.open(`${site}${path}`);
      expect(page.url).toBe(`${site}/sign-in?next=${encodeURIComponent(path)}`);
    }
    const inside = await stranger.send(await stranger.open(`${site}/browsers`), { code: await on.code() });
    expect(inside.url).toBe(`${site}/settings`);
    const gone = await stranger.open(`${site}/agents/pkg_x`);
    expect([gone.status, gone.html.includes("There is no grant")]).toEqual([404, true]);
  });

  it("[PAG-2] revoke a grant with one click, and reject its next call", async () => {
    const { call } = await letIn("Ended agent");
    expect((await call()).status).toBe(200);
    const owner = await signIn();
    const page = await owner.open(`${site}/agents`);
    const action = /action="([^"]+\/revoke)"/.exec(findRow(page.html, "Ended agent"))?.[1] ?? "";
    const forged = await owner.send(page, { csrf_token: "x" }, action);
    expect(forged.status).toBe(403);
    expect((await call()).status).toBe(200);
    const after = await owner.send(page, {}, action);
    expect(after.html).toContain("<strong><bdi>Ended agent</bdi></strong> can&#39;t read anything any more");
    const refused = await call();
    expect([refused.status, (await refused.text()).includes("the owner revoked this grant")]).toEqual([403, true]);
    // A second click, on a page that was left open, does no harm.
    expect((await owner.send(page, {}, action)).status).toBe(200);
  });

  it("[PAG-2] reject forms from another site", async () => {
    const { call } = await letIn("Guarded agent");
    const owner = await signIn();
    const page = await owner.open(`${site}/agents`);
    const action = /action="([^"]+\/revoke)"/.exec(findRow(page.html, "Guarded agent"))?.[1] ?? "";
    const csrfToken = /name="csrf_token" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ csrf_token: csrfToken });
    const sent = await on.fetch(new Request(`${site}${action}`, { method: "POST", headers, body }));
    expect(sent.status).toBe(403);
    expect((await call()).status).toBe(200);
  });

  it("[PAG-3] list browsers, and sign out each of them at once", async () => {
    const [here, there, third] = [await signIn(), await signIn(), await signIn()];
    const page = await here.open(`${site}/settings`);
    const own = /action="(\/browsers\/[\w-]+\/sign-out)"/.exec(page.html)?.[1] ?? "";
    expect(page.html.split('<ul class="rows">')[1]?.split("</li>")[0]).toContain("This browser");
    const others = await here.send(page, {}, "/browsers/sign-out-others");
    expect(others.html.match(/\/browsers\/[\w-]+\/sign-out"/g)?.length).toBe(1);
    for (const other of [there, third]) expect((await other.open(`${site}/agents`)).url).toContain("/sign-in");
    expect((await here.send(others, {}, own)).url).toBe(`${site}/sign-in`);
    expect((await here.open(`${site}/agents`)).url).toContain("/sign-in");
  });

  it("[PAG-3] sign out from every page", async () => {
    const owner = await signIn();
    await owner.send(await owner.open(`${site}/agents`), {}, "/sign-out");
    expect((await owner.open(`${site}/agents`)).url).toContain("/sign-in");
  });

  it("[PAG-3] neither show nor end another owner's session", async () => {
    const other = on.owner();
    await addOwner(vault.store, "Bea", on.now());
    await other.send(await other.open(`${site}/sign-in`), { code: await createSignInCode(vault.store, 2, on.now()) });
    const theirs =
      /action="(\/browsers\/[\w-]+\/sign-out)"/.exec((await other.open(`${site}/browsers`)).html)?.[1] ?? "";
    const owner = await signIn();
    const page = await owner.open(`${site}/settings`);
    expect(theirs).not.toBe("");
    expect(page.html).not.toContain(theirs);
    const csrfToken = /name="csrf_token" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    await owner.send(
      { ...page, html: `<form action="${theirs}"><input name="csrf_token" value="${csrfToken}"></form>` },
      {},
    );
    expect((await other.open(`${site}/settings`)).url).toBe(`${site}/settings`);
  });
});

it.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Chrome on Linux",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Windows"],
  ["curl/8", "Unknown browser"],
])("[PAG-3] describes %s in two words", (said, words) => {
  expect(describeBrowser(said)).toBe(words);
});
