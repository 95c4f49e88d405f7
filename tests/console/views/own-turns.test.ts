import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineAssistantFormat } from "#importers/core/records/schema";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

const title = "Heating costs: is our consumption normal?";
const buildTurn = (id: string, author: string, content: string): JsonObject => ({
  id,
  conversation_id: "c1",
  conversation_title: title,
  author,
  content,
  created_at: `2026-04-06T13:2${id.slice(1)}:00Z`,
  time_source: "message",
  attachments: [],
  extra: {},
});

describe("titles of AI conversations", () => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    await api.connectors.register(parseManifest(defineAssistantFormat("assistant", "Assistant").manifest));
    await api.connections.add({ connector_key: "assistant", connection_id: "ai", display_name: "AI conversations" });
    const turns = [buildTurn("m1", "user", "Is a warm radiator normal?"), buildTurn("m2", "assistant", "Very normal.")];
    await putRecords(
      vault,
      "ai",
      "messages",
      turns.map((data) => ({ key: String(data.id), data, emitted_at: new Date(now).toISOString() })),
    );
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  it("[CSL-170] call the owner you in results, on the record's page and in the conversation", async () => {
    const { html } = await owner.open(`${site}/explore?q=normal`);
    expect(html).toContain(`<bdi>You in ${title}</bdi>`);
    expect(html).toContain(`<bdi>Assistant in ${title}</bdi>`);
    expect(html).not.toContain("<bdi>Author</bdi>");
    const record = await owner.open(`${site}/record?id=${encodeURIComponent("ai/messages:m1")}`);
    expect(readElementText(record, "h1")).toBe("You in Heating costs: is our consumption…: Is a warm radiator normal?");
    const conversation = await owner.open(`${site}/conversation?id=${encodeURIComponent("ai/messages:m2")}`);
    expect(conversation.html).toContain("<strong><bdi>Assistant</bdi></strong>");
  });
});
