import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "./agent.ts";

const formatPurpose = (code: string): string => `https://pdpp.dev/purpose/${code}`;

interface DeclaredRequest {
  readonly purpose_code?: string;
  readonly purpose_description?: string;
  readonly client_claims?: { readonly commitments: readonly string[] };
}

const buildChatRequest = (asked: DeclaredRequest) => ({
  type: "https://pdpp.dev/data-access",
  source: { id: "https://example.org/connectors/chat" },
  access_mode: "continuous",
  streams: [{ name: "messages", fields: ["id", "sent_at", "text"] }],
  ...asked,
});
const buildShopRequest = (asked: DeclaredRequest) => ({
  ...buildChatRequest(asked),
  source: { id: "https://example.org/connectors/shop" },
  streams: [{ name: "order_lines" }],
});

describe.each(surfaceEngines)("declared purposes, on %s", (engine) => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  const ask = async (on: Stage, ...details: readonly object[]) => {
    const agent = await on.register();
    const owner = on.owner();
    const page = await on.consent(agent, owner, { authorization_details: JSON.stringify(details) });
    const grants = async () =>
      (await createOwner({ store: vault.store, ownerNo: 1, now: on.now }).grants.list()).filter(
        ({ client }) => client.client_id === agent.clientId,
      );
    return { agent, owner, page, grants };
  };
  const findCode = (url: string): string => new URL(url).searchParams.get("code") ?? "";
  const extractText = (html: string): string =>
    html
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim();

  it("[CON-19] need separate consent for AI training", async () => {
    const { agent, owner, page, grants } = await ask(
      stage(vault),
      buildChatRequest({ purpose_code: formatPurpose("ai_training") }),
    );
    expect(extractText(page.html)).toContain("Yes, this app may use what I share to train AI models");
    const box = /<input[^>]*name="confirm_training"[^>]*>/.exec(page.html)?.[0] ?? "";
    expect(box).toContain('type="checkbox"');
    expect(box).not.toContain("checked");
    const refused = await owner.send(page, { act: "allow" });
    expect(refused.status).toBe(422);
    expect(extractText(refused.html)).toContain("Nothing was shared");
    expect((await owner.send(page, { act: "allow", confirm_training: "no" })).status).toBe(422);
    expect(await grants()).toEqual([]);
    const allowed = await owner.send(refused, { act: "allow", confirm_training: "yes" });
    const tokens = JSON.parse(await (await agent.exchange(findCode(allowed.url))).text());
    const source = { kind: "connector", id: "https://example.org/connectors/chat" };
    expect(tokens.authorization_details).toMatchObject([{ source, purpose_code: formatPurpose("ai_training") }]);
    expect(await grants()).toMatchObject([{ purpose_code: formatPurpose("ai_training") }]);
  });

  it("[CON-19] do not need it to cancel, to preview, or to share another source", async () => {
    const details = [
      buildChatRequest({ purpose_code: formatPurpose("ai_training") }),
      buildShopRequest({ purpose_code: formatPurpose("personalization") }),
    ];
    const { owner, page, grants } = await ask(stage(vault), ...details);
    const looked = await owner.send(page, { act: "preview", confirm_training: "yes" });
    expect(looked.status).toBe(200);
    expect(/<input[^>]*name="confirm_training"[^>]*>/.exec(looked.html)?.[0]).toContain("checked");
    const shared = await owner.send(page, { act: "allow", account: ["shop_1"] });
    expect(findCode(shared.url)).not.toBe("");
    expect((await grants()).map(({ connector_key, purpose_code }) => [connector_key, purpose_code])).toEqual([
      ["shop", formatPurpose("personalization")],
    ]);
    const second = await ask(stage(vault), ...details);
    const denied = await second.owner.send(second.page, { act: "deny" });
    expect(new URL(denied.url).searchParams.get("error")).toBe("access_denied");
  });

  it("[CON-20] show promises as quotes, and keep them out of the grant", async () => {
    const commitments = ["Used only for concert tips <img src=x>", "Never sold"];
    const { owner, page, grants } = await ask(stage(vault), buildChatRequest({ client_claims: { commitments } }));
    const [claims = ""] = /<section class="card claims"[\s\S]*?<\/section>/.exec(page.html) ?? [];
    expect(extractText(claims)).toBe(
      "The app promises Used only for concert tips &lt;img src=x&gt; Never sold Your vault can&#39;t check or enforce these.",
    );
    expect(page.html).not.toContain("<img");
    await owner.send(page, { act: "allow" });
    const [grant] = await grants();
    expect(grant).toBeDefined();
    expect(JSON.stringify(grant)).not.toContain("concert");
  });

  it("[CON-20] reject claims that are not a list of short texts", async () => {
    const on = stage(vault);
    for (const commitments of [["x".repeat(1001)], [1], "all of them", Array(21).fill("x")]) {
      const details = [{ ...buildChatRequest({}), client_claims: { commitments } }];
      const { page } = await ask(on, ...details);
      expect(new URL(page.url).searchParams.get("error")).toBe("invalid_authorization_details");
    }
  });

  it.each([
    [
      "a code of the registry",
      { purpose_code: formatPurpose("agent_context") },
      "to give context to a personal AI agent",
    ],
    [
      "an unknown code with a description",
      { purpose_code: "https://example.org/purposes/quilting", purpose_description: "Planning quilts" },
      "Planning quilts",
    ],
    [
      "an unknown code alone",
      { purpose_code: "https://example.org/purposes/quilting" },
      "https://example.org/purposes/quilting",
    ],
  ])("[CON-21] show, store and report %s", async (_, asked, words) => {
    const on = stage(vault);
    const { owner, page, grants } = await ask(on, buildChatRequest(asked));
    expect(extractText(page.html)).toContain(words);
    expect(page.html).not.toContain("confirm_training");
    expect(findCode((await owner.send(page, { act: "allow" })).url)).not.toBe("");
    const [grant] = await grants();
    expect(grant?.purpose_code).toBe(asked.purpose_code);
    const about = await owner.open(new URL(`/agents/${grant?.package_id}`, page.url).href);
    expect(extractText(about.html)).toContain(words);
    const less = { connector_key: "chat", streams: [{ name: "messages", fields: ["id", "sent_at"] }] };
    const { grants: given } = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    await given.narrow(grant?.package_id ?? "", { sources: [less] });
    expect((await grants()).filter(({ status }) => status === "active")).toMatchObject([
      { purpose_code: asked.purpose_code, streams: [{ fields: ["id", "sent_at"] }] },
    ]);
  });
});
