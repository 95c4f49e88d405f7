import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { findForm, type Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, someText, stage } from "../oauth/agent.ts";

const site = "http://localhost:7663";

describe.each(surfaceEngines)("the Agents page, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = await signIn();
    for (const { grant_id, status } of await ownerApi().grants.list())
      if (status === "active") await ownerApi().grants.revoke(grant_id);
  });
  afterAll(() => vault.drop());

  const ownerApi = () => createOwner({ store: vault.store, ownerNo: 1, now: on.now });
  const signIn = async (): Promise<Person> => {
    const person = on.owner();
    await person.send(await person.open(`${site}/sign-in`), { code: await on.code() });
    return person;
  };
  const issue = async (name: string) => {
    const sources = [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] }];
    const { token, grants } = await ownerApi().grants.issue({ client: { name }, sources });
    return { token, id: grants[0]?.grant_id ?? "" };
  };
  const read = (token: string, path = "/v1/streams/messages/records?limit=3&connection_id=chat_home") =>
    on.fetch(new Request(`${site}${path}`, { headers: { authorization: `Bearer ${token}` } }));
  const findSteps = (html: string) =>
    [...html.matchAll(/<li class="(done|current|later)"[^>]*data-step/g)].map(([, state]) => state);

  it("[CSL-85] shows one command on one line for each agent, as a link for each tab", async () => {
    const first = await owner.open(`${site}/agents`);
    expect(first.html).toContain(`claude mcp add --scope user --transport http pdpp ${site}/mcp`);
    const tabs = [...first.html.matchAll(/href="(\/agents\?agent=[^"]+)"/g)].map(([, href]) =>
      (href ?? "").replaceAll("&amp;", "&"),
    );
    expect(tabs.length).toBeGreaterThan(6);
    for (const tab of new Set(tabs)) {
      const { status, html } = await owner.open(`${site}${tab}`);
      expect([tab, status]).toEqual([tab, 200]);
      const commands = [...html.matchAll(/<div class="command"><code>([^<]*)<\/code>/g)].map(([, text]) => text ?? "");
      if (!tab.includes("chatgpt")) expect(commands[0]).toContain(site);
      if (!tab.includes("chatgpt")) expect(commands[0]).not.toContain("\n");
    }
    const hostile = await owner.open(`${site}/agents?agent=%3Cscript%3E&since=-1e9`);
    expect([hostile.status, hostile.html.includes("<script>")]).toEqual([200, false]);
  });

  it("[CSL-154] lists every source by its own name and in order, and removes one alone", async () => {
    await ownerApi().grants.issue({
      client: { name: "Two accounts" },
      sources: [
        { connector_key: "shop", streams: [{ name: "order_lines" }] },
        { connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] },
      ],
    });
    const granted = (await ownerApi().grants.list()).find(({ client }) => client.name === "Two accounts");
    const id = granted?.package_id ?? "";
    const { html } = await owner.open(`${site}/agents/${id}`);
    const cards = html.split('<section class="card access">').slice(1);
    expect(cards.map((card) => /<h3>([^<]*)/.exec(card)?.[1]?.trim())).toEqual(["Home", "shop_1", "Work"]);
    expect(html).toContain("Access to 3 sources");
    const canRemove = cards.map((card) => card.includes("Remove this source"));
    expect(canRemove).toEqual([false, true, false]);
    expect(cards[0]).toContain(`href="/agents/${id}/narrow"`);
    const row = (await owner.open(`${site}/agents`)).html.split("<li").find((each) => each.includes("Two accounts"));
    expect(row?.replace(/<[^>]*>/g, "")).toMatch(/Home.*: text.*Work.*: text/);
  });

  it("[CSL-86] shows how far connecting has got, without scripts", async () => {
    const page = await owner.open(`${site}/agents`);
    expect(findSteps(page.html)).toEqual(["current", "later", "later", "later"]);
    const again = /href="([^"]+)">Check again/.exec(page.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const agent = await on.register({
      client_name: "Kitchen helper",
      redirect_uris: ["http://localhost:41234/callback"],
    });
    const consent = await on.consent(agent, owner);
    expect(findSteps((await owner.open(`${site}${again}`)).html)).toEqual(["done", "done", "current", "later"]);
    const { url } = await owner.send(consent, { ...someText, act: "allow" });
    expect(findSteps((await owner.open(`${site}${again}`)).html)).toEqual(["done", "done", "done", "current"]);
    const code = new URL(url).searchParams.get("code") ?? "";
    const { access_token } = (await (await agent.exchange(code)).json()) as { access_token: string };
    expect((await read(access_token)).status).toBe(200);
    const done = await owner.open(`${site}${again}`);
    expect(findSteps(done.html)).toEqual(["done", "done", "done", "done"]);
    expect(done.html).not.toContain("Check again");
  });

  it("[CSL-86] folds connecting to one button once three agents are connected", async () => {
    for (const name of ["One", "Two"]) await issue(name);
    expect((await owner.open(`${site}/agents`)).html).not.toContain("connect-fold");
    await issue("Three");
    expect((await owner.open(`${site}/agents`)).html).toContain("connect-fold");
    expect((await owner.open(`${site}/agents?agent=codex`)).html).not.toContain("connect-fold");
  });

  it("[CSL-87] undoes a revocation with a form, and says when it is too late", async () => {
    const { token, id } = await issue("Trip planner");
    const page = await owner.open(`${site}/agents`);
    const revoked = await owner.send(page, {}, `/agents/${id}/revoke`);
    const toast = /class="toast"[^>]*><p role="status">(.*?)<\/p>/
      .exec(revoked.html)?.[1]
      ?.replaceAll(/<[^>]+>/g, "")
      .replaceAll("&#39;", "'");
    expect(toast).toBe("Trip planner can't read anything any more. Data it has already read can't be taken back.");
    expect((await read(token)).status).toBe(403);
    const undo = `/agents/${id}/undo`;
    expect((await owner.send(revoked, { csrf_token: "x" }, undo)).status).toBe(403);
    expect((await read(token)).status).toBe(403);
    const undone = await owner.send(revoked, {}, undo);
    expect(undone.html).toContain("has the same access again");
    expect((await read(token)).status).toBe(200);

    const again = await owner.send(undone, {}, `/agents/${id}/revoke`);
    on.wait(31_000);
    const late = await owner.send(again, {}, undo);
    expect(late.html).toContain("Too late to undo");
    expect((await read(token)).status).toBe(403);
    // A reload after the window offers nothing.
    const reloaded = await owner.open(again.url);
    expect([reloaded.html.includes("read anything any more"), reloaded.html.includes(undo)]).toEqual([true, false]);
  });

  it("[CSL-88] lists a request that this browser opened first, and no other", async () => {
    await issue("Older");
    const agent = await on.register({
      client_name: "<b>Codex</b>",
      redirect_uris: ["http://localhost:41234/callback"],
    });
    const consent = await on.consent(agent, owner);
    const page = await owner.open(`${site}/agents`);
    const rows = page.html.slice(page.html.indexOf('id="connected"'));
    expect(rows.indexOf("&lt;b&gt;Codex&lt;/b&gt;")).toBeLessThan(rows.indexOf("Older"));
    expect(rows).toContain("It didn&#39;t ask for anything specific");
    const path = new URL(consent.url).pathname;
    expect(rows).toContain(`href="${path}"`);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://localhost:41234");
    // Another browser of the same owner has not opened it.
    expect((await (await signIn()).open(`${site}/agents`)).html).not.toContain("is asking for access");
    const declined = await owner.send(page, { act: "deny" }, path);
    expect(declined.url).toContain("error=access_denied");
    const after = await owner.open(`${site}/agents`);
    expect(after.html).not.toContain("is asking for access");
    expect(after.headers.get("content-security-policy")).toContain("form-action 'self'");
  });

  it("[CSL-88] forgets a request that was allowed or has expired", async () => {
    const agent = await on.register();
    const consent = await on.consent(agent, owner);
    expect((await owner.open(`${site}/agents`)).html).toContain("is asking for access");
    await owner.send(consent, { ...someText, act: "allow" });
    expect((await owner.open(`${site}/agents`)).html).not.toContain("is asking for access");
    await on.consent(await on.register(), owner);
    on.wait(2 * 3_600_000);
    expect((await (await signIn()).open(`${site}/agents`)).html).not.toContain("is asking for access");
  });

  it("[CSL-89] says what an agent can read, what it read today and until when", async () => {
    const { token, id } = await issue("Reader");
    const other = await issue("Reader");
    const findRow = async (agent: string) => {
      const { html } = await owner.open(`${site}/agents`);
      const from = html.indexOf(`href="/agents/${agent}"`);
      return html.slice(from, html.indexOf("</li>", from)).replaceAll(/<[^>]+>/g, "");
    };
    expect(await findRow(id)).toContain("Never used. Since ");
    expect((await read(token)).status).toBe(200);
    expect(await findRow(id)).toContain("Read 3 records today, last at ");
    expect(await findRow(id)).toContain("text");
    // It has the same name, and has read nothing.
    expect(await findRow(other.id)).toContain("Never used.");
    on.wait(25 * 3_600_000);
    owner = await signIn();
    expect(await findRow(id)).toContain("Nothing read today, last used one day ago.");
    await ownerApi().grants.revoke(id);
    const { html } = await owner.open(`${site}/agents`);
    expect(html).toMatch(/<summary>\d+ ended or revoked<\/summary>/);
  });

  it("[CSL-90] shows an agent's activity first, and its fields folded", async () => {
    const { id } = await issue("Detailed");
    const { html } = await owner.open(`${site}/agents/${id}`);
    const places = ["Recent activity", "Records read", "What it can read", "<summary>Fields"].map((text) =>
      html.indexOf(text),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(html).not.toContain("<details open");
  });

  it("[CSL-87] undoes the removal of one source", async () => {
    const { package_id: id = "", token } = await ownerApi().grants.issue({
      client: { name: "Two sources" },
      sources: [
        { connector_key: "chat", streams: [{ name: "messages" }] },
        { connector_key: "shop", streams: [{ name: "order_lines" }] },
      ],
    });
    const page = await owner.open(`${site}/agents/${id}`);
    const [, action = ""] = /action="(\/agents\/[^"]+\/parts\/[^"]+\/revoke)"/.exec(page.html) ?? [];
    const countStreams = async () =>
      (JSON.parse(await (await read(token, "/v1/streams")).text()) as { data: object[] }).data.length;
    const before = await countStreams();
    const removed = await owner.send(page, {}, action);
    expect(removed.html).toContain("It can&#39;t read");
    expect(await countStreams()).toBeLessThan(before);
    const undone = await owner.send(removed, {}, action.replace("/revoke", "/undo"));
    expect(undone.html).toContain("It can read this source again.");
    expect(await countStreams()).toBe(before);
    expect(findForm(undone, action).fields.length).toBeGreaterThan(0);
  });

  it("[CSL-91] opens a line of Activity, with the records that were returned", async () => {
    const { token } = await issue("Opened");
    await read(token);
    const log = await owner.open(`${site}/activity?kind=read`);
    const [, path = ""] = /class="opens" href="(\/activity\/\d+)"/.exec(log.html) ?? [];
    const { html, status } = await owner.open(`${site}${path}`);
    expect([status, html.split('href="/record?').length - 1]).toEqual([200, 3]);
    expect(html).toMatch(/<h1>.*Opened.*listed records/);
    expect(html).toMatch(/href="\/agents\/grt_/);
    for (const other of ["999999", "0", "x", "-1"])
      expect((await owner.open(`${site}/activity/${other}`)).status).toBe(404);
  });
});
