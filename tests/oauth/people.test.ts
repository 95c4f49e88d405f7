import { parseManifest } from "@pdpp/contract/manifest";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "./agent.ts";

const contacts = parseManifest({
  connector_key: "contacts",
  version: "1",
  display_name: "Contacts",
  streams: [
    {
      name: "contacts",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      presentation: { kind: "person", fields: { emails: "mails" } },
      query: { search: { lexical_fields: ["name"] } },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          name: { type: "string", x_pdpp_role: "primary-title" },
          mails: { type: "array", items: { type: "string" } },
        },
      },
    },
  ],
});

const warning = "Summarizes all your sources, including those you don&#39;t share.";

describe.each(surfaceEngines)("people on the consent page, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  let page: VisitedPage;
  let agent: Awaited<ReturnType<Stage["register"]>>;
  let people: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    await api.connectors.register(contacts);
    await api.connections.add({ connector_key: "contacts", connection_id: "contacts" });
    await putRecords(vault, "contacts", "contacts", [
      { data: { id: "c1", name: "Noor Achterwald", mails: ["noor@tidewater.example.net"] } },
    ]);
    await api.people.derive();
    const { data } = await (await api.reader()).streams({});
    people = data.find(({ name }) => name === "people")?.connection_id ?? "";
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = on.owner();
    agent = await on.register();
    page = await on.consent(agent, owner);
  });
  afterAll(() => vault.drop());

  const allow = async (review: VisitedPage): Promise<string> => {
    const allowed = await owner.send(review, { act: "allow" });
    const exchanged = await agent.exchange(new URL(allowed.url).searchParams.get("code") ?? "");
    return ((await exchanged.json()) as { access_token: string }).access_token;
  };
  const call = async (token: string, name: string, args: object): Promise<string> =>
    (await agent.mcp(token, "tools/call", { name, arguments: args })).text();

  it("[CON-32] are named once, as the owner calls them", async () => {
    expect(page.html).toContain("The date does not limit");
    expect(page.html.match(/The date does not limit[^<]*People: if you select/g)).toHaveLength(1);
    const streams = [{ name: "messages", instance_ids: ["chat_home"] }];
    const details = [{ type: "https://pdpp.dev/data-access", source: { id: "chat" }, streams }];
    const asked = await on.consent(agent, owner, { authorization_details: JSON.stringify(details) });
    expect(asked.html).toContain("Anything not selected stays private, including contacts, shop_1, Work and People.");
  });

  it("[PPL-5] are not in the preset Everything, and nothing that it reads says that there are any", async () => {
    expect(people).not.toBe("");
    for (const preset of ["everything", "no-attachments", "headings"]) {
      const review = await owner.send(page, { preset, act: "review" });
      expect([preset, review.status, review.html.includes("<strong>contacts</strong>")]).toEqual([preset, 200, true]);
      expect(review.html).not.toContain("<strong>People</strong>");
      expect(review.html).not.toContain(warning);
    }
    const token = await allow(await owner.send(page, { preset: "everything", act: "review" }));
    expect(await call(token, "query_records", { stream: "contacts" })).toContain("Noor Achterwald");
    expect(await call(token, "query_records", { stream: "people" })).not.toContain("Noor");
    expect(await call(token, "query_records", { stream: "people", connection_id: people })).not.toContain("Noor");
    for (const [name, args] of [
      ["schema", {}],
      ["search", { query: "Noor" }],
    ] as const) {
      const answer = await call(token, name, args);
      expect(answer).toContain("contacts");
      expect(answer).not.toMatch(/people/i);
      expect(answer).not.toContain(people);
    }
  });

  it("[PPL-5] are offered, reviewed and reduced with a warning, and readable when they were ticked", async () => {
    expect(page.html.split(warning)).toHaveLength(2);
    const review = await owner.send(page, { account: people, act: "review" });
    expect(review.html.split(warning)).toHaveLength(2);
    const token = await allow(review);
    expect(await call(token, "query_records", { stream: "people" })).toContain("Noor Achterwald");
    expect(await call(token, "query_records", { stream: "contacts" })).not.toContain("Noor");
    const grants = await createOwner({ store: vault.store, ownerNo: 1, now: on.now }).grants.list();
    const { package_id, grant_id } = grants.find(({ connector_key }) => connector_key === "people")!;
    const narrow = await owner.open(`${new URL(page.url).origin}/agents/${package_id ?? grant_id}/narrow`);
    expect(narrow.html.split(warning)).toHaveLength(2);
  });
});
