import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "./agent.ts";

/** A browser without scripts, on the page for a client that asked for nothing in particular. */
describe.each(surfaceEngines)("choosing without scripts, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  let page: VisitedPage;
  let agent: Awaited<ReturnType<Stage["register"]>>;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = on.owner();
    agent = await on.register();
    page = await on.consent(agent, owner);
  });
  afterAll(() => vault.drop());

  const countGrants = async () =>
    (await createOwner({ store: vault.store, ownerNo: 1, now: on.now }).grants.list()).length;
  const exchangeCode = async (allowed: VisitedPage): Promise<string> => {
    const exchanged = await agent.exchange(new URL(allowed.url).searchParams.get("code") ?? "");
    const { access_token: token }: { access_token: string } = JSON.parse(await exchanged.text());
    return token;
  };
  const readMessages = async (token: string, connection_id: string): Promise<string> => {
    const call = (args: object) => agent.mcp(token, "tools/call", { name: "query_records", arguments: args });
    return (await call({ stream: "messages", connection_id, limit: 50 })).text();
  };

  it("[CON-22] [CON-24] reviews a source that was ticked alone, and shares its usual parts", async () => {
    const before = await countGrants();
    for (const act of ["review", "allow"]) {
      const review = await owner.send(page, { account: "chat_home", act });
      expect(review.html).toContain("Test agent can read <b>Home</b> without attachments, until");
      expect(review.html).toContain("Dates and texts. Also channels. No attachments, no other details.");
      expect(await countGrants()).toBe(before);
    }
    const review = await owner.send(page, { account: "chat_home", act: "review" });
    const text = await readMessages(await exchangeCode(await owner.send(review, { act: "allow" })), "chat_home");
    expect([text.includes("message h29"), /CANARY|likes|blob_ref|message w/.test(text)]).toEqual([true, false]);
  });

  it("[CON-24] leads back from the review to the form with the same ticks", async () => {
    const review = await owner.send(page, { account: "chat_work", days: "7", since: "2026-05-01", act: "review" });
    expect(review.html).toContain("only items dated on or after 2026-05-01");
    expect(review.html).toContain("for 7 days");
    const form = await owner.send(review, { act: "edit" });
    expect(form.html).toMatch(/name="account" value="chat_work" checked/);
    expect(form.html).toContain("1 of 3 selected");
    expect(form.html).toContain('value="2026-05-01"');
  });

  it("[CON-25] ends every way of leaving something open in words, and shares nothing", async () => {
    const before = await countGrants();
    const parts = ["chat_home/messages/text"];
    const open = {
      nothing: [{}, 422, "Choose at least one source"],
      "a source without parts": [{ account: "shop_1" }, 200, "Test agent can read <b>shop_1</b>"],
      "parts without their source": [{ part: parts }, 422, "You chose parts of Home, but not Home itself"],
      "parts of two sources": [
        { part: [...parts, "chat_work/messages/text"] },
        422,
        "You chose parts of 2 sources, but none of the sources",
      ],
      "a preset alone": [{ preset: "everything" }, 200, "Test agent can read <b>Home</b>, <b>shop_1</b> and"],
      "an unknown preset": [{ preset: "nonsense" }, 422, "Choose at least one source"],
      "an unknown source": [{ account: "bank" }, 422, "Choose at least one source"],
    } as const;
    for (const [way, [given, status, words]] of Object.entries(open)) {
      for (const act of ["review", "allow"]) {
        const shown = await owner.send(page, { ...given, act });
        expect([way, act, shown.status, shown.html.includes(words)]).toEqual([way, act, status, true]);
        expect(shown.html).toContain("Cancel");
      }
    }
    const preset = await owner.send(page, { preset: "everything", act: "edit" });
    const cleared = await owner.send(preset, { act: "clear" });
    expect(cleared.html).toContain("none selected");
    const again = await owner.send(cleared, { act: "allow" });
    expect([again.status, again.html.includes("Choose at least one source")]).toEqual([422, true]);
    expect(await countGrants()).toBe(before);
  });

  it("[CON-26] shares other parts of each account", async () => {
    const part = ["chat_home/messages/text", "chat_work/messages/headings"];
    const allowed = await owner.send(page, { account: ["chat_home", "chat_work"], part, act: "allow" });
    const token = await exchangeCode(allowed);
    const home = await readMessages(token, "chat_home");
    const work = await readMessages(token, "chat_work");
    expect([home.includes("message h29"), home.includes("sent_at")]).toEqual([true, false]);
    expect([work.includes("message w"), work.includes("sent_at")]).toEqual([false, true]);
  });

  it("[CON-27] previews the answers to three questions, and nothing that is not shared", async () => {
    const given = { account: "chat_home", part: ["chat_home/messages/text", "chat_home/messages/headings"] };
    const preview = await owner.send(page, { ...given, act: "preview" });
    const shown = preview.html.slice(preview.html.indexOf('id="review"'));
    expect(shown).toContain("What are the latest messages?");
    expect(shown).toContain("What do I have about “message”?");
    expect(shown).toContain("message h29");
    expect(shown).toContain("search {&quot;query&quot;:&quot;message&quot;");
    expect(shown).not.toMatch(/CANARY|likes|message w/);
  });

  it("[CON-29] lists what is added, removed and unchanged for an agent that returns", async () => {
    const texts = (id: string) => [`${id}/messages/text`, `${id}/messages/headings`];
    const first = { account: ["chat_home", "chat_work"], part: [...texts("chat_home"), ...texts("chat_work")] };
    await owner.send(page, { ...first, act: "allow" });
    const again = await on.consent(agent, owner);
    for (const name of ["Home", "Work"]) expect(again.html).toContain(`<li><strong>${name}</strong>`);
    const changed = {
      account: ["chat_home", "shop_1"],
      part: [...texts("chat_home"), "shop_1/order_lines/headings", "shop_1/order_lines/amounts"],
    };
    const { html } = await owner.send(again, { ...changed, act: "review" });
    expect(html).toContain("<strong>Added:</strong> shop_1: Order lines (names, dates and titles, amounts)");
    expect(html).toContain("<strong>Removed:</strong> Work</span>");
    expect(html).toContain("<strong>Unchanged:</strong> Home</span>");
  });
});
