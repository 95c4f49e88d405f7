import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../../oauth/agent.ts";

describe.each(surfaceEngines)("saved searches on the console, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: on.now });
  afterEach(async () => {
    for (const { id } of await openOwner().searches.list()) await openOwner().searches.remove(id);
  });
  const listHits = (html: string) => [...html.matchAll(/<h2><a href="([^"]*)/g)].map(([, href]) => href);

  it("[CSL-130] saves a search with its filters, opens, renames and removes it", async () => {
    const found = await owner.open(`${site}/explore?q=message&source=chat_work&order=date`);
    expect(found.html).toContain('name="name" value="message"');
    const saved = await owner.send(found, { name: "Work <b>talk" }, "/searches/save");
    expect(new URL(saved.url).searchParams.get("source")).toBe("chat_work");
    expect(saved.html).toContain("Search saved.");
    expect(saved.html).not.toContain("Save this search");
    expect(saved.html).toContain("Saved as <bdi>Work &lt;b&gt;talk</bdi>");
    const explore = await owner.open(`${site}/explore`);
    expect(explore.html).not.toContain("<b>talk");
    const again = await owner.open(findLink(explore, "Work &lt;b&gt;talk"));
    expect(listHits(again.html)).toEqual(listHits(found.html));
    const list = await owner.open(findLink(explore, "Edit saved searches"));
    expect(list.html).toContain("“<bdi>message</bdi>” · <bdi>Work</bdi> · newest first");
    const id = (await openOwner().searches.list())[0]?.id;
    const renamed = await owner.send(list, { name: "Standup" }, `/searches/${id}/rename`);
    expect(renamed.html).toContain("Saved search renamed.");
    expect(findLink(renamed, "Standup")).toContain("source=chat_work");
    const removed = await owner.send(renamed, {}, `/searches/${id}/remove`);
    expect(removed.html).toContain("Saved search removed.");
    for (const page of [removed, await owner.open(`${site}/explore`), await owner.open(`${site}/go`)])
      expect(page.html).not.toContain("Standup");
    expect((await owner.open(`${site}/activity?kind=act`)).html).toMatch(/saved a search/);
  });

  it("[CSL-130] keeps the words of a date, not the date", async () => {
    const found = await owner.open(`${site}/explore?q=message+last+month`);
    expect(found.url).toContain("since=");
    const saved = await owner.send(found, { name: "Last month" }, "/searches/save");
    expect(saved.url).toContain("since=");
    expect(saved.html).toContain("Saved as <bdi>Last month</bdi>");
    expect(await openOwner().searches.list()).toMatchObject([{ question: { q: "message last month" } }]);
    const dated = await owner.open(`${site}/explore?q=message&since=2026-05-01&until=2026-06-01`);
    await owner.send(dated, {}, "/searches/save");
    const list = await owner.open(`${site}/searches`);
    expect(list.html).toMatch(/“<bdi>message<\/bdi>” · from .*1 May 2026.* before .*1 Jun 2026/);
  });

  it("[CSL-130] finds a saved search by name, and offers no form once 100 are saved", async () => {
    await openOwner().searches.save("Zeppelins", { q: "h12", source: "chat_home" });
    const all = await owner.open(`${site}/go`);
    expect(all.html).toContain("<h2>Saved searches</h2>");
    expect((await owner.open(`${site}/go?jump=1&to=zepp`)).url).toBe(`${site}/explore?q=h12&source=chat_home`);
    for (let n = 1; n < 100; n += 1) await openOwner().searches.save(`S${n}`, { q: `word${n}` });
    const full = await owner.open(`${site}/explore?q=message`);
    expect(full.html).not.toContain("/searches/save");
    expect(full.html).toContain("You have saved 100 searches, the most there can be.");
    const explore = await owner.open(`${site}/explore`);
    expect(findLink(explore, "All 100 saved searches")).toBe(`${site}/searches`);
    expect(Buffer.byteLength((await owner.open(`${site}/searches`)).html)).toBeLessThan(200_000);
  });

  it("[CSL-150] shows nothing of them as an agent sees the vault", async () => {
    await openOwner().searches.save("Zeppelins", { q: "zqx" });
    const { grants } = await openOwner().grants.issue({ ...everything, client: { name: "Reader" } });
    const root = `${site}/as/${grants[0]?.grant_id}`;
    for (const path of [
      "/explore",
      "/explore?q=message",
      "/record?id=chat_home%2Fmessages%3Ah00",
      "/stream?source=chat_home&stream=messages",
    ]) {
      const { html, status } = await owner.open(`${root}${path}`);
      expect(status).toBe(200);
      expect(html).not.toMatch(/Zeppelins|zqx|Save this search|searches\/save/);
    }
  });

  it("[CSL-130] confirms only what the log has, and answers hostile forms with a page", async () => {
    const erased = await owner.open(`${site}/explore?did=1`);
    expect(erased.html).not.toContain('class="done"');
    const found = await owner.open(`${site}/explore?q=message`);
    for (const given of [{ name: "" }, { name: "x".repeat(300) }, { search: "" }, { search: "q=%00" }]) {
      const answer = await owner.send(found, given, "/searches/save");
      expect([JSON.stringify(given).slice(0, 40), answer.status]).toEqual([JSON.stringify(given).slice(0, 40), 400]);
    }
    const odd = await owner.send(
      found,
      { name: "Odd", search: "q=x&order=sideways&time=tea&since=yesterday" },
      "/searches/save",
    );
    expect(odd.status).toBeLessThan(500);
  });
});
