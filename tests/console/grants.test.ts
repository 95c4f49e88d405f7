import { knownAgents } from "@pdpp/agent-setup/known-agents";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { readElementText } from "@pdpp/test-support/web/owner-pages";
import { findForm, type Person, type VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../oauth/agent.ts";

const site = "http://localhost:7663";
const texts = ["chat_home/messages/text", "chat_home/messages/headings"];
const madeForm = { account: "chat_home", part: texts, name: "Shell script", purpose: "to find things" };

describe.each(surfaceEngines)("an agent's page, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = on.owner();
    await owner.send(await owner.open(`${site}/sign-in`), { code: await on.code() });
  });
  afterAll(() => vault.drop());

  const grants = () => createOwner({ store: vault.store, ownerNo: 1, now: on.now }).grants;
  const findToken = ({ html }: VisitedPage): string => /pdpp_client_[\w-]+/.exec(html)?.[0] ?? "";
  const createToken = async (form: Readonly<Record<string, string | readonly string[]>> = madeForm) => {
    const page = await owner.send(await owner.open(`${site}/agents/new`), { ...form, act: "allow" });
    const path = /href="(\/agents\/(?:grt|pkg)_[\w-]+)"/.exec(page.html)?.[1] ?? "";
    return { page, token: findToken(page), path };
  };
  const read = async (token: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await on.fetch(new Request(`${site}/v1${path}`, { headers }));
    return { status: answer.status, text: await answer.text() };
  };
  const messages = "/streams/messages/records?limit=3";
  const tickFields = (page: VisitedPage, action: string, ...names: string[]) =>
    findForm(page, action)
      .fields.filter(({ kind, name }) => kind === "ticked" && names.includes(name))
      .map(({ value }) => value);

  it("[CSL-22] creates a token with the same choices, presets and preview as consent", async () => {
    const empty = await owner.open(`${site}/agents/new`);
    expect(tickFields(empty, "/agents/new", "account", "part")).toEqual([]);
    const preset = await owner.send(empty, { name: "Shell script", preset: "headings", act: "edit" });
    expect(tickFields(preset, "/agents/new", "part")).toContain("chat_home/messages/headings");
    expect(findForm(preset, "/agents/new").fields).toContainEqual({
      name: "name",
      value: "Shell script",
      kind: "value",
    });
    const review = await owner.send(preset, { ...madeForm, act: "preview" });
    expect(review.html).toContain("Preview");
    expect(review.html.slice(review.html.indexOf('id="review"'))).not.toMatch(/CANARY|likes/i);
    const before = (await grants().list()).length;
    const done = await owner.send(review, { act: "allow" });
    expect((await grants().list()).length).toBe(before + 1);
    const token = findToken(done);
    const got = await read(token, messages);
    expect([got.status, got.text.includes("message h29"), /CANARY|likes/.test(got.text)]).toEqual([200, true, false]);
    // Every token setup guide contains the address and the token.
    for (const shown of ["Claude Code", "~/.codex/config.toml", "[mcp_servers.pdpp]", `${site}/mcp`])
      expect(done.html).toContain(shown);
    expect(done.html.split(token).length).toBeGreaterThan(9);
  });

  it("[CSL-22] shows a token once; neither a reload nor a second click shows it again or creates another", async () => {
    const form = await owner.open(`${site}/agents/new`);
    const before = (await grants().list()).length;
    const [first, second] = await Promise.all([
      owner.send(form, { ...madeForm, act: "allow" }),
      owner.send(form, { ...madeForm, act: "allow" }),
    ]);
    expect(findToken(first)).toMatch(/^pdpp_client_/);
    expect(findToken(second)).toBe(findToken(first));
    expect((await grants().list()).length).toBe(before + 1);
    expect(first.headers.get("cache-control")).toContain("no-store");
    const again = await owner.open(first.url);
    expect([again.status, findToken(again)]).toEqual([410, ""]);
    const third = await owner.send(form, { ...madeForm, act: "allow" });
    expect(findToken(third)).toBe(findToken(first));
    on.wait(61_000);
    const late = await owner.send(form, { ...madeForm, act: "allow" });
    expect([late.status, findToken(late)]).toEqual([410, ""]);
    expect((await grants().list()).length).toBe(before + 1);
  });

  it("[CSL-22] shows a token only in the browser that created it", async () => {
    const form = await owner.open(`${site}/agents/new`);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = new URLSearchParams({ ...madeForm, part: texts[0] ?? "", act: "allow" });
    for (const { name, value } of findForm(form, "/agents/new").fields)
      if (/csrf_token|form/.test(name)) body.set(name, value);
    const sent = await on.fetch(
      new Request(`${site}/agents/new`, { method: "POST", headers: { cookie, origin: site }, body }),
    );
    const place = sent.headers.get("location") ?? "";
    expect([sent.status, place]).toEqual([303, expect.stringMatching(/^\/agents\/made\//)]);
    const other = on.owner();
    await other.send(await other.open(`${site}/sign-in`), { code: await on.code() });
    expect(findToken(await other.open(`${site}${place}`))).toBe("");
    expect(findToken(await owner.open(`${site}${place}`))).toMatch(/^pdpp_client_/);
  });

  it("[CSL-22] creates nothing without a name or a selection, and keeps the form's values", async () => {
    const before = (await grants().list()).length;
    const form = await owner.open(`${site}/agents/new`);
    const unnamed = await owner.send(form, { ...madeForm, name: " ", act: "allow" });
    expect([unnamed.status, unnamed.html.includes("Enter a name")]).toEqual([422, true]);
    expect(tickFields(unnamed, "/agents/new", "part")).toEqual(expect.arrayContaining(texts));
    const unticked = await owner.send(unnamed, { name: "Shell script", account: [], act: "allow" });
    expect([unticked.status, unticked.html.includes("Choose at least one source")]).toEqual([422, true]);
    expect((await grants().list()).length).toBe(before);
  });

  it("[CSL-20] says what it can't read, and counts its reads per day", async () => {
    const { token, path } = await createToken({ ...madeForm, since: "2026-05-01" });
    for (let n = 0; n < 2; n++) await read(token, messages);
    const { html } = await owner.open(`${site}${path}`);
    const cannot = html.slice(html.indexOf("What it can&#39;t read"), html.indexOf("Access is read-only"));
    for (const shown of [
      "Chat",
      "Work",
      "Channels",
      "Messages: ",
      "Likes",
      "dated before 2026-05-01",
      "Other sources",
      "shop_1",
      "you add later",
    ])
      expect(cannot).toContain(shown);
    for (const held of ["Sent at", "Home"]) expect(cannot).not.toContain(held);
    expect(html).toContain("6 records in the last 30 days");
    expect(html).toContain('aria-label="Records read per day, last 30 days: 6, most in');
    expect(html.match(/>listed records<\/a>/g)).toHaveLength(2);
  });

  it("[CSL-20] shows a package as one agent, and removes a single source from it", async () => {
    const both = {
      account: ["chat_home", "shop_1"],
      part: [...texts, "shop_1/order_lines/headings", "shop_1/order_lines/amounts"],
    };
    const { token, path } = await createToken({ ...madeForm, ...both });
    const page = await owner.open(`${site}${path}`);
    expect(page.html).toContain("Access to 2 sources");
    const actions = [...page.html.matchAll(/action="(\/agents\/[^"]+\/parts\/[^"]+)"/g)].map((found) => found[1] ?? "");
    expect(actions.length).toBe(2);
    const shop = page.html.split('<section class="card access">').find((part) => part.includes("<h3>shop_1"));
    const after = await owner.send(
      page,
      {},
      actions.find((action) => shop?.includes(action)),
    );
    expect(readElementText(after, "strong")).toBe("Shop");
    expect((await read(token, "/streams/order_lines/records")).status).not.toBe(200);
    expect((await read(token, messages)).status).toBe(200);
    // A grant of another agent is not part of this one.
    const other = await createToken();
    const foreign = actions[0]?.replace(/parts\/[^/]+/, `parts/${other.path.split("/").at(-1)}`) ?? "";
    await owner.send(
      { ...after, html: after.html.replace(/action="[^"]*narrow"/, "") + findFormHtml(foreign, after) },
      {},
      foreign,
    );
    expect((await read(other.token, messages)).status).toBe(200);
  });
  const findFormHtml = (action: string, { html }: VisitedPage): string =>
    `<form action="${action}"><input name="csrf_token" value="${/name="csrf_token" value="([^"]+)"/.exec(html)?.[1]}"></form>`;

  it("[CSL-21] reduces its access, and its token keeps working", async () => {
    const { token, path } = await createToken();
    const action = `${path}/narrow`;
    const page = await owner.open(`${site}${action}`);
    expect(tickFields(page, action, "account", "part").sort()).toEqual([
      "chat/messages/headings",
      "chat/messages/text",
      "chat_home",
    ]);
    expect(page.html).not.toContain("chat_work");
    const same = await owner.send(page, { act: "narrow" }, action);
    expect([same.status, same.html.includes("Nothing was changed")]).toEqual([422, true]);
    const none = await owner.send(page, { account: [], act: "narrow" }, action);
    expect([none.status, none.html.includes("revoke it")]).toEqual([422, true]);
    const single = await owner.send(page, { act: "by-field" }, action);
    const fields = tickFields(single, action, "field").filter((field) => !field.endsWith("/text"));
    const review = await owner.send(single, { field: fields, act: "preview" }, action);
    expect(review.html).toContain("Removed:</strong> Home, Messages: Text");
    const done = await owner.send(review, { act: "narrow" }, action);
    expect(done.html).toContain("Changes saved");
    expect(done.html).toContain("reduced <time");
    const got = await read(token, messages);
    expect([got.status, got.text.includes("message h")]).toEqual([200, false]);
    // The old URL redirects to the new id, and the list has one agent.
    const old = await owner.open(`${site}${path}`);
    expect(old.url).toBe(done.url.split("?")[0]);
    const list = (await owner.open(`${site}/agents`)).html;
    expect([list.includes(old.url.replace(site, "")), list.includes(`href="${path}"`)]).toEqual([true, false]);
    // A form from an outdated page changes nothing.
    const stale = await owner.send(page, { act: "narrow" }, action);
    expect([stale.status, stale.html.includes("changed while this page was open")]).toEqual([409, true]);
    // Revoking on an outdated list revokes the successor.
    await owner.send({ ...old, html: findFormHtml(`${path}/revoke`, old) }, {});
    expect((await read(token, messages)).status).toBe(403);
  });

  it("[CSL-21] never grants more than before for any form", async () => {
    const { token, path } = await createToken();
    const action = `${path}/narrow`;
    const page = await owner.send(await owner.open(`${site}${action}`), { act: "by-field" }, action);
    const forged = {
      account: ["chat_home", "chat_work", "shop_1"],
      field: ["chat/messages/text", "chat/messages/likes", "chat/messages/secret", "shop/order_lines/price"],
    };
    await owner.send(page, { ...forged, act: "narrow" }, action);
    const { text } = await read(token, "/streams/messages/records?limit=50");
    expect([text.includes("message h29"), /likes|CANARY|message w|sent_at/.test(text)]).toEqual([true, false]);
  });

  it("[CSL-21] accepts an earlier end date, and rejects a later one with the reason", async () => {
    const { token, path } = await createToken({ ...madeForm, days: "7" });
    const action = `${path}/narrow`;
    const page = await owner.open(`${site}${action}`);
    const formatDay = (days: number) => new Date(on.now() + days * 86_400_000).toISOString().slice(0, 10);
    const later = await owner.send(page, { until: formatDay(9), act: "narrow" }, action);
    expect([later.status, later.html.includes("have the agent ask again")]).toEqual([422, true]);
    for (const wrong of [formatDay(0), "soon"])
      expect((await owner.send(page, { until: wrong, act: "narrow" }, action)).status).toBe(422);
    const done = await owner.send(page, { until: formatDay(2), act: "narrow" }, action);
    expect(done.status).toBe(200);
    on.wait(3 * 86_400_000);
    expect((await read(token, messages)).text).toContain("expired");
  });

  it("[CSL-24] runs the tools as the agent would, and shows their exact output", async () => {
    const { token, path } = await createToken();
    const page = await owner.open(`${site}${path}/try?q=message+h07`);
    const [schema = "", search = ""] = page.html.split('<section class="tool-output"').slice(1);
    expect(schema).toContain("messages");
    expect(search).toContain("message h07");
    for (const hidden of ["CANARY", "likes", "chat_work", "channels", "Shop"])
      expect(schema + search).not.toContain(hidden);
    // The same output as the agent's own, except for marks and cursors, which differ per call.
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search", arguments: { query: "message h07" } },
    };
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    };
    const request = new Request(`${site}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });
    const told: { result: { content: { text: string }[] } } = JSON.parse(await (await on.fetch(request)).text());
    const removeVolatile = (text: string) => text.replace(/[0-9a-f]{12}|"cursor":"[^"]*"/g, "");
    const shown = readElementText({ ...page, html: `<section ${search}` }, "pre");
    expect(removeVolatile(shown)).toBe(removeVolatile(told.result.content[0]?.text ?? ""));
    const form = await owner.open(`${site}${path}`);
    expect(form.html).toContain(`action="${path}/try"`);
    await grants().revoke(path.split("/").at(-1) ?? "");
    expect((await owner.open(`${site}${path}/try?q=message`)).url).toBe(`${site}${path}`);
  });

  it("[CSL-23] has setup instructions for every known agent, with this server's address", async () => {
    const page = await owner.open(`${site}/agents`);
    const keys = [...page.html.matchAll(/href="\/agents\?agent=([\w-]+)/g)].map(([, key]) => key);
    const tabs = await Promise.all([...new Set(keys)].map((key) => owner.open(`${site}/agents?agent=${key}`)));
    const html = tabs.map((tab) => tab.html).join("");
    for (const shown of [
      "Claude Code",
      "Codex",
      "VS Code",
      "ChatGPT",
      "Claude Desktop",
      `${site}/mcp`,
      "claude mcp login pdpp",
      `npx pdpp connect ${site}`,
    ])
      expect(html).toContain(shown);
    for (const { title } of knownAgents) expect(html).toContain(title);
  });
});
