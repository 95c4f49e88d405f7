import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findForm, type VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callback, type Stage, stage } from "../oauth/agent.ts";

const asks = (...fields: string[]) => ({
  authorization_details: JSON.stringify([
    {
      type: "https://pdpp.dev/data-access",
      source: { id: "chat" },
      streams: [{ name: "messages", fields, instance_ids: ["chat_home"] }],
    },
  ]),
});
const list = { name: "query_records", arguments: { stream: "messages", limit: 1 } };
const listReplaceFields = (page: VisitedPage) => findForm(page).fields.filter(({ name }) => name === "replace");

describe.each(surfaceEngines)("a returning client, on %s", (engine) => {
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

  type Agent = Awaited<ReturnType<Stage["register"]>>;
  const registerClient = (name: string) => on.register({ client_name: name, redirect_uris: [callback] });
  const allowAccess = async (agent: Agent, more: Record<string, string>, given: Record<string, string> = {}) => {
    const owner = on.owner();
    const page = await on.consent(agent, owner, more);
    const answered = await owner.send(page, { ...given, act: "allow" });
    const exchanged = await agent.exchange(new URL(answered.url).searchParams.get("code") ?? "");
    const { access_token: token }: { access_token: string } = JSON.parse(await exchanged.text());
    return { page, call: async () => (await agent.mcp(token, "tools/call", list)).status };
  };

  it("[PAG-5] is shown with its access and the changes, and its earlier grant ends", async () => {
    const agent = await registerClient("Returning agent");
    const first = await allowAccess(agent, asks("text", "sent_at"));
    expect(first.page.html).not.toContain("already");
    const second = await allowAccess(agent, asks("text", "likes"));
    expect(second.page.html).toContain("It already has access");
    expect(second.page.html).toContain("Added:</strong> Home, Messages: Likes");
    expect(second.page.html).toContain("Removed:</strong> Home, Messages: Sent at");
    expect(listReplaceFields(second.page).map(({ kind }) => kind)).toEqual(["ticked"]);
    expect([await first.call(), await second.call()]).toEqual([403, 200]);
  });

  it("[PAG-5] keeps its earlier grant if the owner chooses so", async () => {
    const agent = await registerClient("Agent on two machines");
    const first = await allowAccess(agent, asks("text"));
    const second = await allowAccess(agent, asks("text"), { replace: "none" });
    expect(second.page.html).toContain("No changes.");
    expect([await first.call(), await second.call()]).toEqual([200, 200]);
  });

  it("[PAG-5] is distinguished from another client with its name", async () => {
    const first = await allowAccess(await registerClient("Namesake"), asks("text"));
    const second = await allowAccess(await registerClient("Namesake"), asks("text"));
    expect(second.page.html).toContain("An app with this name already has access");
    expect(listReplaceFields(second.page).map(({ kind }) => kind)).toEqual(["unticked"]);
    expect([await first.call(), await second.call()]).toEqual([200, 200]);
  });

  it("[PAG-5] can't end a grant that the page didn't offer to replace", async () => {
    const other = await allowAccess(await registerClient("Bystander"), asks("text"));
    const owner = on.owner();
    await owner.send(await owner.open("http://localhost:7663/sign-in"), { code: await on.code() });
    const agents = (await owner.open("http://localhost:7663/agents")).html;
    const id = /\/agents\/([\w-]+)">Bystander/.exec(agents)?.[1] ?? "";
    expect(id).not.toBe("");
    const second = await allowAccess(await registerClient("Another"), asks("text"), { replace: id });
    expect([await other.call(), await second.call()]).toEqual([200, 200]);
  });

  it("[PAG-5] can start from its current access", async () => {
    const agent = await registerClient("Unspecific agent");
    await allowAccess(agent, asks("text", "likes"));
    const owner = on.owner();
    const page = await owner.send(await on.consent(agent, owner), { act: "preset-before" });
    const ticked = findForm(page).fields.filter(({ kind, name }) => kind === "ticked" && name !== "replace");
    expect(ticked.map(({ value }) => value).sort()).toEqual([
      "chat_home",
      "chat_home/messages/likes",
      "chat_home/messages/text",
    ]);
  });

  it("[PAG-6] gets its grant even if records arrived while the page was open", async () => {
    const agent = await registerClient("Patient agent");
    const owner = on.owner();
    const page = await on.consent(agent, owner, asks("text"));
    await putRecords(vault, "chat_home", "messages", [buildMessage(`new-${engine}`, 999)]);
    const answered = await owner.send(page, { act: "allow" });
    expect(new URL(answered.url).searchParams.has("code")).toBe(true);
  });
});
